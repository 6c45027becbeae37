import Foundation
import RoostModel
import TestSupport
import Testing

@testable import Roost

/// Tests of exported entries that another program has read and written again.
@Suite(.temporaryFolders) struct ChangedArchiveTests {
    private static let id = "8A3F1E52-0000-4000-8000-000000000001"
    private static let time = "2026-01-31T09:00:00.250Z"

    private func store() -> KnowledgeStore {
        KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder(dimension: 16))
    }

    private func entry() throws -> Entry {
        let date = try #require(DateText.date(from: Self.time))
        return Entry(
            id: try #require(UUID(uuidString: Self.id)), content: "=one/two\nü", source: "file:///a/b.csv",
            key: "id:1", metadata: ["n": 5, "path": "x/y", "none": .null], tags: ["a", "b c"],
            createdAt: date, updatedAt: date)
    }

    /// Rows with the values of ``entry()`` in the forms of data frames.
    private static let rows = [
        // JSON Lines of Roost: another order of the keys, escaped slashes and null.
        #"{"content":"=one\/two\nü","embeddings":[],"passages":null,"location":null,"id":"\#(id)","#
            + #""key":"id:1","source":"file:\/\/\/a\/b.csv","tags":["b c","a"],"createdAt":"\#(time)","#
            + #""metadata":{"n":5.0,"path":"x\/y","none":null},"updatedAt":"\#(time)"}"#,
        // CSV of Roost: all values are texts, and a formula has an apostrophe.
        #"{"id":"\#(id)","source":"file:\/\/\/a\/b.csv","key":"id:1","title":"one","tags":"a;b c","#
            + #""createdAt":"\#(time)","updatedAt":"2026-01-31 09:00:00.250+00:00","#
            + #""metadata":"{\"n\":5,\"path\":\"x\\\/y\",\"none\":null}","content":"'=one\/two\nü","#
            + #""embedding":null}"#,
        // Parquet of Roost: lists, and dates as numbers.
        #"{"id":"\#(id)","source":"file:\/\/\/a\/b.csv","key":"id:1","title":"one","tags":["a","b c"],"#
            + #""createdAt":1769850000250,"updatedAt":1769850000250,"#
            + #""metadata":"{\"n\":5,\"path\":\"x\/y\",\"none\":null}","content":"=one\/two\nü","#
            + #""embedding":[]}"#,
        // The same with microseconds.
        #"{"id":"\#(id)","source":"file:\/\/\/a\/b.csv","key":"id:1","title":"one","tags":["a","b c"],"#
            + #""createdAt":1769850000250000,"updatedAt":1769850000250000,"#
            + #""metadata":"{\"n\":5,\"path\":\"x\/y\",\"none\":null}","content":"=one\/two\nü","#
            + #""embedding":[]}"#,
    ]

    @Test(arguments: rows) func `an entry keeps its id, tags, dates and metadata`(row: String) async throws {
        let expected = try entry()
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in [
            ("rows.jsonl", row + "\n"), ("rows.json", "[\(row)]"),
            ("entries.json", "{\"schemaVersion\":1,\"entries\":[\(row)]}"),
        ] {
            let url = folder.appendingPathComponent(name)
            try Data(text.utf8).write(to: url)
            #expect(try VectorArchive(Data(text.utf8), name: name, source: "x") == nil, "\(name)")
            let store = store()
            #expect(try await store.importEntries(from: url).new == 1)
            var found = try #require(try await store.storage.fetchEntries().first)
            #expect(!found.embeddings.isEmpty)
            (found.embeddings, found.passages) = ([], [])
            #expect(found == expected, "\(name)")
            #expect(try await store.importEntries(from: url).unchanged == 1)
        }
    }

    @Test(arguments: [
        (Int64(63_072_000_250), Int64(1_769_850_000_250)), (63_072_000_250_000, 1_769_850_000_250_000),
        (-63_072_000_250, 1_769_850_000_250),
    ])
    func `the dates of a row have one unit`(created: Int64, updated: Int64) async throws {
        let row = Self.rows[2]
            .replacing("\"createdAt\":1769850000250", with: "\"createdAt\":\(created)")
            .replacing("\"updatedAt\":1769850000250", with: "\"updatedAt\":\(updated)")
        let store = store()
        #expect(try await store.importEntries(Data(row.utf8), name: "rows.jsonl").new == 1)
        let found = try #require(try await store.storage.fetchEntries().first)
        let expected = created < 0 ? "1968-01-01T23:59:59.750Z" : "1972-01-01T00:00:00.250Z"
        #expect(DateText.string(from: found.createdAt) == expected)
        #expect(DateText.string(from: found.updatedAt) == Self.time)
    }

    @Test func `vectors of a data frame are imported, and long texts keep their passages`() async throws {
        let source = store()
        try await source.add("a swift above the roof")
        try await source.add(String(repeating: "Green tea is steeped twice. ", count: 400))
        let entries = try await source.storage.fetchEntries()
        #expect(entries.contains { $0.passages.count > 1 })
        let lines = try entries.map { entry in
            let values: [String: MetadataValue] = [
                "id": .string(entry.id.text), "source": entry.source.map { .string($0) } ?? .null,
                "key": entry.key.map { .string($0) } ?? .null, "title": "x", "tags": .null,
                "createdAt": .string(DateText.string(from: entry.createdAt)),
                "updatedAt": .string(DateText.string(from: entry.updatedAt)),
                "metadata": .object(entry.metadata), "content": .string(entry.content),
                "embedding": .string("\(entry.embeddings)"),
            ]
            return String(decoding: try JSONEncoder().encode(values), as: UTF8.self)
        }
        let data = Data(lines.joined(separator: "\n").utf8)
        let again = try await source.importEntries(data, name: "rows.jsonl")
        #expect(again.unchanged == 2 && again.embedded == 0)
        // The rows have no passages, so only the short text keeps its vector in another store.
        let target = store()
        let report = try await target.importEntries(data, name: "rows.jsonl")
        #expect(report.new == 2 && report.embedded == 1)
        #expect(try await target.storage.fetchEntries().map(\.embeddings) == entries.map(\.embeddings))
    }

    @Test func `a faulty value is named with its line`() async throws {
        let faults = [
            (#""2026-01-31 09:00:00.250+00:00""#, #""soon""#, "line 2: its updatedAt is not a time"),
            (#""updatedAt":"2026"#, #""updatedAt":null,"x":"2026"#, "line 2: its updatedAt is not a time"),
            (#""embedding":null"#, #""embedding":"[1,x]""#, "line 2: its embedding is not a JSON array"),
            (#""content":"'=one\/two\nü""#, #""content":null"#, "line 2: its content is null"),
            (#""content":"'=one\/two\nü""#, #""content":"""#, "line 2: its content is empty"),
            (#""metadata":"{"#, #""metadata":"[{"#, "line 2: its metadata is not a JSON object"),
        ]
        for (value, replacement, message) in faults {
            let faulty = Self.rows[1].replacing(value, with: replacement)
            #expect(faulty != Self.rows[1])
            let store = store()
            let first = Self.rows[0].replacing("000001", with: "000002")
            let error = await #expect(throws: RoostError.self) {
                try await store.importEntries(Data("\(first)\n\(faulty)".utf8), name: "rows.jsonl")
            }
            #expect(error?.message.contains(message) == true, "\(String(describing: error))")
            let reason = message.dropFirst("line 2: ".count)
            for text in ["[\(first),\(faulty)]", "{\"schemaVersion\":1,\"entries\":[\(first),\(faulty)]}"] {
                let error = await #expect(throws: RoostError.self) {
                    try await store.importEntries(Data(text.utf8), name: "rows.json")
                }
                let found = error?.message ?? ""
                #expect(found.contains("entry 2 is not") && found.contains(reason), "\(found)")
            }
            #expect(try await store.count() == 0)
        }
    }

    @Test func `the share of a file that is checked is reported`() throws {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appendingPathComponent("rows")
        let long = String(repeating: "x", count: 1 << 20)
        // The first line of a file in JSON Lines is short.
        let rows = (1...4).map { number in
            Self.rows[0].replacing("000001", with: "00000\(number)")
                .replacing("x\\/y", with: number == 1 ? "x" : long)
        }
        let table =
            "id,source,key,title,tags,createdAt,updatedAt,metadata,content\n"
            + "\(Self.id),,,,,\(Self.time),\(Self.time),{},\(long + long + long)\n"
        for (text, count) in [(rows.joined(separator: "\n"), 4), (table, 1)] {
            try Data(text.utf8).write(to: url)
            var shares: [Double] = []
            #expect(try EntryArchive(contentsOf: url, name: "rows") { shares.append($0) }?.count == count)
            #expect(shares == shares.sorted() && shares.last == 1 && shares.count > 3)
            #expect(shares.contains { (0.2...0.8).contains($0) }, "\(shares)")
        }
    }
}
