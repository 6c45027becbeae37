import Foundation
import GRDB
import RoostModel
import RoostVectors
import TestSupport
import Testing

@testable import RoostStorage

/// Tests that a page of a database with changed bytes, or at the wrong position, is never used.
@Suite(.temporaryFolders) struct PageChecksumTests {
    private let pageSize = 4096

    /// Creates a closed database whose indexes and tables for filters have several pages each.
    private func database(in folder: URL, _ name: String = "roost.sqlite") async throws -> URL {
        let url = folder.appendingPathComponent(name)
        let store = try await SQLiteStorageProvider(databaseURL: url)
        let entries = (0..<400).map { (number: Int) -> Entry in
            let year = Int64(1900 + number % 50)
            return Entry(
                content: "note \(number)", embeddings: [1, 0], source: "source \(number % 7)",
                metadata: ["year": .integer(year), "place": .string("roof \(number)")],
                tags: ["tag \(number % 5)", "all"], createdAt: Date(milliseconds: Int64(number)))
        }
        try await store.saveEntries(entries)
        try await store.close()
        return url
    }

    /// The answers of a store that depend on its indexes and its tables for filters.
    private func answers(_ url: URL) async throws -> [String] {
        let store = try await SQLiteStorageProvider(databaseURL: url)
        let snapshot = try await store.snapshot()
        var filters = [EntryFilter(tags: ["tag 3"]), EntryFilter(metadata: ["year": "1907"])]
        filters.append(EntryFilter(sources: ["source 2"]))
        var answers: [String] = []
        for filter in filters {
            answers.append("\(try await snapshot.rows(matching: filter).sorted())")
        }
        let page = try await store.changes(after: .start, limit: .max)
        answers.append("\(page)")
        try await store.close()
        return answers
    }

    private func damaged(_ data: Data, _ folder: URL) async throws -> (URL, Result<[String], StorageError>) {
        let url = folder.appendingPathComponent("damaged-\(UUID().uuidString).sqlite")
        try data.write(to: url)
        do {
            return (url, .success(try await answers(url)))
        } catch let error as StorageError {
            return (url, .failure(error))
        }
    }

    @Test func `a changed bit is reported or has no effect`() async throws {
        let folder = try TemporaryFolder()
        let url = try await database(in: folder.url)
        let expected = try await answers(url)
        let intact = try Data(contentsOf: url)
        var generator = Seeded(state: 7)
        var reported = 0
        // Every page is changed at least once.
        for round in 0..<max(150, intact.count / pageSize) {
            var data = intact
            let page = round % (intact.count / pageSize)
            let offset = page * pageSize + Int(generator.next() % UInt64(pageSize))
            data[offset] ^= UInt8(1 << (generator.next() % 8))
            let (file, result) = try await damaged(data, folder.url)
            switch result {
            case .success(let found): #expect(found == expected, "byte \(offset)")
            case .failure(let error):
                reported += 1
                #expect(error.code == .damaged, "byte \(offset): \(error)")
            }
            let findings = try await SQLiteStorageProvider.inspect(databaseURL: file)
            #expect(findings.contains { $0.severity == .damage }, "byte \(offset): the inspection")
        }
        #expect(reported > 20)
    }

    @Test func `a page at the wrong position is reported`() async throws {
        let folder = try TemporaryFolder()
        let url = try await database(in: folder.url)
        let expected = try await answers(url)
        let intact = try Data(contentsOf: url)
        let count = intact.count / pageSize
        func page(_ number: Int) -> Data { intact[number * pageSize..<(number + 1) * pageSize] }
        var copies: [Data] = []
        for number in stride(from: 1, to: count - 1, by: 3) {
            // Two pages are exchanged, a page is inserted, and a page is removed.
            let before = intact.prefix(number * pageSize)
            let exchanged = page(number + 1) + page(number)
            copies.append(before + exchanged + intact.dropFirst((number + 2) * pageSize))
            copies.append(before + page(number) + intact.dropFirst(number * pageSize))
            copies.append(before + intact.dropFirst((number + 1) * pageSize))
        }
        for (number, data) in copies.enumerated() {
            let (file, result) = try await damaged(data, folder.url)
            if case .success(let found) = result { #expect(found == expected, "copy \(number)") }
            let findings = try await SQLiteStorageProvider.inspect(databaseURL: file)
            #expect(findings.contains { $0.severity == .damage }, "copy \(number)")
        }
    }

    @Test func `a repair keeps the intact rows of a damaged page`() async throws {
        let folder = try TemporaryFolder()
        let url = try await database(in: folder.url)
        var data = try Data(contentsOf: url)
        let text = try #require(data.range(of: Data("note 17".utf8)))
        data[text.lowerBound] ^= 1
        try data.write(to: url)
        let error = await #expect(throws: StorageError.self) {
            let store = try await SQLiteStorageProvider(databaseURL: url)
            return try await store.fetchEntries()
        }
        #expect(error?.code == .damaged && error?.message.contains("checksum of a page") == true)
        let findings = try await SQLiteStorageProvider.repair(databaseURL: url)
        #expect(findings.contains { $0.message.contains("1 were lost") }, "\(findings)")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        #expect(try await store.fetchEntries().count == 399)
        try await store.close()
        #expect(try await SQLiteStorageProvider.inspect(databaseURL: url) == [])
    }

    @Test func `a header that does not declare the checksums is damage`() async throws {
        let folder = try TemporaryFolder()
        let url = try await database(in: folder.url)
        var data = try Data(contentsOf: url)
        // The application id, https://sqlite.org/fileformat2.html#application_id.
        data[70] ^= 1
        try data.write(to: url)
        let error = await #expect(throws: StorageError.self) {
            try await SQLiteStorageProvider(databaseURL: url)
        }
        #expect(error?.code == .damaged && error?.message.contains("header") == true, "\(error as Any)")
        let findings = try await SQLiteStorageProvider.inspect(databaseURL: url)
        #expect(findings.contains { $0.message.contains("header") }, "\(findings)")
        _ = try await SQLiteStorageProvider.repair(databaseURL: url)
        let store = try await SQLiteStorageProvider(databaseURL: url)
        #expect(try await store.fetchEntries().count == 400)
        try await store.close()
    }

    @Test func `compacted databases have checksums, and databases of other programs are unchanged`()
        async throws
    {
        let folder = try TemporaryFolder()
        let url = try await database(in: folder.url)
        let before = try await answers(url)
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.compact()
        try await store.close()
        func isChecksummed(_ url: URL) throws -> Bool {
            let queue = try DatabaseQueue(path: url.path)
            let ok = try queue.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
            #expect(ok == "ok")
            return try queue.read { try PageChecksums.report($0).isChecksummed }
        }
        #expect(try isChecksummed(url))
        #expect(try await answers(url) == before)
        let foreign = folder.url.appendingPathComponent("foreign.sqlite")
        let queue = try DatabaseQueue(path: foreign.path)
        try await queue.write { database in
            try database.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(9999))")
        }
        try queue.close()
        #expect(try !isChecksummed(foreign))
        #expect(try Data(contentsOf: foreign)[20] == 0)
    }
}
