import Foundation
import RoostModel
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
        #expect(report == (try await whole.importEntries(try Data(contentsOf: url), name: "file")))
        #expect(report.new == 600 && report.embedded == 600)
        #expect(try await pieces.storage.fetchEntries() == whole.storage.fetchEntries())
        #expect(try await pieces.importEntries(from: url).unchanged == 600)
    }

    @Test func `vectors without a header are compared with those of the store`() async throws {
        let source = store()
        for number in 0..<3 { try await source.add("text number \(number)") }
        let url = try file(0)
        for (withHeader, dimension, embedded) in [
            (false, 16, 0), (true, 16, 0), (false, 32, 3), (true, 32, 3),
        ] {
            var bytes = Data()
            try await source.exportEntries(.jsonl, withEmbeddings: true, withHeader: withHeader) {
                bytes += $0
            }
            try bytes.write(to: url)
            let target = KnowledgeStore(
                storage: InMemoryStorageProvider(), embedder: LexicalEmbedder(dimension: dimension))
            #expect(try await target.importEntries(from: url).embedded == embedded)
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

    @Test func `an object or array is read entry by entry, and a fault names the entry`() throws {
        let entries = (1...3).map { number in
            "{\"id\":\"8a3f1e52-0000-4000-8000-00000000000\(number)\",\"content\":\"text \(number)\"}"
        }
        let faults = [
            ("{\"id\":tru}", "entry 3 is not in the format of exported entries (its syntax is invalid)"),
            ("{\"id\":1}", "entry 3 is not in the format of exported entries; nothing"),
            ("{\"id\":NaN}", "line 1: it contains NaN"),
        ]
        for (start, end) in [
            ("[", "]"), ("\u{FEFF} [", "] "), ("{\"schemaVersion\":1,\"entries\":[", "]}"),
            ("{\"entries\" : [", "] , \"space\":null, \"schemaVersion\":1 }"),
            // A comma that remains when a person deletes the last entry.
            ("[", ",\n]"),
        ] {
            func data(_ entries: [String]) -> Data {
                Data((start + entries.joined(separator: ", ") + end).utf8)
            }
            #expect(try EntryArchive(data(entries), name: "file").count == 3)
            if !end.hasPrefix(",") { #expect(try EntryArchive(data([]), name: "file").count == 0) }
            for (fault, message) in faults {
                let damaged = data(entries.prefix(2) + [fault] + entries.suffix(1))
                let error = #expect(throws: RoostError.self) { try EntryArchive(damaged, name: "file") }
                #expect(error?.message.contains(message) == true, "\(String(describing: error))")
            }
        }
        let newer = Data("{\"schemaVersion\":2,\"entries\":[1]}".utf8)
        let refusal = #expect(throws: RoostError.self) { try EntryArchive(newer, name: "file") }
        #expect(refusal?.code == .newerFormat)
        let headless = Data("{\"entries\":[\(entries[0])]}".utf8)
        let error = #expect(throws: RoostError.self) { try EntryArchive(headless, name: "file") }
        #expect(error?.message.contains("its header is not in the format") == true)
    }

    /// Decoding a large archive takes long, so a server must be able to end it.
    @Test(arguments: ["{\"schemaVersion\":1,\"entries\":[ENTRY]}", "[ENTRY]", "[ENTRY,1]", "ENTRY\nENTRY"])
    func `reading an archive ends when its task is canceled`(form: String) async throws {
        let entry = "{\"id\":\"8a3f1e52-0000-4000-8000-000000000000\",\"content\":\"text\"}"
        let data = Data(form.replacing("ENTRY", with: entry).utf8)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try KnowledgeStore.checkImport(data, name: "archive")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// Returns a table whose rows have values with separators and line breaks, larger than a piece.
    private func table(separator: String, changing change: (inout [String]) -> Void = { _ in }) throws -> URL
    {
        let isTabbed = separator == "\t"
        let columns = [
            "id", "source", "key", "title", "tags", "createdAt", "updatedAt", "metadata", "content",
        ]
        let note = String(repeating: "a swift over the roof ", count: 200)
        return try file(300) { lines in
            lines = lines.indices.map { number in
                let id = "8a3f1e52-0000-4000-8000-" + String(format: "%012d", number)
                let date = "2026-01-01T00:00:00.000Z"
                let metadata =
                    isTabbed ? "{\"note\":\"\(note)\"}" : "\"{\"\"note\"\":\"\"\(note)\"\"}\""
                let content = isTabbed ? "text \(number)\\nend" : "\"text \(number)\nend\""
                let tags = isTabbed ? "a;b" : "\"a;b\""
                return [id, "", "", "", tags, date, date, metadata, content].joined(separator: separator)
            }
            lines.insert("\u{FEFF}" + columns.joined(separator: separator), at: 0)
            change(&lines)
        }
    }

    @Test(arguments: [",", ";", "\t"])
    func `a table is imported like its contents`(separator: String) async throws {
        let url = try table(separator: separator)
        let (pieces, whole) = (store(), store())
        let report = try await pieces.importEntries(from: url)
        #expect(report == (try await whole.importEntries(try Data(contentsOf: url), name: "file")))
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
            var found: [DelimitedText.Row] = []
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

    @Test func `other formats are not read in pieces`() throws {
        let url = try file(0)
        let id = "8a3f1e52-0000-4000-8000-000000000001"
        let entry = "{\"id\":\"\(id)\",\"content\":\"text\"}"
        for text in [
            "", "\n\n", "[\(entry)]", "{\"schemaVersion\":1,\"entries\":[\(entry)]}",
            "{\n\"schemaVersion\": 1",
            "id,text,vector\n1,text,[1]\n",
            "{\"id\":\"\(id)\",\"content\":\"text\",\"embedding\":[1]}\n",
            "{\"type\":\"entity\",\"name\":\"Ann\",\"entityType\":\"person\",\"observations\":[]}\n",
        ] {
            try Data(text.utf8).write(to: url)
            #expect(try EntryArchive(contentsOf: url, name: "file") == nil, "\(text)")
        }
        try Data(entry.utf8).write(to: url)
        #expect(try EntryArchive(contentsOf: url, name: "file")?.count == 1)
        #expect(try EntryArchive(contentsOf: url.deletingLastPathComponent(), name: "file") == nil)
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

    @Test func `a sample has entries of each part of a long archive`() {
        var sample = VectorSample()
        func add(_ count: Int) {
            for _ in 0..<count {
                sample.add(Entry(content: String(repeating: "x", count: 9), embeddings: [1, 0]))
            }
        }
        sample.add(Entry(content: "no vector"))
        #expect(sample.entries.isEmpty && sample.dimensions.isEmpty)
        add(64)
        #expect(sample.entries.count == 8)
        add(1)
        #expect(sample.entries.count == 2)
        add(64)
        #expect(sample.entries.count == 3)
        sample.add(Entry(content: "x", embeddings: [1]))
        #expect(sample.dimensions == [1, 2] && sample.entries.last?.content == "x")
    }
}
