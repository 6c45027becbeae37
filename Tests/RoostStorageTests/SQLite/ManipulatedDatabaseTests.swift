import Foundation
import GRDB
import RoostModel
import TestSupport
import Testing

@testable import RoostStorage

/// Tests of databases whose numbers another program has changed. Such a number must not end the process.
@Suite(.temporaryFolders) struct ManipulatedDatabaseTests {
    /// Returns a store with an entry after a statement has changed its database.
    private func store(after statement: String) async throws -> SQLiteStorageProvider {
        let url = try TemporaryFolder().url.appendingPathComponent("test.sqlite")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        var entry = Entry(content: "text", embeddings: [1, 0])
        entry.passages = [Passage(ordinal: 0, utf8Range: 0..<4, tokenCount: 1, vector: [1, 0])]
        try await store.saveEntry(entry)
        try await store.close()
        let queue = try DatabaseQueue(path: url.path)
        try await queue.write { try $0.execute(sql: statement) }
        try queue.close()
        return try await SQLiteStorageProvider(databaseURL: url)
    }

    private func isDamage(_ error: any Error) -> Bool { (error as? StorageError)?.code == .damaged }

    @Test(arguments: [Int64.min, -1, 0, 2])
    func `a wrong number of passages is reported`(count: Int64) async throws {
        let store = try await store(after: "UPDATE entries SET passages = \(count)")
        let snapshot = try await store.snapshot()
        await #expect(
            performing: { _ = try await snapshot.vectors(of: .passages, after: nil, limit: 10) },
            throws: isDamage)
        try await store.close()
    }
}
