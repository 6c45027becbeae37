import Foundation
import GRDB
import RoostModel
import TestSupport
import Testing

@testable import RoostStorage

/// Tests of removals that a database forgets.
@Suite(.temporaryFolders) struct TombstoneTests {
    /// The dates of three removals relative to now, in days, and the removals that remain.
    ///
    /// In the last case, the clock was wrong while the first removal was made.
    @Test(
        arguments: [([-60, -50, -1], [2]), ([-1, -1, -1], [0, 1, 2]), ([4000, -60, -1], [0, 2])]
            as [([Int64], [Int])])
    func `old removals are forgotten`(days: [Int64], remaining: [Int]) async throws {
        let url = try TemporaryFolder().url.appendingPathComponent("test.sqlite")
        let entries = (0..<4).map { Entry(content: "text \($0)") }
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntries(entries)
        for entry in entries[..<3] { try await store.deleteEntry(entry.id) }
        try await store.close()
        let now = Date().milliseconds
        let queue = try DatabaseQueue(path: url.path)
        try await queue.write { database in
            for (entry, day) in zip(entries, days) {
                try database.execute(
                    sql: "UPDATE tombstones SET removed = ? WHERE id = ?",
                    arguments: [now + day * 86_400_000, Column.bytes(entry.id)])
            }
        }
        try queue.close()
        let reopened = try await SQLiteStorageProvider(databaseURL: url)
        try await reopened.saveEntry(Entry(content: "new"))
        try await reopened.close()
        let left = try DatabaseQueue(path: url.path)
        let ids = try await left.read { try Set(Data.fetchAll($0, sql: "SELECT id FROM tombstones")) }
        try left.close()
        #expect(ids == Set(remaining.map { Column.bytes(entries[$0].id) }))
    }
}
