import Foundation
import GRDB
import RoostFiles
import RoostModel
import RoostSQLiteSupport
import RoostVectors
import TestSupport
import Testing

@testable import RoostSQLite

/// Tests of the conversion of databases of older formats.
@Suite(.temporaryFolders) struct DatabaseConversionTests {
    /// Returns a copy of the database of a sample store.
    private func sample(_ format: String) throws -> URL {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.copyItem(
            at: Fixtures.folder.appendingPathComponent("Formats/\(format)/sqlite"), to: folder)
        return folder.appendingPathComponent("roost.sqlite")
    }

    private func names(next url: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
    }

    @Test(arguments: ["v1", "v2", "v3", "v4"])
    func `a store that has reached its size limit is converted, and the limit remains`(format: String)
        async throws
    {
        let url = try sample(format)
        let entries = try await {
            let store = try await SQLiteStorageProvider(databaseURL: try sample(format))
            let entries = try await store.fetchEntries()
            try await store.close()
            return entries
        }()
        var options = SQLiteStorageProvider.Options()
        options.maximumSize = 4096
        let store = try await SQLiteStorageProvider(databaseURL: url, options: options)
        #expect(try await store.fetchEntries() == entries && !entries.isEmpty)
        let large = Entry(
            content: String(repeating: "more text ", count: 50_000), embeddings: entries[0].embeddings)
        let error = await #expect(throws: StorageError.self) { try await store.saveEntry(large) }
        #expect(error?.code == .full)
        try await store.close()
    }

    @Test(arguments: [("v1", 2), ("v2", 3), ("v3", 4), ("v4", 5)])
    func `the old file is kept without a copy, and files of interrupted conversions are removed`(
        format: String, number: Int
    ) async throws {
        let url = try sample(format)
        let old = FileIdentity(url)
        let abandoned = "converted-\(UUID().uuidString).sqlite"
        for name in [abandoned, abandoned + "-wal", "converted-notes.sqlite"] {
            let file = url.deletingLastPathComponent().appendingPathComponent(name)
            try Data("abandoned".utf8).write(to: file)
        }
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.close()
        let kept = URL(fileURLWithPath: "\(url.path).before-format-\(number)")
        #expect(FileIdentity(kept) == old && FileIdentity(url) != old)
        #expect(try names(next: url).filter { $0.hasPrefix("converted-") } == ["converted-notes.sqlite"])
        #expect(try await SQLiteStorageProvider.inspect(databaseURL: url).allSatisfy { $0.severity == .note })
    }

    @Test func `a disk with too little space is reported with both sizes`() throws {
        let url = URL(fileURLWithPath: "/some/roost.sqlite")
        try DatabaseConversion.checkSpace(needed: 5_000_000, free: 5_000_000, for: url)
        try DatabaseConversion.checkSpace(needed: 5_000_000, free: nil, for: url)
        let error = #expect(throws: StorageError.self) {
            try DatabaseConversion.checkSpace(needed: 5_000_000, free: 4_200_000, for: url)
        }
        #expect(error?.code == .full && error?.remedy == .freeSpace)
        for part in [url.path, "5.0 MB", "4.2 MB"] { #expect(error?.message.contains(part) == true) }
    }

    @Test(arguments: ["v1", "v2", "v3"])
    func `the error for a damaged database of an older format names the cause`(format: String) async throws {
        let url = try sample(format)
        var data = try Data(contentsOf: url)
        // The pages of tables and indexes after the schema.
        for page in 3..<12 {
            data.replaceSubrange(page * 4096..<page * 4096 + 64, with: repeatElement(0xAA, count: 64))
        }
        try data.write(to: url)
        let error = await #expect(throws: StorageError.self) {
            try await SQLiteStorageProvider(databaseURL: url)
        }
        #expect(error?.code == .damaged, "\(String(describing: error))")
        #expect(error?.message.contains("malformed") == true, "\(String(describing: error))")
        #expect(error?.remedy == .inspectStore)
        #expect(try !names(next: url).contains { $0.hasPrefix("converted-") })
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
            let count = try readers.read { try Meta($0).countEntries($0) }
            try readers.close()
            return count
        }
        let immutable = try DatabaseFile(url, isImmutable: true).openReaders(configuration)
        #expect(try await immutable.read { try Meta($0).countEntries($0) } == 1)
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

    @Test func `filters find the elements of arrays in a database of format 4`() async throws {
        let url = try TemporaryFolder().url.appendingPathComponent("roost.sqlite")
        let entry = Entry(
            content: "a note", embeddings: [1],
            metadata: ["links": ["Birds", 7, "Birds", ["deep"]], "one": "Birds"])
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntry(entry)
        try await store.close()
        // Format 4 had no rows for arrays.
        let configuration = SQLiteStorageProvider.configuration(SQLiteStorageProvider.Options())
        let old = try DatabaseFile(url).openPool(configuration, synchronous: .normal)
        try await old.write { database in
            try database.execute(
                sql: """
                    DELETE FROM entry_metadata WHERE key = CAST('links' AS BLOB);
                    DELETE FROM grdb_migrations WHERE identifier = 'v5';
                    UPDATE meta SET value = '4' WHERE key = 'format';
                    """)
            try Meta.seal(database)
        }
        try old.close()
        let converted = try await SQLiteStorageProvider(databaseURL: url)
        for (condition, count) in [
            (EntryCondition(.metadata("links"), .equals("Birds")), 1),
            (EntryCondition(.metadata("links"), .equals("7.0")), 1),
            (EntryCondition(.metadata("links"), .equals("deep")), 0),
            (EntryCondition(.metadata("links"), .differs("Birds")), 0),
        ] {
            var filter = EntryFilter()
            filter.conditions = [condition]
            #expect(condition.holds(of: entry) == (count == 1))
            let page = try await converted.snapshot().entries(after: nil, limit: 10, matching: filter)
            #expect(page.entries.count == count, "\(condition)")
        }
        try await converted.close()
        #expect(try await SQLiteStorageProvider.inspect(databaseURL: url).allSatisfy { $0.severity == .note })
    }
}
