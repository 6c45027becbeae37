import Foundation
import RoostModel
import TestSupport
import Testing

@testable import Roost

/// Tests of the locations that an ingest records.
@Suite(.temporaryFolders) struct EntryLocationStorageTests {
    private func write(_ text: String, _ name: String) throws -> URL {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file
    }

    @Test func `readers record the lines of rows and of whole files`() async throws {
        let rows = try await RecordReader().read(
            try write("{\"text\": \"a\"}\r\n\r\n{\"text\": \"b\\nc\"}\n", "rows.jsonl"))
        #expect(
            rows.entries.map(\.sourceLocation) == [
                EntryLocation(line: 1, lastLine: 1), EntryLocation(line: 3, lastLine: 3),
            ])
        let table = try await RecordReader().read(
            try write("text,n\r\n\"one\r\ntwo\",1\r\n\r\nthree,2", "table.csv"))
        #expect(
            table.entries.map(\.sourceLocation) == [
                EntryLocation(line: 2, lastLine: 3), EntryLocation(line: 5, lastLine: 5),
            ])
        let note = try await RecordReader().read(try write("# A\n", "note.md"))
        #expect(note.entries.map(\.sourceLocation) == [EntryLocation(line: 1)])
    }

    private func draft(_ fingerprint: String, lines: [Int?]) -> SourceDraft {
        SourceDraft(
            id: "file:///rows.jsonl", fingerprint: fingerprint,
            entries: lines.enumerated().map { number, line in
                EntryDraft(
                    key: "id:\(number)", content: "row \(number)",
                    sourceLocation: line.map { EntryLocation(line: $0, lastLine: $0) })
            })
    }

    @Test(arguments: [StoreManifest.Provider.sqlite, .json])
    func `moved rows keep their vectors and dates`(provider: StoreManifest.Provider) async throws {
        let folder = TemporaryFolder.unusedURL()
        let store = try await KnowledgeStore.create(
            at: folder, provider: provider, embedder: LexicalEmbedder())
        // As in a store of an earlier version, the lines are unknown.
        _ = try await store.ingest([draft("1", lines: [nil, nil])])
        let before = try await store.storage.fetchEntries()
        let report = try await store.ingest([draft("2", lines: [4, 9])])
        #expect(report.unchanged == 2 && report.updated == 0 && report.new == 0)
        var expected = before
        expected[0].location = EntryLocation(line: 4, lastLine: 4)
        expected[1].location = EntryLocation(line: 9, lastLine: 9)
        #expect(try await store.storage.fetchEntries() == expected)
        let revision = try await store.storage.snapshot().stamp.revision
        #expect(try await store.ingest([draft("2", lines: [4, 9])]).unchanged == 2)
        #expect(try await store.storage.snapshot().stamp.revision == revision)
        try await store.close()
        let again = try await KnowledgeStore.open(at: folder) { _ in LexicalEmbedder() }
        #expect(try await again.storage.fetchEntries() == expected)
        let hit = try #require(try await again.search("row").hits.first)
        #expect([4, 9].contains(hit.location.line) && hit.location.source == "file:///rows.jsonl")
        try await again.close()
    }

    @Test func `a change of both metadata and location is an update`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        _ = try await store.ingest([draft("1", lines: [1])])
        var changed = draft("2", lines: [2])
        changed.entries[0].metadata = ["a": 1]
        #expect(try await store.ingest([changed]).updated == 1)
        #expect(try await store.storage.fetchEntries()[0].location?.line == 2)
    }

    @Test func `an export and an import preserve locations`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        _ = try await store.ingest([draft("1", lines: [7])])
        var data = Data()
        try await store.exportEntries(withEmbeddings: false) { data += $0 }
        let copy = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        _ = try await copy.importEntries(data, name: "export")
        #expect(try await copy.storage.fetchEntries()[0].location == EntryLocation(line: 7, lastLine: 7))
    }
}
