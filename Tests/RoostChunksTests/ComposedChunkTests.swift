import Foundation
import Testing

@testable import RoostChunks

struct ComposedChunkTests {
    private struct Shared: ChunkStorageSharing {
        let storage: ComposedChunkStorage

        func readChunk(_ identifier: ChunkIdentifier) async throws -> Data? {
            try await storage.readChunk(identifier)
        }
        func presence(of identifier: ChunkIdentifier) async throws -> Bool {
            try await storage.chunkExists(identifier)
        }
    }

    @Test func `bytes that do not match their digest are neither written nor returned`() async throws {
        let base = InMemoryRetrieval()
        let storage = ComposedChunkStorage(
            organization: GitStyleOrganization(), retrieval: base, isContentAddressed: true)
        let data = Data("some bytes".utf8)
        let name = ChunkIdentifier(hashing: data)
        await #expect(throws: ChunkStorageError.invalidIdentifier(name.id)) {
            try await storage.writeChunk(Data("other".utf8), identifier: name, metadata: nil)
        }
        try await storage.writeChunk(data, identifier: name, metadata: nil)
        #expect(try await storage.readChunk(name) == data)
        let path = GitStyleOrganization().storagePath(for: name)
        try await base.writeChunk(Data("other".utf8), at: path, metadata: nil)
        await #expect(throws: ChunkStorageError.self) { try await storage.readChunk(name) }
    }

    @Test func `shared chunks can be read but not changed`() async throws {
        let shared = ComposedChunkStorage(organization: FlatOrganization(), retrieval: InMemoryRetrieval())
        let name = ChunkIdentifier(id: "shared")
        try await shared.writeChunk(Data("x".utf8), identifier: name, metadata: nil)
        let storage = ComposedChunkStorage(
            organization: FlatOrganization(), retrieval: InMemoryRetrieval(),
            sharing: Shared(storage: shared))
        #expect(try await storage.readChunk(name) == Data("x".utf8))
        #expect(try await storage.chunkExists(name))
        try await storage.deleteChunk(name)
        #expect(try await shared.readChunk(name) == Data("x".utf8))
        try await storage.writeChunk(Data("y".utf8), identifier: name, metadata: nil)
        #expect(try await storage.readChunk(name) == Data("y".utf8))
        #expect(try await shared.readChunk(name) == Data("x".utf8))
    }
}
