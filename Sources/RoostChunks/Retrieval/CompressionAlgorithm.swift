import CZlib
import CZstd
package import Foundation

/// A compression algorithm for chunks.
public enum CompressionAlgorithm: String, Sendable, Hashable, Codable, CaseIterable {
    /// The zlib format (RFC 1950).
    case zlib
    /// Zstandard (RFC 8878). It compresses better than zlib and is several times as fast.
    case zstd

    /// Returns the compressed bytes, or `nil` if compression does not make them smaller.
    func compress(_ data: Data) throws -> Data? {
        guard !data.isEmpty else { return nil }
        return switch self {
        case .zlib: try Self.deflate(data)
        case .zstd: try ZstdCodec.compress(data, level: ZstdCodec.defaultLevel)
        }
    }

    /// Decompresses bytes.
    ///
    /// - Parameter size: The exact size of the result.
    /// - Returns: `nil` if the bytes are corrupt or the result has a different size.
    func decompress(_ data: Data, size: Int) -> Data? {
        switch self {
        case .zlib: Self.inflate(data, size: size)
        case .zstd: ZstdCodec.decompress(data, size: size)
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
            throw ChunkStorageError.storageUnavailable(reason: "not enough memory to compress a chunk")
        }
        return Int(length) < data.count ? output.prefix(Int(length)) : nil
    }

    private static func inflate(_ data: Data, size: Int) -> Data? {
        // The buffer is one byte longer than the expected result, so that a longer result is detected.
        var length = uLong(size + 1)
        var output = Data(count: size + 1)
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

/// Compresses with libzstd into frames that RFC 8878 defines.
package enum ZstdCodec {
    /// The default level of libzstd.
    package static let defaultLevel: Int32 = 3

    /// Compresses bytes into one frame.
    ///
    /// - Returns: `nil` if the frame would not be smaller than `data`.
    /// - Throws: ``ChunkStorageError/storageUnavailable(reason:)`` if memory is insufficient.
    package static func compress(_ data: Data, level: Int32) throws -> Data? {
        guard !data.isEmpty else { return nil }
        var output = Data(count: ZSTD_compressBound(data.count))
        let count = output.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                ZSTD_compress(output.baseAddress, output.count, input.baseAddress, input.count, level)
            }
        }
        guard ZSTD_isError(count) == 0 else {
            throw ChunkStorageError.storageUnavailable(reason: "libzstd failed to compress a chunk")
        }
        return count < data.count ? output.prefix(count) : nil
    }

    /// Decompresses one frame.
    ///
    /// - Parameter size: The exact size of the result.
    /// - Returns: `nil` if the frame is corrupt or the result has a different size.
    package static func decompress(_ data: Data, size: Int) -> Data? {
        var output = Data(count: size)
        let count = output.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                ZSTD_decompress(output.baseAddress, output.count, input.baseAddress, input.count)
            }
        }
        return ZSTD_isError(count) == 0 && count == size ? output : nil
    }
}

/// The versions of the system libraries that compress chunks.
package enum CompressionLibraries {
    package static var versions: [(name: String, version: String)] {
        [
            ("zlib", String(cString: zlibVersion())), ("zstd", String(cString: ZSTD_versionString())),
        ]
    }
}
