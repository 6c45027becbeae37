import Foundation
import GRDB
import RoostModel
import TestSupport
import Testing

@testable import RoostStorage

/// Tests of the mechanism that brings databases of an earlier format to the current one, with a later format
/// that only these tests know.
@Suite(.temporaryFolders) struct DatabaseFormatTests {
    /// Options with a format in which each entry has a color.
    private var later: SQLiteStorageProvider.Options {
        var options = SQLiteStorageProvider.Options()
        options.schema = Schema(
            steps: Schema.current.steps + [
                { try $0.execute(sql: "ALTER TABLE entries ADD COLUMN color TEXT NOT NULL DEFAULT 'red'") }
            ])
        return options
    }

    @Test(arguments: [nil, 4096]) func `a database of an earlier format is migrated, and a copy is kept`(
        maximumSize: Int?
    ) async throws {
        let url = try TemporaryFolder().url.appendingPathComponent("roost.sqlite")
        let entry = Entry(content: "a note", embeddings: [1], tags: ["t"])
        var store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntry(entry)
        let stamp = try await store.snapshot().stamp
        try await store.close()
        var options = later
        options.maximumSize = maximumSize
        #expect(try await SQLiteStorageProvider.inspect(databaseURL: url, options: options).count == 1)
        store = try await SQLiteStorageProvider(databaseURL: url, options: options)
        #expect(try await store.fetchEntries() == [entry])
        #expect(try await store.snapshot().stamp == stamp)
        try await store.deleteEntry(entry.id)
        try await store.close()
        #expect(try await SQLiteStorageProvider.inspect(databaseURL: url, options: options) == [])
        let queue = try DatabaseQueue(path: url.path)
        #expect(try await queue.read { try Meta($0).format } == "\(Schema.current.format + 1)")
        try queue.close()
        let kept = URL(fileURLWithPath: url.path + ".before-format-\(Schema.current.format + 1)")
        let old = try await SQLiteStorageProvider(databaseURL: kept)
        #expect(try await old.fetchEntries() == [entry])
        try await old.close()
    }

    @Test func `a database of a later format is refused and not changed`() async throws {
        let url = try TemporaryFolder().url.appendingPathComponent("roost.sqlite")
        let store = try await SQLiteStorageProvider(databaseURL: url, options: later)
        try await store.saveEntry(Entry(content: "a note"))
        try await store.close()
        let before = try Data(contentsOf: url)
        let error = await #expect(throws: StorageError.self) {
            try await SQLiteStorageProvider(databaseURL: url)
        }
        #expect(error?.code == .newerFormat && error?.remedy == .upgradeRoost)
        #expect(error?.message.contains("format 2 is newer than this version supports (1)") == true)
        await #expect(throws: StorageError.self) {
            try await SQLiteStorageProvider.repair(databaseURL: url)
        }
        #expect(try Data(contentsOf: url) == before)
    }

    @Test func `a failed step leaves the database in its format`() async throws {
        let url = try TemporaryFolder().url.appendingPathComponent("roost.sqlite")
        let entry = Entry(content: "a note")
        var store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntry(entry)
        try await store.close()
        var options = SQLiteStorageProvider.Options()
        options.schema = Schema(
            steps: Schema.current.steps + [
                { database in
                    try database.execute(sql: "DELETE FROM entries")
                    throw StorageError(.full, "no space")
                }
            ])
        let error = await #expect(throws: StorageError.self) {
            try await SQLiteStorageProvider(databaseURL: url, options: options)
        }
        #expect(error?.code == .full)
        store = try await SQLiteStorageProvider(databaseURL: url)
        #expect(try await store.fetchEntries() == [entry])
        try await store.close()
    }

    @Test func `only the connections that request it treat a file as immutable`() async throws {
        let url = try TemporaryFolder().url.appendingPathComponent("roost.sqlite")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntry(Entry(content: "in the file", embeddings: [1]))
        try await store.compact()
        try await store.saveEntry(Entry(content: "in the log", embeddings: [1]))
        let configuration = SQLiteStorageProvider.configuration(SQLiteStorageProvider.Options())
        func count(_ file: DatabaseFile) throws -> Int {
            let readers = try file.openReaders(configuration)
            let count = try readers.read { try Meta($0).entryCount }
            try readers.close()
            return count
        }
        let immutable = try DatabaseFile(url, isImmutable: true).openReaders(configuration)
        #expect(try await immutable.read { try Meta($0).entryCount } == 1)
        #expect(try count(DatabaseFile(url)) == 2)
        // A new file with the same path, or the same inode, is not affected either.
        try await store.close()
        for suffix in ["", "-wal", "-shm", "-mark"] { unlink(url.path + suffix) }
        try immutable.close()
        let other = try await SQLiteStorageProvider(databaseURL: url)
        for _ in 0..<3 { try await other.saveEntry(Entry(content: "new", embeddings: [1])) }
        #expect(try count(DatabaseFile(url)) == 3)
        try await other.close()
    }
}

/// Databases of other programs are read, and those with endless or huge contents are refused.
@Suite(.temporaryFolders) struct ImportedDatabaseTests {
    /// Returns the database of `llm` with one collection and the given table of embeddings.
    private func database(_ embeddings: String) throws -> LLMDatabase {
        let url = try TemporaryFolder().url.appendingPathComponent("embeddings.db")
        let queue = try DatabaseQueue(path: url.path)
        try queue.write {
            try $0.execute(
                sql: """
                    CREATE TABLE collections (id INTEGER PRIMARY KEY, name TEXT, model TEXT);
                    INSERT INTO collections VALUES (1, 'birds', 'small');
                    \(embeddings);
                    """)
        }
        try queue.close()
        return LLMDatabase(url)
    }

    @Test func `the texts of llm are read with their metadata`() throws {
        let database = try database(
            """
            CREATE TABLE embeddings (
                collection_id INTEGER, id TEXT, embedding BLOB, content TEXT, metadata TEXT, updated INTEGER);
            INSERT INTO embeddings VALUES (1, 'a', x'0000803F00000040', 'a swift', '{"n": 1}', 0);
            INSERT INTO embeddings VALUES (1, 'b', x'0000803F00000040', NULL, NULL, 0)
            """)
        let collection = try #require(try database.collections().first)
        #expect(collection.name == "birds" && collection.recordsWithoutText == 1)
        #expect(collection.records.map(\.text) == ["a swift"])
        #expect(collection.records.map(\.metadata) == [["n": 1]])
    }

    @Test(
        arguments: [
            """
            CREATE TABLE embeddings (
                collection_id INTEGER, id TEXT, embedding BLOB, metadata TEXT, updated INTEGER,
                content TEXT GENERATED ALWAYS AS (printf('%.*c', 100, 'x')) VIRTUAL);
            INSERT INTO embeddings VALUES (1, 'a', x'0000803F', NULL, 0)
            """,
            """
            CREATE VIEW embeddings AS SELECT 1 AS collection_id, 'a' AS id, x'0000803F' AS embedding,
                'a swift' AS content, NULL AS metadata, 0 AS updated
            """,
        ])
    func `views and computed columns in a database of llm are refused`(embeddings: String) throws {
        let database = try database(embeddings)
        let error = #expect(throws: StorageError.self) { try database.collections() }
        #expect(error?.code == .invalidBatch)
    }
}
