import Foundation
import Roost
import RoostChunks
import Synchronization
import TestSupport
import Testing

/// Tests of the removal of old automatic backups.
@Suite(.temporaryFolders) struct BackupRetentionTests {
    private func entryCount(of snapshot: BackupSnapshot, in repository: BackupRepository) async throws -> Int
    {
        let folder = TemporaryFolder.unusedURL()
        try await StoreBackup(folder).restore(snapshot, from: repository)
        let store = try await KnowledgeStore.open(at: folder) { _ in LexicalEmbedder() }
        let count = try await store.storage.snapshot().stamp.entryCount
        try await store.close()
        return count
    }

    @Test func `a store's own repository is outside of its folder, and is found when the store is lost`()
        async throws
    {
        let folder = TemporaryFolder.unusedURL().appendingPathComponent("notes/.roost")
        let settings = BackupSettings(folder: TemporaryFolder.unusedURL())
        let store = try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder())
        try await store.close()
        let backup = StoreBackup(folder, settings)
        let repository = backup.ownRepository
        let id = try #require(try StoreManifest.read(in: folder).store)
        #expect(repository.lastPathComponent == "notes-\(id.uuidString.lowercased().prefix(8))")
        #expect(repository.deletingLastPathComponent().path == settings.folder?.path)
        _ = try await backup.createAutomatically()
        #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("backups").path))
        try FileManager.default.removeItem(at: folder)
        #expect(StoreBackup(folder, settings).ownRepository == repository)
        // Another store with the same name makes the choice ambiguous.
        let other = repository.deletingLastPathComponent().appendingPathComponent("notes-01234567")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        #expect(StoreBackup(folder, settings).ownRepository.lastPathComponent == "notes")
    }

    @Test func `old backups that cannot be removed are reported, and the new backup is valid`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let store = try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder())
        let backup = StoreBackup(folder, BackupSettings(folder: TemporaryFolder.unusedURL()))
        func backUp(_ number: Int) async throws -> BackupReport {
            try await store.add("a swift in roof \(number)")
            return try await backup.createAutomatically()
        }
        for number in 0..<6 { #expect(try await backUp(number).retentionFailure == nil) }
        let retrieval = FileSystemRetrieval(baseURL: backup.ownRepository)
        let repository = try await BackupRepository.open(retrieval)
        // The rules keep the last three, and one more if a day has ended during the test.
        #expect(try await repository.snapshots().count <= 4)

        let index = try #require(try await retrieval.paths(in: "index").first)
        try await retrieval.writeChunk(Data("x".utf8), at: index, metadata: nil)
        // If a day has ended during the test, one of these backups may have nothing to remove.
        var failures: [String] = []
        for number in 6..<8 {
            let report = try await backUp(number)
            if let failure = report.retentionFailure { failures.append(failure) }
            #expect(try await repository.snapshot("latest").id == report.snapshot.id)
            #expect(try await entryCount(of: report.snapshot, in: repository) == number + 1)
        }
        #expect(
            failures.contains { $0.contains("is missing or damaged; nothing was removed") }, "\(failures)")
        // Backups that remove nothing need no intact index.
        #expect(try await backup.createAutomatically(forgetsOld: false).retentionFailure == nil)
        try await store.close()
    }
}

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

        func chunks(in folder: String) async throws -> [ListedChunk] { try await base.chunks(in: folder) }
    }

    @Test func `a repository that another process has just created is opened`() async throws {
        let retrieval = RacingRetrieval()
        let repository = try await StoreBackup.openOrCreate(in: retrieval, named: "test")
        #expect(try await repository.id == BackupRepository.open(retrieval).id)
    }

    @Test func `no repository is created in a folder without a store`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let error = await #expect(throws: RoostError.self) {
            try await StoreBackup(folder, BackupSettings(folder: folder)).createAutomatically()
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
