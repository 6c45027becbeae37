import Foundation
import RoostModel
import RoostStorage
import TestSupport
import Testing

@testable import Roost

/// Tests of archives in JSON Lines that are read in pieces.
@Suite(.temporaryFolders) struct LineImportTests {
    private func store() -> KnowledgeStore {
        KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder(dimension: 16))
    }

    /// Creates a file of entries that is larger than the pieces in which it is read.
    private func file(_ count: Int = 600, changing change: (inout [String]) -> Void = { _ in }) throws -> URL
    {
        let text = String(repeating: "a swift over the roof ", count: 200)
        var lines = (0..<count).map { number in
            let id = "8a3f1e52-0000-4000-8000-" + String(format: "%012d", number)
            return "{\"id\":\"\(id)\",\"content\":\"text \(number)\",\"metadata\":{\"note\":\"\(text)\"}}"
        }
        change(&lines)
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appendingPathComponent("entries.jsonl")
        try Data(lines.joined(separator: "\n").utf8).write(to: url)
        return url
    }

    @Test func `a file is imported like its contents`() async throws {
        let url = try file { lines in
            lines.insert("{\"schemaVersion\":1}", at: 0)
            lines.insert(" \r", at: 300)
        }
        let (pieces, whole) = (store(), store())
        let report = try await pieces.importEntries(from: url)
        #expect(
            report == (try await whole.importEntries(EntryArchive(try Data(contentsOf: url), name: "file"))))
        #expect(report.new == 600 && report.embedded == 600)
        #expect(try await pieces.storage.fetchEntries() == whole.storage.fetchEntries())
        #expect(try await pieces.importEntries(from: url).unchanged == 600)
    }

    @Test func `vectors are imported if the header states the space of the store`() async throws {
        let source = store()
        for number in 0..<3 { try await source.add("text number \(number)") }
        var headed = Data()
        try await source.exportEntries(withEmbeddings: true) { headed += $0 }
        #expect(headed.starts(with: Data("{\"schemaVersion\":1,\"space\":".utf8)))
        let lines = headed.split(separator: UInt8(ascii: "\n"))
        let bare = Data(lines.dropFirst().joined(separator: [10]))
        let long = Data(
            String(decoding: headed, as: UTF8.self).replacing("\"embeddings\":[", with: "\"embeddings\":[9,")
                .utf8)
        for (data, dimension, embedded) in [
            (headed, 16, 0), (headed, 32, 3), (bare, 16, 3), (long, 16, 3),
        ] {
            let target = KnowledgeStore(
                storage: InMemoryStorageProvider(), embedder: LexicalEmbedder(dimension: dimension))
            #expect(try await target.importEntries(EntryArchive(data, name: "file")).embedded == embedded)
            #expect(try await target.count() == 3)
        }
    }

    @Test func `nothing is imported if any line is invalid`() async throws {
        let faults: [(message: String, change: (inout [String]) -> Void)] = [
            ("line 501 is not in the format", { $0[500] = "{\"id\":1}" }),
            ("line 600 is not in the format", { $0[599].removeLast(2) }),
            ("000000000000 twice", { $0[599] = $0[0] }),
            ("format 2 is newer", { $0.insert("{\"schemaVersion\":2}", at: 0) }),
        ]
        for (message, change) in faults {
            let store = store()
            let url = try file(changing: change)
            let error = await #expect(throws: RoostError.self) { try await store.importEntries(from: url) }
            #expect(error?.message.contains(message) == true, "\(String(describing: error))")
            #expect(try await store.count() == 0)
        }
    }

    /// Decoding a large archive takes long, so a server must be able to end it.
    @Test func `reading an archive ends when its task is canceled`() async throws {
        let entry = "{\"id\":\"8a3f1e52-0000-4000-8000-000000000000\",\"content\":\"text\"}"
        let data = Data("\(entry)\n\(entry)".utf8)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try EntryArchive(data, name: "archive")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// Returns a table whose rows have values with separators and line breaks, larger than a piece.
    private func table(separator: String, changing change: (inout [String]) -> Void = { _ in }) throws -> URL
    {
        let columns = [
            "id", "source", "key", "title", "tags", "createdAt", "updatedAt", "metadata", "content",
        ]
        let note = String(repeating: "a swift over the roof ", count: 200)
        return try file(300) { lines in
            lines = lines.indices.map { number in
                let id = "8a3f1e52-0000-4000-8000-" + String(format: "%012d", number)
                let date = "2026-01-01T00:00:00.000Z"
                let metadata = "\"{\"\"note\"\":\"\"\(note)\"\"}\""
                let content = "\"text \(number)\nend\""
                let tags = "\"a;b\""
                return [id, "", "", "", tags, date, date, metadata, content].joined(separator: separator)
            }
            lines.insert("\u{FEFF}" + columns.joined(separator: separator), at: 0)
            change(&lines)
        }
    }

    @Test(arguments: [",", ";"])
    func `a table is imported like its contents`(separator: String) async throws {
        let url = try table(separator: separator)
        let (pieces, whole) = (store(), store())
        let report = try await pieces.importEntries(from: url)
        #expect(
            report == (try await whole.importEntries(EntryArchive(try Data(contentsOf: url), name: "file"))))
        #expect(report.new == 300)
        let entries = try await pieces.storage.fetchEntries()
        #expect(entries == (try await whole.storage.fetchEntries()))
        #expect(entries.first?.tags == ["a", "b"] && entries.first?.content == "text 0\nend")
        #expect(try await pieces.importEntries(from: url).unchanged == 300)
        let faulty = try table(separator: separator) { $0.append("8a3f1e52\(separator)x") }
        let target = store()
        let error = await #expect(throws: RoostError.self) { try await target.importEntries(from: faulty) }
        let fault = "it has 2 fields, but the header has 9; nothing was imported"
        #expect(error?.message.contains(fault) == true)
        #expect(try await target.count() == 0)
    }

    @Test func `rows that continue in the next piece are complete`() throws {
        let bytes = Data("a,\"b\"\"c\r\nd\"\r\n\r\n,\r\"x\"".utf8)
        for size in 1...5 {
            var rows = DelimitedRows(separator: ",", name: "file") { offset, _ in
                bytes.dropFirst(offset).prefix(size)
            }
            var found: [DelimitedRows.Row] = []
            while let row = try rows.next() { found.append(row) }
            #expect(found.map(\.fields) == [["a", "b\"c\r\nd"], ["", ""], ["x"]])
            #expect(found.map(\.line) == [1, 4, 5] && found.map(\.lastLine) == [2, 4, 5])
            #expect(found.map(\.number) == [1, 2, 3])
        }
    }

    @Test func `a change of the file during the import is reported`() async throws {
        let (store, url) = (store(), try file())
        let error = await #expect(throws: RoostError.self) {
            try await store.importEntries(from: url) { done, all in
                #expect(all == 600)
                if done == 256 { truncate(url.path, 0) }
            }
        }
        #expect(error?.message.contains("the first 256 entries are in the store") == true)
        #expect(try await store.count() == 256)
    }

    @Test func `a change that keeps the format of the file is reported`() async throws {
        let (store, url) = (store(), try file())
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: url.path)
        let error = await #expect(throws: RoostError.self) {
            try await store.importEntries(from: url) { done, _ in
                guard done == 256, let file = try? FileHandle(forUpdating: url) else { return }
                // A letter of the text of the last entry.
                _ = try? file.seek(toOffset: file.seekToEnd() - 10)
                try? file.write(contentsOf: Data("x".utf8))
                try? file.close()
            }
        }
        #expect(error?.message.contains("the first 256 entries are in the store") == true)
        #expect(try await store.count() == 256)
    }

    @Test(arguments: [
        "", "\n\n", "[{\"id\":\"x\"}]", "{\n\"schemaVersion\": 1", "id,text,vector\n1,text,[1]\n",
        "a swift\n",
    ])
    func `another file is refused`(text: String) async throws {
        let (store, url) = (store(), try file(0))
        try Data(text.utf8).write(to: url)
        let error = await #expect(throws: RoostError.self) { try await store.importEntries(from: url) }
        #expect(error?.code == .badInput)
    }

    @Test func `lines that continue in the next piece are complete`() throws {
        for size in 1...5 {
            let bytes = Data("a\n\nbc\nlong line".utf8)
            var lines = ByteLines { offset, _ in bytes.dropFirst(offset).prefix(size) }
            var found: [String] = []
            while let line = try lines.next() { found.append(String(decoding: line, as: UTF8.self)) }
            #expect(found == ["a", "", "bc", "long line"] && lines.number == 4)
        }
        var none = ByteLines { _, _ in Data() }
        #expect(try none.next() == nil)
    }

    @Test func `another import of the texts of a database keeps tags, and takes the dates that it states`()
        async throws
    {
        let target = store()
        func importText(_ text: String, _ metadata: [String: MetadataValue]) async throws -> Entry {
            let records = [
                ImportedText(
                    key: "1", text: text, metadata: metadata, updatedAt: Date(timeIntervalSince1970: 1e15))
            ]
            _ = try await target.importEntries(TextArchive(records, source: "llm:/a.db#notes"))
            return try #require(try await target.storage.fetchEntries().first)
        }
        // 2020-01-02 and 2023-11-14 in UTC. A date that cannot be written counts as unknown.
        let (early, late) = (1_577_923_200.0, 1_699_920_000.0)
        func dates(_ entry: Entry) -> [TimeInterval] {
            [entry.createdAt, entry.updatedAt].map(\.timeIntervalSince1970)
        }
        let first = try await importText("a swift", ["created": "2020-01-02"])
        #expect(dates(first) == [early, early] && first.key == "1" && !first.embeddings.isEmpty)
        _ = try await target.update([first.id], EntryChanges(addedTags: ["important"]))
        let second = try await importText("a swift", ["created": "2020-01-02", "updated": "2023-11-14"])
        #expect(dates(second) == [early, late] && second.tags == ["important"] && second.id == first.id)
        // Rows without dates keep those of the store.
        #expect(dates(try await importText("a swift", [:])) == [early, late])
        let changed = dates(try await importText("a swallow", [:]))
        #expect(changed[0] == early && changed[1] > late)
    }
}
