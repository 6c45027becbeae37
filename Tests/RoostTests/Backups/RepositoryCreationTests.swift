import Foundation
import Roost
import RoostChunks
import Synchronization
import TestSupport
import Testing

/// Tests of processes that create the same backup repository at the same time.
@Suite(.temporaryFolders) struct RepositoryCreationTests {
    /// A storage in which another process creates a repository and locks it right after the first check.
    private final class RacingRetrieval: ChunkStorageRetrieval {
        private let base = InMemoryRetrieval()
        private let isFirst = Mutex(true)

        func presence(at path: String) async throws -> Bool {
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard isFirst else { return try await base.presence(at: path) }
            _ = try await BackupRepository.create(in: base)
            try await base.writeChunk(Data("{}".utf8), at: "locks/other", metadata: nil)
            return false
        }

        func readChunk(at path: String) async throws -> Data? { try await base.readChunk(at: path) }

        func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
            try await base.writeChunk(data, at: path, metadata: metadata)
        }

        func chunkExists(at path: String) async -> Bool { await base.chunkExists(at: path) }

        func deleteChunk(at path: String) async throws { try await base.deleteChunk(at: path) }

        func paths(in folder: String) async throws -> [String] { try await base.paths(in: folder) }
    }

    @Test func `a repository that another process has just created is opened`() async throws {
        let retrieval = RacingRetrieval()
        let repository = try await StoreBackup.openOrCreate(in: retrieval, named: "test")
        #expect(try await repository.id == BackupRepository.open(retrieval).id)
    }

    @Test func `no repository is created in a folder without a store`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let error = await #expect(throws: RoostError.self) {
            try await StoreBackup(folder).createAutomatically()
        }
        #expect(error?.code == .noStore)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func `simultaneous calls create one repository in a folder`() async throws {
        for _ in 0..<20 {
            let folder = TemporaryFolder.unusedURL()
            let ids = try await withThrowingTaskGroup(of: UUID.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await StoreBackup.openOrCreate(folder).id }
                }
                return try await group.reduce(into: Set<UUID>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
        }
    }
}
