import Foundation
import Testing

@testable import Roost

/// Tests of imports whose vectors have an unknown origin.
@Suite struct ImportedVectorTests {
    private func store() -> KnowledgeStore {
        KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
    }

    /// Returns the lines of an export of some texts with vectors.
    private func lines(_ texts: [String]) async throws -> [Data] {
        let store = store()
        for text in texts { _ = try await store.add(text) }
        var data = Data()
        try await store.exportEntries(.jsonl, withEmbeddings: true) { data += $0 }
        return data.split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }

    private func changed(_ line: Data, _ change: ([Double]) -> [Double]) throws -> Data {
        var entry = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
        entry["embeddings"] = change(entry["embeddings"] as? [Double] ?? [])
        entry["passages"] = nil
        return try JSONSerialization.data(withJSONObject: entry)
    }

    @Test func `vectors of another model at the end of joined files are found`() async throws {
        let own = try await lines((0..<70).map { "note \($0)" })
        let other = try await lines((0..<70).map { "a longer text with the number \($0)" })
            .map { try changed($0) { Array($0.reversed()) } }
        let target = store()
        let report = try await target.importEntries(
            Data((own + other).joined(separator: [10])), name: "file")
        #expect((report.new, report.embedded) == (140, 140), "\(report)")
    }

    @Test func `vectors without a stated origin that are not of unit length are computed again`() async throws
    {
        let long = try await lines(["a swift", "a boat"]).map { try changed($0) { $0.map { 3 * $0 } } }
        let target = store()
        let report = try await target.importEntries(Data(long.joined(separator: [10])), name: "file")
        #expect((report.new, report.embedded) == (2, 2), "\(report)")
    }

    @Test func `a date that cannot be written counts as unknown`() async throws {
        let target = store()
        let records = [
            VectorRecord(
                key: "1", text: "a swift", vector: [], metadata: ["created": "2020-01-02"],
                updatedAt: Date(timeIntervalSince1970: 1e15)),
            VectorRecord(
                key: "2", text: "a boat", vector: [], updatedAt: Date(timeIntervalSince1970: 1_700_000_000)),
        ]
        _ = try await target.importVectors(
            VectorArchive(records, source: "llm:#notes"), ignoringVectors: true)
        let entries = try await target.storage.fetchEntries().sorted { $0.createdAt < $1.createdAt }
        #expect(entries.map(\.updatedAt.timeIntervalSince1970) == [1_577_923_200, 1_700_000_000])
        #expect(entries.map(\.createdAt) == entries.map(\.updatedAt))
    }

    @Test func `another import of the same texts keeps their tags`() async throws {
        let target = store()
        let records = [VectorRecord(key: "1", text: "a swift above the roof", vector: [])]
        let archive = VectorArchive(records, source: "llm:#notes")
        _ = try await target.importVectors(archive, ignoringVectors: true)
        let id = try #require(try await target.storage.fetchEntries().first).id
        _ = try await target.addTag("important", to: [id])
        let report = try await target.importVectors(archive, ignoringVectors: true)
        #expect(report.entries.unchanged == 1, "\(report)")
        #expect(try await target.storage.fetchEntries().first?.tags == ["important"])
    }

    @Test func `another import takes the dates that the rows state`() async throws {
        let target = store()
        func importRow(_ text: String, _ metadata: [String: MetadataValue]) async throws -> [TimeInterval] {
            let records = [VectorRecord(key: "1", text: text, vector: [], metadata: metadata)]
            _ = try await target.importVectors(
                VectorArchive(records, source: "vectors:/rows.jsonl"), ignoringVectors: true)
            let entry = try #require(try await target.storage.fetchEntries().first)
            return [entry.createdAt, entry.updatedAt].map(\.timeIntervalSince1970)
        }
        // 2020-01-02 and 2023-11-14 in UTC
        let (early, late) = (1_577_923_200.0, 1_699_920_000.0)
        #expect(try await importRow("a swift", ["created": "2020-01-02"]) == [early, early])
        #expect(try await importRow("a swift", ["created": "2023-11-14"]) == [late, late])
        #expect(
            try await importRow("a swift", ["created": "2020-01-02", "updated": "2023-11-14"])
                == [early, late])
        // Rows without dates keep those of the store.
        #expect(try await importRow("a swift", [:]) == [early, late])
        let changed = try await importRow("a swallow", [:])
        #expect(changed[0] == early && changed[1] > late)
    }
}
