import CZlib
import CZstd
import Foundation

/// How chunks are made smaller.
public enum CompressionAlgorithm: String, Sendable, Hashable, Codable, CaseIterable {
    /// RFC 1950, by zlib.
    case zlib
    /// RFC 8878, by libzstd: smaller and several times as fast.
    case zstd

    /// - Returns: `nil` where the bytes cannot be made smaller.
    func compress(_ data: Data) throws -> Data? {
        guard !data.isEmpty else { return nil }
        return switch self {
        case .zlib: try Self.deflate(data)
        case .zstd: try ZstdCodec.compress(data, level: 3)
        }
    }

    /// - Parameter size: how many bytes there are to come out; more or fewer are damage.
    /// - Returns: `nil` for what is damaged.
    func decompress(_ data: Data, size: Int) throws -> Data? {
        switch self {
        case .zlib: Self.inflate(data, size: size)
        case .zstd: try ZstdCodec.decompress(data, size: size)
        }
    }

    private static func deflate(_ data: Data) throws -> Data? {
        var length = compressBound(uLong(data.count))
        var output = Data(count: Int(length))
        let status = output.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                compress2(
                    output.bindMemory(to: UInt8.self).baseAddress, &length,
                    input.bindMemory(to: UInt8.self).baseAddress, uLong(data.count), Z_DEFAULT_COMPRESSION)
            }
        }
        guard status == Z_OK else {
            throw ChunkStorageError.storageUnavailable(reason: "there is no memory to compress a chunk")
        }
        return Int(length) < data.count ? output.prefix(Int(length)) : nil
    }

    private static func inflate(_ data: Data, size: Int) -> Data? {
        var length = uLong(size)
        // One more, so that what is too long is seen.
        var output = Data(count: size + 1)
        length = uLong(size + 1)
        let status = output.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                uncompress(
                    output.bindMemory(to: UInt8.self).baseAddress, &length,
                    input.bindMemory(to: UInt8.self).baseAddress, uLong(data.count))
            }
        }
        return status == Z_OK && Int(length) == size ? output.prefix(size) : nil
    }
}
