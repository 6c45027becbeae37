import Foundation
import GRDB
import RoostModel
import TestSupport
import Testing

@testable import RoostStorage

@Suite(.temporaryFolders) struct SQLiteRepairTests {
    private func entries(_ count: Int) -> [Entry] {
        (0..<count).map {
            Entry(
                content: "text \($0)", embeddings: [1, 0], source: "s\($0)", tags: ["t"],
                createdAt: Date(milliseconds: Int64($0)))
        }
    }

    /// Creates a database with entries, sources and clusters, and closes it.
    private func database(in folder: URL) async throws -> (URL, [Entry]) {
        let url = folder.appendingPathComponent("roost.sqlite")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        let entries = entries(6)
        try await store.saveEntries(entries)
        _ = try await store.commit(
            WriteBatch(sources: entries.map { Source(id: $0.source ?? "", fingerprint: "f") }))
        let clusters = (0..<3).map { Cluster(label: "cluster \($0)") }
        _ = try await store.commit(
            WriteBatch(
                clustering: .init(
                    run: nil, clusters: clusters,
                    assignments: entries.enumerated().map {
                        Assignment(entry: $1.id, target: .cluster(clusters[$0 % 3].id))
                    })))
        try await store.close()
        return (url, entries)
    }

    private func execute(_ url: URL, _ sql: String) throws {
        let queue = try DatabaseQueue(path: url.path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test func `a store whose row numbers are used up refuses new entries and keeps the others`() async throws
    {
        let folder = try TemporaryFolder()
        let (url, entries) = try await database(in: folder.url)
        try execute(url, "UPDATE sqlite_sequence SET seq = \(UInt32.max) WHERE name = 'entries'")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        let error = await #expect(throws: StorageError.self) {
            try await store.saveEntries([Entry(content: "new")])
        }
        #expect(error?.code == .full)
        var changed = entries[0]
        changed.tags = ["changed"]
        try await store.saveEntries([changed])
        #expect(try await store.snapshot().entries(entries.map(\.id)) == [changed] + entries.dropFirst())
        try await store.close()
    }

    @Test func `the count of entries is maintained, and a wrong one is found`() async throws {
        let folder = try TemporaryFolder()
        let (url, entries) = try await database(in: folder.url)
        func recordedCount() throws -> Int? {
            let queue = try DatabaseQueue(path: url.path)
            return try queue.read { try Meta($0).entryCount }
        }
        #expect(try recordedCount() == 6)
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntries([entries[0], Entry(content: "new")])
        try await store.deleteEntry(entries[1].id)
        try await store.deleteEntry(entries[1].id)
        try await store.deleteEntry(entries[2].id)
        #expect(try await store.snapshot().stamp.entryCount == 5)
        _ = try await store.renewEpoch()
        #expect(try await store.snapshot().stamp.entryCount == 5)
        try await store.close()
        #expect(try recordedCount() == 5)
        #expect(try await SQLiteStorageProvider.inspect(databaseURL: url) == [])
        let queue = try DatabaseQueue(path: url.path)
        try await queue.write { database in
            try database.execute(sql: "UPDATE meta SET value = 77 WHERE key = 'entries'")
            try Meta.seal(database)
        }
        try queue.close()
        #expect(try await SQLiteStorageProvider.repair(databaseURL: url).contains { $0.subject == "meta" })
        #expect(try recordedCount() == 5)
    }

    @Test func `an inspection finds tags and metadata that differ from those of the entry only in a letter`()
        async throws
    {
        let folder = try TemporaryFolder()
        let (url, entries) = try await database(in: folder.url)
        let store = try await SQLiteStorageProvider(databaseURL: url)
        var entry = entries[0]
        entry.metadata = ["color": "red"]
        try await store.saveEntry(entry)
        try await store.close()
        #expect(try await SQLiteStorageProvider.inspect(databaseURL: url) == [])
        try execute(url, "UPDATE entry_metadata SET text = CAST('ted' AS BLOB)")
        try execute(url, "UPDATE entry_tags SET tag = CAST('d' AS BLOB) WHERE row = 2")
        let findings = try await SQLiteStorageProvider.inspect(databaseURL: url)
        #expect(findings.map(\.subject) == ["entry_metadata", "entry_tags"])
        _ = try await SQLiteStorageProvider.repair(databaseURL: url)
        #expect(try await SQLiteStorageProvider.inspect(databaseURL: url) == [])
    }

    @Test func `a repair loses the damaged row of each table and no other`() async throws {
        let folder = try TemporaryFolder()
        let (url, entries) = try await database(in: folder.url)
        for sql in [
            "UPDATE vectors SET checksum = 1 WHERE row = 3",
            "UPDATE assignments SET checksum = 1 WHERE row = 4",
            "UPDATE sources SET checksum = 1 WHERE id = X'7334'", "DELETE FROM clusters WHERE position = 2",
            "UPDATE entries SET checksum = 1 WHERE row = 6",
        ] { try execute(url, sql) }
        let findings = try await SQLiteStorageProvider.repair(databaseURL: url)
        #expect(findings.contains { $0.message.contains("without their vectors") })
        let store = try await SQLiteStorageProvider(databaseURL: url)
        let kept = try await store.fetchEntries()
        #expect(kept.map(\.content) == (0..<5).map { "text \($0)" })
        #expect(kept[0] == entries[0])
        #expect(kept[2].embeddings.isEmpty && kept[2].tags == ["t"])
        #expect(try await store.snapshot().sources().map(\.id) == ["s0", "s1", "s2", "s3", "s5"])
        #expect(try await store.fetchClusters().map(\.label) == ["cluster 0", "cluster 2"])
        #expect(
            try await store.snapshot().assignments(of: nil).map(\.entry) == [entries[0].id, entries[2].id])
        try await store.close()
        #expect(try await SQLiteStorageProvider.inspect(databaseURL: url).allSatisfy { $0.severity == .note })
    }

    @Test func `a repair of a truncated database keeps the entries in the intact pages`() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("roost.sqlite")
        var store = try await SQLiteStorageProvider(databaseURL: url)
        // Texts that cannot be compressed fill several hundred pages.
        let entries = (0..<200).map { number in
            let words = (0..<60).map { _ in UUID().uuidString }.joined(separator: " ")
            return Entry(content: "\(number) \(words)", embeddings: [1, 0])
        }
        for start in stride(from: 0, to: 200, by: 50) {
            try await store.saveEntries(Array(entries[start..<start + 50]))
        }
        try await store.close()
        let data = try Data(contentsOf: url)
        try data.prefix(data.count / 8_192 * 4_096).write(to: url)
        let findings = try await SQLiteStorageProvider.repair(databaseURL: url)
        store = try await SQLiteStorageProvider(databaseURL: url)
        let kept = try await store.fetchEntries()
        #expect((20..<190).contains(kept.count))
        #expect(
            kept.allSatisfy { entry in entries.contains { $0.id == entry.id && $0.content == entry.content } }
        )
        let message = "\(200 - kept.count) were lost"
        #expect(findings.contains { $0.subject == "entries" && $0.message == message }, "\(findings)")
        try await store.close()
        #expect(try await SQLiteStorageProvider.inspect(databaseURL: url).allSatisfy { $0.severity == .note })
    }

    @Test(arguments: [200, 2_617, 3_868])
    func `a database that ends inside its schema cannot be repaired, and is kept`(size: Int) async throws {
        let folder = try TemporaryFolder()
        let (url, _) = try await database(in: folder.url)
        let data = try Data(contentsOf: url).prefix(size)
        try data.write(to: url)
        let error = await #expect(throws: StorageError.self) {
            try await SQLiteStorageProvider.repair(databaseURL: url)
        }
        #expect(error?.code == .damaged && error?.remedy == .restoreBackup)
        #expect(try Data(contentsOf: url) == data)
        // Repeated attempts do not fill the disk with copies.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!names.contains { $0.hasPrefix("damaged-") || $0.hasPrefix("repaired-") }, "\(names)")
    }

    @Test func `a repair finds entries with very different row numbers`() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("roost.sqlite")
        let entries = entries(60)
        for (number, last) in [0, 5_000_000, 4_000_000_000].enumerated() {
            let isNew = number == 0
            if !isNew { try execute(url, "UPDATE sqlite_sequence SET seq = \(last) WHERE name = 'entries'") }
            let store = try await SQLiteStorageProvider(databaseURL: url)
            try await store.saveEntries(Array(entries[20 * number..<20 * number + 20]))
            try await store.close()
        }
        try execute(url, "UPDATE entries SET checksum = 1 WHERE row = 5000003")
        let findings = try await SQLiteStorageProvider.repair(databaseURL: url)
        #expect(findings.contains { $0.message == "59 were recovered" }, "\(findings)")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        let contents = (0..<60).filter { $0 != 22 }.map { "text \($0)" }
        #expect(try await store.fetchEntries().map(\.content) == contents)
        try await store.close()
    }

    @Test(arguments: ["", "no database", String(repeating: "x", count: 10_000)])
    func `a file without a database cannot be repaired, and is kept`(contents: String) async throws {
        let folder = try TemporaryFolder()
        let (url, _) = try await database(in: folder.url)
        try Data(contents.utf8).write(to: url)
        let error = await #expect(throws: StorageError.self) {
            try await SQLiteStorageProvider.repair(databaseURL: url)
        }
        #expect(error?.code == .damaged && error?.remedy == .restoreBackup)
        #expect(try Data(contentsOf: url) == Data(contents.utf8))
    }

    @Test(arguments: ["", ".", "nothing.sqlite", "../roost.sqlite", "repaired-1.sqlite"])
    func `a replacement marker that names no database leaves all files unchanged`(name: String) async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("roost.sqlite")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntries(entries(3))
        if name.hasPrefix("repaired") {
            try Data("no database".utf8).write(to: folder.url.appendingPathComponent(name))
        }
        try Data(name.utf8).write(to: URL(fileURLWithPath: url.path + "-replacing"))
        let before = try folder.files()
        let error = await #expect(throws: StorageError.self) {
            try await SQLiteStorageProvider(databaseURL: url)
        }
        #expect(error?.message.contains("-replacing") == true)
        let after = try folder.files()
        #expect(before.allSatisfy { $0.key.hasSuffix("lock") || after[$0.key] == $0.value })
        #expect(try await store.fetchEntries().count == 3)
        try await store.close()
    }

    @Test func `a repair removes the remnants of an interrupted one, and no other files`() async throws {
        let folder = try TemporaryFolder()
        let (url, entries) = try await database(in: folder.url)
        try execute(url, "UPDATE entries SET checksum = 1 WHERE row = 5")
        func write(_ data: Data, _ name: String) throws {
            let file = folder.url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file)
        }
        let remnants = ["repaired-20260101.sqlite", "repaired-20260101.sqlite-wal", "damaged-1/roost.sqlite"]
        // The copy of an earlier state, and files of the user, are kept.
        let others = ["repaired-notes.txt", "damaged-2/roost.sqlite", "damaged-3/other"]
        for name in remnants + others { try write(Data("x".utf8), name) }
        try write(try Data(contentsOf: url), remnants[2])
        _ = try await SQLiteStorageProvider.repair(databaseURL: url)
        let files = try folder.files()
        #expect(remnants.allSatisfy { files[$0] == nil } && others.allSatisfy { files[$0] != nil })
        let copies = files.keys.filter { $0.hasSuffix("/roost.sqlite") && !$0.hasPrefix("damaged-2/") }
        #expect(copies.count == 1, "\(files.keys)")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        #expect(try await store.fetchEntries().count == entries.count - 1)
        try await store.close()
    }

    @Test func `the next process completes an interrupted repair`() async throws {
        let folder = try TemporaryFolder()
        let (url, _) = try await database(in: folder.url)
        let replacement = folder.url.appendingPathComponent("repaired-1.sqlite")
        let other = try await SQLiteStorageProvider(databaseURL: replacement)
        try await other.saveEntry(Entry(content: "repaired", embeddings: [1, 0]))
        try await other.close()
        try Data("repaired-1.sqlite".utf8).write(to: URL(fileURLWithPath: url.path + "-replacing"))
        let store = try await SQLiteStorageProvider(databaseURL: url)
        #expect(try await store.fetchEntries().map(\.content) == ["repaired"])
        #expect(!FileManager.default.fileExists(atPath: url.path + "-replacing"))
        try await store.close()
    }
}
