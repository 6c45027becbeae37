import Foundation
import Roost
import RoostChunks
import TestSupport
import Testing

/// Tests of the removal of old automatic backups.
@Suite(.temporaryFolders) struct BackupRetentionTests {
    /// Restores a snapshot and returns the number of entries.
    private func entryCount(of snapshot: BackupSnapshot, in repository: BackupRepository) async throws -> Int
    {
        let folder = TemporaryFolder.unusedURL()
        try await StoreBackup(folder).restore(snapshot, from: repository)
        let store = try await KnowledgeStore.open(in: folder) { _ in LexicalEmbedder() }
        let count = try await store.storage.snapshot().stamp.entryCount
        try await store.close()
        return count
    }

    @Test func `old backups that cannot be removed are reported, and the new backup is valid`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let store = try await KnowledgeStore.create(in: folder, embedder: LexicalEmbedder())
        let backup = StoreBackup(folder)
        /// Changes the store and backs it up.
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
