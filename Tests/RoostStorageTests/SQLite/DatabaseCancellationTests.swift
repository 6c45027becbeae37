import Foundation
import GRDB
import RoostModel
import TestSupport
import Testing

@testable import RoostStorage

/// Tests of long calls that are canceled.
@Suite(.temporaryFolders) struct DatabaseCancellationTests {
    @Test func `A canceled vacuum changes nothing, and a later one succeeds`() throws {
        let path = try TemporaryFolder().url.appendingPathComponent("test.sqlite").path
        let pool = try DatabasePool(path: path)
        defer { try? pool.close() }
        try pool.write { database in
            try database.execute(sql: "CREATE TABLE numbers (number INTEGER, text TEXT)")
            for number in 0..<20_000 {
                try database.execute(
                    sql: "INSERT INTO numbers VALUES (?, ?)", arguments: [number, "text \(number)"])
            }
            try database.execute(sql: "DELETE FROM numbers WHERE number >= 10000")
        }
        #expect(throws: CancellationError.self) { try pool.vacuum(isCancelled: { true }) }
        func count() throws -> Int? {
            try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM numbers") }
        }
        func freePages() throws -> Int? {
            try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA freelist_count") }
        }
        #expect(try count() == 10_000)
        #expect(try freePages() ?? 0 > 0)
        try pool.vacuum(isCancelled: { false })
        #expect(try count() == 10_000 && freePages() == 0)
    }

    @Test func `An inspection can be canceled while it reads a table`() async throws {
        let url = try TemporaryFolder().url.appendingPathComponent("test.sqlite")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntries((0..<5000).map { Entry(content: "text \($0)", tags: ["t"]) })
        try await store.close()
        let inspection = DatabaseInspection(DatabaseFile(url), .init(), reportingAs: url.path)
        var calls = 0
        #expect(try inspection.run { false }.allSatisfy { $0.severity == .note })
        #expect(throws: CancellationError.self) {
            try inspection.run {
                calls += 1
                // There are fewer checks, so one of them is interrupted.
                return calls > 30
            }
        }
    }
}
