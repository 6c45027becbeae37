import Foundation
import RoostChunks
import RoostRemote
import TestSupport
import Testing

// The code of the guide *Composing a chunk storage*.

private func storeInFolder(_ data: Data, _ folder: URL) async throws -> Data? {
    let storage = ComposableFileSystemChunkStorage(baseURL: folder)
    let identifier = ChunkIdentifier(hashing: data)
    try await storage.writeChunk(data, identifier: identifier, metadata: ChunkMetadata(size: data.count))
    let bytes = try await storage.readChunk(identifier)
    return bytes
}

private func decorated(_ folder: URL, _ key: EncryptionKey) -> any ChunkStorage {
    let base = EncryptedRetrieval(wrapped: FileSystemRetrieval(baseURL: folder), key: key)
    let retrieval = CachedRetrieval(wrapped: CompressedRetrieval(wrapped: base, algorithm: .zstd))
    let storage = ComposedChunkStorage(organization: GitStyleOrganization(), retrieval: retrieval)
    return storage
}

private func inBucket() throws -> any ChunkStorage {
    let credentials = S3Credentials(accessKey: "AKIAEXAMPLE", secretKey: Secret("wJalrEXAMPLEKEY")!)
    let bucket = try S3Bucket(
        "s3://bucket/prefix", endpoint: "https://minio.example:9000", credentials: credentials)
    let storage = ComposedChunkStorage(
        organization: GitStyleOrganization(), retrieval: S3Retrieval(bucket))
    return storage
}

private func migrate(_ names: [ChunkIdentifier], from old: any ChunkStorage, to folder: URL) async throws {
    let new = ComposableFileSystemChunkStorage(baseURL: folder)
    for name in names where try await !new.chunkExists(name) {
        guard let bytes = try await old.readChunk(name) else { continue }
        try await new.writeChunk(bytes, identifier: name, metadata: try await old.metadata(of: name))
    }
}

@Suite(.temporaryFolders) struct ChunkGuideTests {
    private let data = Data("some bytes, some bytes, some bytes".utf8)

    @Test func `the storages of the guide return what was written`() async throws {
        let folder = try TemporaryFolder().url
        #expect(try await storeInFolder(data, folder.appendingPathComponent("plain")) == data)
        let key = EncryptionKey()
        let wrapped = try await ChunkKey.wrapping(key, passphrase: "a long passphrase")
        let storage = decorated(folder.appendingPathComponent("encrypted"), key)
        let name = ChunkIdentifier(hashing: data)
        try await storage.writeChunk(data, identifier: name, metadata: ChunkMetadata(size: data.count))
        let unwrapped = try await wrapped.unwrap(passphrase: "a long passphrase")
        let reopened = decorated(folder.appendingPathComponent("encrypted"), unwrapped)
        #expect(try await reopened.readChunk(name) == data)
        try await migrate([name, ChunkIdentifier(id: "unknown")], from: reopened, to: folder)
        let copied = ComposableFileSystemChunkStorage(baseURL: folder)
        #expect(try await copied.readChunk(name) == data)
        #expect(try await copied.metadata(of: name)?.size == data.count)
    }

    @Test func `a storage in a bucket is composed without a connection`() throws {
        _ = try inBucket()
    }

    /// A negative limit permits no bytes.
    @Test func `a limit below 0 rejects chunks`() async throws {
        let base = InMemoryRetrieval()
        try await CompressedRetrieval(wrapped: base).writeChunk(data, at: "a", metadata: nil)
        let limited = CompressedRetrieval(wrapped: base, limit: -1)
        await #expect(throws: ChunkStorageError.self) { try await limited.readChunk(at: "a") }
    }
}
