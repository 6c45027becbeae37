import CZlib
import CZstd
public import Foundation

/// A decorator that compresses chunks before another retrieval stores them.
///
/// The stored bytes identify the algorithm. Chunks that were written with another algorithm, or stored
/// uncompressed because compression did not make them smaller, can therefore always be read. The stored
/// format is:
///
///     magic 4 bytes "RCZ1" · algorithm 1 byte (0 none, 1 zlib, 2 zstd) · size 8 bytes, little-endian · bytes
public struct CompressedRetrieval: ChunkRetrievalDecorator {
    public let wrapped: any ChunkStorageRetrieval
    private let algorithm: CompressionAlgorithm
    private let limit: Int

    private static let magic = Data("RCZ1".utf8)
    private static let headerSize = 13
    /// The maximum compression ratio of DEFLATE: RFC 1951 encodes at most 258 bytes in two bits.
    private static let maximumDeflateRatio = 1032

    /// Creates a decorator.
    ///
    /// - Parameters:
    ///   - wrapped: The retrieval that stores the compressed chunks.
    ///   - algorithm: The algorithm for chunks that are written from now on.
    ///   - limit: The maximum size of an uncompressed chunk, in bytes. A larger chunk is rejected on reading
    ///     before it is decompressed, and on writing. The default is 1 GiB.
    public init(
        wrapped: any ChunkStorageRetrieval, algorithm: CompressionAlgorithm = .zlib, limit: Int = 1 << 30
    ) {
        (self.wrapped, self.algorithm, self.limit) = (wrapped, algorithm, max(0, limit))
    }

    public func readChunk(at path: String) async throws -> Data? {
        guard let stored = try await wrapped.readChunk(at: path) else { return nil }
        return try await Self.decompressed(stored, path, limit)
    }

    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        try await wrapped.writeChunk(await compressed(data, path), at: path, metadata: metadata)
    }

    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        try await wrapped.createChunk(await compressed(data, path), at: path, metadata: metadata)
    }

    /// Returns all chunks without sizes, because those of ``wrapped`` are the sizes of the compressed bytes.
    public func chunks(in folder: String) async throws -> [ListedChunk] {
        try await wrapped.chunks(in: folder).map { ListedChunk(path: $0.path) }
    }

    @concurrent
    private func compressed(_ data: Data, _ path: String) async throws -> Data {
        guard data.count <= limit else { throw ChunkStorageError.tooLarge(path: path, limit: limit) }
        let compressed = try algorithm.compress(data)
        let code: UInt8 =
            switch (compressed, algorithm) {
            case (nil, _): 0
            case (_, .zlib): 1
            case (_, .zstd): 2
            }
        var stored = Self.magic
        stored.append(code)
        withUnsafeBytes(of: UInt64(data.count).littleEndian) { stored.append(contentsOf: $0) }
        return stored + (compressed ?? data)
    }

    @concurrent
    private static func decompressed(_ stored: Data, _ path: String, _ limit: Int) async throws -> Data {
        func corrupt(_ reason: String) -> ChunkStorageError { .corrupt(path: path, reason: reason) }
        let stored = Data(stored)
        guard stored.count >= headerSize, stored.prefix(4) == magic else {
            throw corrupt("it has no valid header of a compressed chunk")
        }
        let claimed = stored.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 5, as: UInt64.self))
        }
        guard claimed <= UInt64(limit) else { throw ChunkStorageError.tooLarge(path: path, limit: limit) }
        let (size, body) = (Int(claimed), stored.dropFirst(headerSize))
        let data: Data? =
            switch stored[4] {
            case 0: body.count == size ? Data(body) : nil
            case 1 where size <= maximumDeflateRatio * (body.count + 1):
                CompressionAlgorithm.zlib.decompress(Data(body), size: size)
            case 2: CompressionAlgorithm.zstd.decompress(Data(body), size: size)
            default: nil
            }
        guard let data else { throw corrupt("it cannot be decompressed") }
        return data
    }
}

/// A compression algorithm for chunks.
public enum CompressionAlgorithm: String, Sendable, Hashable, Codable, CaseIterable {
    /// The zlib format (RFC 1950).
    case zlib
    /// Zstandard (RFC 8878). It compresses better than zlib and is several times as fast.
    case zstd

    /// The level of Zstandard. Higher levels are much slower.
    private static let level: Int32 = 3

    /// Returns the compressed bytes, or `nil` if compression does not make them smaller.
    package func compress(_ data: Data) throws -> Data? {
        guard !data.isEmpty else { return nil }
        let capacity =
            self == .zlib ? Int(compressBound(uLong(data.count))) : ZSTD_compressBound(data.count)
        let compressed = Self.filled(capacity, from: data) { output, input in
            switch self {
            case .zlib:
                var length = uLong(output.count)
                let status = compress2(
                    output.bindMemory(to: UInt8.self).baseAddress, &length,
                    input.bindMemory(to: UInt8.self).baseAddress, uLong(input.count), Z_DEFAULT_COMPRESSION)
                return status == Z_OK ? Int(length) : nil
            case .zstd:
                let length = ZSTD_compress(
                    output.baseAddress, output.count, input.baseAddress, input.count, Self.level)
                return ZSTD_isError(length) == 0 ? length : nil
            }
        }
        guard let compressed else {
            throw ChunkStorageError.storageUnavailable(reason: "not enough memory to compress a chunk")
        }
        return compressed.count < data.count ? compressed : nil
    }

    /// Decompresses bytes.
    ///
    /// - Parameter size: The exact size of the result.
    /// - Returns: `nil` if the bytes are corrupt or the result has a different size.
    package func decompress(_ data: Data, size: Int) -> Data? {
        // The buffer is one byte longer than the expected result, so that a longer result is detected.
        let result = Self.filled(size + 1, from: data) { output, input in
            switch self {
            case .zlib:
                var length = uLong(output.count)
                let status = uncompress(
                    output.bindMemory(to: UInt8.self).baseAddress, &length,
                    input.bindMemory(to: UInt8.self).baseAddress, uLong(input.count))
                return status == Z_OK ? Int(length) : nil
            case .zstd:
                let length = ZSTD_decompress(
                    output.baseAddress, output.count, input.baseAddress, input.count)
                return ZSTD_isError(length) == 0 ? length : nil
            }
        }
        return result?.count == size ? result : nil
    }

    /// Returns the bytes that a function has written to a buffer; `nil` if it returns `nil` instead of their
    /// number.
    private static func filled(
        _ capacity: Int, from data: Data,
        _ fill: (UnsafeMutableRawBufferPointer, UnsafeRawBufferPointer) -> Int?
    ) -> Data? {
        var output = Data(count: capacity)
        let count = output.withUnsafeMutableBytes { output in data.withUnsafeBytes { fill(output, $0) } }
        return count.map { output.prefix($0) }
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
