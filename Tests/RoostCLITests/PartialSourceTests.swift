import Foundation
import RoostModel
import TestSupport
import Testing

@testable import Roost

/// Tests of files with rows that cannot be read.
@Suite(.temporaryFolders) struct PartialSourceTests {
    private let cli = CommandLineDriver()

    /// A line of JSON Lines that is skipped, and a part of the reason.
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
        #expect(rows.skipped.last?.reason == "21 more rows are invalid")
        #expect(throws: RoostError.self) { try reader.table("text,n\nx\n", separator: ",") }
    }

    @Test func `a table with repeated column names is refused with their names`() throws {
        let reader = RowReader(textColumn: nil, idColumn: nil, name: "t")
        let error = #expect(throws: RoostError.self) {
            try reader.table("text,year,tag,year,tag,year\na,1,2,3,4,5\n", separator: ",")
        }
        #expect(error?.message.contains("(year, tag)") == true, "\(String(describing: error))")
        // Spreadsheets write empty columns without names.
        let rows = try reader.table("text,,\na,,\n", separator: ",")
        #expect(rows.entries.map(\.metadata) == [[:]])
    }
}
