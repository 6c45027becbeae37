import Foundation
import Testing

@testable import RoostChunks

struct ComposedChunkTests {
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
}
