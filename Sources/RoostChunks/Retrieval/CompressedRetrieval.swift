public import Foundation

/// Compresses what another retrieval keeps.
///
/// What is stored says how it was compressed, so that chunks of another algorithm, and those that could not
/// be made smaller, are read all the same:
///
///     magic 4 bytes "RCZ1" · algorithm 1 byte (0 none, 1 zlib, 2 zstd) · size 8 bytes, little-endian · bytes
public struct CompressedRetrieval: ChunkStorageRetrieval {
    private let wrapped: any ChunkStorageRetrieval
    private let algorithm: CompressionAlgorithm
    private let limit: Int

    private static let magic = Data("RCZ1".utf8)
    private static let headerSize = 13
    /// Of zlib's format no byte stands for more (RFC 1951 encodes at most 258 bytes in two bits).
    private static let largestDeflateRatio = 1032

    /// - Parameters:
    ///   - wrapped: keeps the compressed chunks.
    ///   - algorithm: for what is written from now on.
    ///   - limit: no chunk becomes larger than so many bytes when it is read, whatever it says of itself.
    public init(
        wrapped: any ChunkStorageRetrieval, algorithm: CompressionAlgorithm = .zlib, limit: Int = 1 << 30
    ) {
        (self.wrapped, self.algorithm, self.limit) = (wrapped, algorithm, limit)
    }

    public func readChunk(at path: String) async throws -> Data? {
        guard let stored = try await wrapped.readChunk(at: path) else { return nil }
        return try await Self.unpacked(stored, path, limit)
    }

    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        try await wrapped.writeChunk(await packed(data, path), at: path, metadata: metadata)
    }

    public func chunkExists(at path: String) async -> Bool { await wrapped.chunkExists(at: path) }

    public func deleteChunk(at path: String) async throws { try await wrapped.deleteChunk(at: path) }

    public func presence(at path: String) async throws -> Bool { try await wrapped.presence(at: path) }

    public func metadata(at path: String) async throws -> ChunkMetadata? {
        try await wrapped.metadata(at: path)
    }

    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        try await wrapped.createChunk(await packed(data, path), at: path, metadata: metadata)
    }

    public func paths(in folder: String) async throws -> [String] { try await wrapped.paths(in: folder) }

    public func removeLeftovers(in folder: String) async throws {
        try await wrapped.removeLeftovers(in: folder)
    }

    @concurrent
    private func packed(_ data: Data, _ path: String) async throws -> Data {
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
    private static func unpacked(_ stored: Data, _ path: String, _ limit: Int) async throws -> Data {
        func damaged(_ reason: String) -> ChunkStorageError { .corrupt(path: path, reason: reason) }
        let stored = Data(stored)
        guard stored.count >= headerSize, stored.prefix(4) == magic else {
            throw damaged("it was not written compressed")
        }
        let claimed = stored.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 5, as: UInt64.self))
        }
        guard claimed <= UInt64(limit) else { throw ChunkStorageError.tooLarge(path: path, limit: limit) }
        let (size, body) = (Int(claimed), stored.dropFirst(headerSize))
        let data: Data? =
            switch stored[4] {
            case 0: body.count == size ? Data(body) : nil
            case 1 where size <= largestDeflateRatio * (body.count + 1):
                try CompressionAlgorithm.zlib.decompress(Data(body), size: size)
            case 2: try CompressionAlgorithm.zstd.decompress(Data(body), size: size)
            default: nil
            }
        guard let data else { throw damaged("it cannot be decompressed") }
        return data
    }
}
