import Foundation
import RoostModel
import TestSupport
import Testing

@testable import Roost

@Suite(.temporaryFolders) struct LargeInputTests {
    private let cli = CommandLineDriver()

    /// Returns about the given number of bytes of numbered lines, with an empty line after every tenth.
    private static func text(bytes: Int) -> String {
        var text = ""
        var number = 0
        while text.utf8.count < bytes {
            text += "line \(number) about the swift number \(number &* 2_654_435_761 % 100_003)\n"
            if number % 10 == 9 { text += "\n" }
            number += 1
        }
        return text
    }

    @Test func `a large text becomes several entries, of which an edit changes only one`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("large.txt")
        let text = Self.text(bytes: 5 << 20)
        try Data(("\u{FEFF}" + text).utf8).write(to: file)
        let drafts = try await RecordReader().read(file).entries
        #expect(drafts.count > 4 && drafts.allSatisfy { $0.content.utf8.count <= 1 << 20 })
        #expect(drafts.map(\.content).joined() == text)
        var line = 1
        for draft in drafts {
            #expect(draft.sourceLocation?.line == line && draft.key == nil)
            line += draft.content.utf8.count { $0 == UInt8(ascii: "\n") }
        }
        let edited = "a new first line\n" + text
        try Data(edited.utf8).write(to: file)
        let again = try await RecordReader().read(file).entries
        #expect(again.map(\.content).joined() == edited)
        #expect(Set(drafts.map(\.content)).subtracting(again.map(\.content)).count <= 2)
        // A smaller file still becomes one entry.
        try Data(text.utf8.prefix(2 << 20)).write(to: file)
        let smaller = try await RecordReader().read(file).entries
        #expect(smaller.map(\.key) == [EntryID.wholeFileKey])
    }

    @Test func `a large text without line breaks is cut between characters`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("large.txt")
        let text = String(repeating: "äé漢🐦", count: 250_000)
        try Data(text.utf8).write(to: file)
        let drafts = try await RecordReader().read(file).entries
        #expect(drafts.count >= 3 && drafts.map(\.content).joined() == text)
        var invalid = Data(text.utf8)
        invalid[invalid.count / 2 - invalid.count / 2 % 12] = 0xFF
        try invalid.write(to: file)
        await #expect(throws: RoostError.self) { try await RecordReader().read(file) }
    }

    @Test func `a UTF-16 text is refused before it is decoded if it is too large`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("large.txt")
        var text = Data([0xFF, 0xFE])
        for unit in "swifts in spring".utf16 { text += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        try text.write(to: file)
        #expect(try await RecordReader().read(file).entries.map(\.content) == ["swifts in spring"])
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 65 << 20)
        try handle.close()
        let error = await #expect(throws: RoostError.self) { try await RecordReader().read(file) }
        #expect(error?.code == .badInput && error?.message.contains("larger than 64 MB") == true)
    }

    @Test func `a text that cannot be divided is refused if it is too large`() throws {
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        let text = String(repeating: "a swift ", count: (9 << 20) / 8)
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let added = try cli.roost(["add", "-", "--store=s"], input: text)
        #expect(added.status == 65 && added.error.contains("maximum is 8 MB"), "\(added.error)")
        try Data("{\"text\": \"small\"}\n{\"text\": \"\(text)\"}\n".utf8)
            .write(to: cli.home.appendingPathComponent("t.jsonl"))
        let rows = try cli.roost("ingest", "t.jsonl", "--store=s")
        #expect(rows.output.hasPrefix("1 new") && rows.error.contains("line 2"), "\(rows.error)")
    }

    @Test func `binary files are recognized before they are read completely`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("image.txt")
        for start in ["", "text at the beginning\n"] {
            try Data(start.utf8).write(to: file)
            // A file of this size takes seconds to read and would not fit into the memory of the test.
            #expect(truncate(file.path, 1 << 30) == 0)
            await #expect { try await RecordReader().read(file) } throws: {
                "\($0)".contains("binary") || ($0 as? RoostError)?.message.contains("binary") == true
            }
        }
    }
}

/// Tests of files with rows that cannot be read.
@Suite(.temporaryFolders) struct PartialSourceTests {
    private let cli = CommandLineDriver()

    static let invalidLines: [(line: String, reason: String)] = [
        ("{\"text\":\"a\",\"\(String(repeating: "k", count: 5000))\":1}", "a key longer than 4096 bytes"),
        ("{\"text\":\"a\",\"x\":\(nested(70))}", "nested deeper than 64 levels"),
        ("{\"text\":\"a\",\"x\":\(nested(200))}", "nested too deeply"),
        ("{\"text\":\"a\",\"x\":\(nested(600))}", "nested too deeply"),
        ("{\"text\":\"\\ud800x\"}", "unpaired surrogate at byte 15"),
        ("{\"text\":\"\\ude00\\ud83d\"}", "unpaired surrogate at byte 15"),
        ("{\"text\":\"a\",\"n\":1e999}", "number out of range at byte 21"),
        ("[\"text\"]", "it is an array, not an object"), ("{\"text\":", "not a JSON value at byte 8"),
        ("{\"text\":5}", "no string for the key"), ("7", "it is a single value"),
    ]

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    private func store() -> KnowledgeStore {
        KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder(dimension: 16))
    }

    @Test(arguments: invalidLines.indices)
    func `an invalid line is skipped with its number and cause, and the others are ingested`(
        index: Int
    ) async throws {
        let (line, reason) = Self.invalidLines[index]
        let folder = try TemporaryFolder().url
        try "# A note\n".write(
            to: folder.appendingPathComponent("a.md"), atomically: true, encoding: .utf8)
        let file = folder.appendingPathComponent("rows.jsonl")
        let text = "{\"id\":1,\"text\":\"one\"}\n\(line)\n{\"id\":3,\"text\":\"three \\ud83d\\ude00\"}\n"
        try text.write(to: file, atomically: true, encoding: .utf8)
        let store = store()
        let report = try await store.ingest(folder: folder)
        #expect(report.new == 3, "\(report)")
        #expect(report.skipped.count == 1)
        #expect(report.skipped[0].source.hasSuffix("rows.jsonl, line 2"))
        #expect(report.skipped[0].reason.contains(reason), "\(report.skipped[0].reason)")
        // The line is reported each time, although the file has not changed.
        let again = try await store.ingest(folder: folder)
        #expect(again.unchanged == 3 && again.skipped == report.skipped && again.new + again.updated == 0)
    }

    @Test func `an entry whose line has become invalid is kept until the file can be read again`()
        async throws
    {
        let file = try TemporaryFolder().url.appendingPathComponent("rows.jsonl")
        let store = store()
        func ingest(_ lines: String...) async throws -> IngestReport {
            try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
            return try await store.ingest(folder: file)
        }
        let (one, two) = ("{\"id\":1,\"text\":\"one\"}", "{\"id\":2,\"text\":\"two\"}")
        #expect(try await ingest(one, two).new == 2)
        let partial = try await ingest(one, "{\"id\":2,\"text\":\"two")
        #expect(partial.removed == 0 && partial.unchanged == 1 && partial.skipped.count == 1)
        #expect(try await store.storage.snapshot().stamp.entryCount == 2)
        #expect(try await ingest(one).removed == 1)
    }

    @Test func `entries that a store would reject are skipped wherever they come from`() async throws {
        let store = store()
        let key = String(repeating: "k", count: 5000)
        let draft = SourceDraft(
            id: "custom", fingerprint: "1",
            entries: [
                EntryDraft(key: "a", content: "one"),
                EntryDraft(key: "b", content: "two", metadata: [key: 1], location: "part 2"),
                EntryDraft(key: "c", content: "three", metadata: ["x": .number(.infinity)]),
            ])
        let report = try await store.ingest([draft])
        #expect(report.new == 1 && report.skipped.map(\.source) == ["custom, part 2", "custom"])
    }

    @Test func `rows of a table with a wrong number of fields are skipped, and many are summarized`() throws {
        let reader = RowReader(textColumn: nil, idColumn: nil, name: "t")
        let rows = try reader.table(
            "text,n\n\"one\nline\",1\ntwo\nthree,3\n" + String(repeating: "x\n", count: 40),
            separator: ",")
        #expect(rows.entries.map(\.content) == ["one\nline", "three"])
        #expect(rows.skipped[0].source == "t, row 3 (line 4)")
        #expect(rows.skippedCount == 41 && rows.skipped.count == 21)
        #expect(rows.skipped.last?.reason == "21 more rows are invalid" && rows.skipped.last?.count == 21)
        #expect(throws: RoostError.self) { try reader.table("text,n\nx\n", separator: ",") }
    }

    @Test func `a table with a repeated column name is refused with the name`() throws {
        let reader = RowReader(textColumn: nil, idColumn: nil, name: "t")
        let error = #expect(throws: RoostError.self) {
            try reader.table("text,year,tag,year,tag,year\na,1,2,3,4,5\n", separator: ",")
        }
        #expect(error?.message.contains("year") == true, "\(String(describing: error))")
        // Spreadsheets write empty columns without names.
        #expect(try reader.table("text,,\na,,\n", separator: ",").entries.map(\.metadata) == [[:]])
    }
}

/// Tests of numbers of tokens that would make the process crash.
@Suite struct TokenCountTests {
    @Test func `token counts are limited, so that their sums cannot overflow`() {
        var passage = Passage(ordinal: 0, utf8Range: 0..<1, tokenCount: .max, vector: [])
        #expect(passage.tokenCount == Int(Int32.max))
        passage.tokenCount = .min
        #expect(passage.tokenCount == 0)
    }

    /// An embedder that reports impossible numbers of tokens.
    private struct Boastful: Embedder {
        let inner = LexicalEmbedder(dimension: 16)
        var space: EmbeddingSpace { inner.space }
        var maximumTokens: Int? { nil }
        func tokenRanges(in text: String) -> [Range<Int>] { inner.tokenRanges(in: text) }

        func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
            var result = try await inner.embed(texts, as: role)
            result.tokenCounts = texts.map { _ in .max }
            result.omittedTokens = texts.map { _ in .max }
            return result
        }
    }

    @Test func `impossible numbers of tokens from an embedder do not end the process`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: Boastful())
        let draft = SourceDraft(
            id: "s", fingerprint: "1", entries: (0..<3).map { EntryDraft(content: "text \($0)") })
        let report = try await store.ingest([draft])
        #expect(report.new == 3 && report.tokens > 0)
    }
}
