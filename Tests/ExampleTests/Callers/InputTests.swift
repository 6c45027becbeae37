import Foundation
import Roost
import RoostDocuments
import RoostStorage
import TestSupport
import Testing

/// A reader of `.odd` files, each line of which is the first and the last line of a document.
private struct OddReader: DocumentReader {
    static let type = DocumentType(name: "odd", title: "Odd", extensions: ["odd"], format: .plain)
    var types: [DocumentType] { [Self.type] }

    func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
        let lines = String(decoding: input.data, as: UTF8.self).split(separator: "\n")
        let documents = lines.enumerated().map { number, line in
            let numbers = line.split(separator: " ").map { Int($0) }
            return Document(
                key: "\(number)", text: "document number \(number)", format: .plain,
                createdAt: number == 0 ? .distantPast : .distantFuture,
                location: EntryLocation(line: numbers[0], lastLine: numbers[1]))
        }
        return DocumentContents(documents)
    }
}

/// Tests of unusual values that a program passes to a store.
@Suite(.temporaryFolders) struct InputTests {
    private func store() -> KnowledgeStore {
        KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
    }

    private static func nested(_ depth: Int) -> MetadataValue {
        (0..<depth).reduce(MetadataValue.integer(1)) { value, _ in .array([value]) }
    }

    private static let refusedMetadata: [[String: MetadataValue]] = [
        ["x": .number(.nan)], ["x": [.number(-.infinity)]], ["x": nested(65)], ["x": nested(1000)],
        [String(repeating: "k", count: 5000): 1],
    ]

    /// The error must not be a conflict, after which a program would try again.
    @Test(arguments: refusedMetadata)
    func `metadata that stores reject are reported`(metadata: [String: MetadataValue]) async throws {
        let store = store()
        let error = await #expect(throws: RoostError.self) {
            try await store.add("a text", metadata: metadata)
        }
        #expect(error?.code == .badInput && error?.message.contains("metadata") == true)
        #expect(try await store.count() == 0)
        let added = try await store.add("a text", metadata: ["x": Self.nested(64)])
        var changes = EntryChanges()
        changes.metadata = metadata
        let refusal = await #expect(throws: StorageError.self) { try await store.update(added.id, changes) }
        #expect(refusal?.code == .invalidBatch && refusal?.isRetryable == false)
    }

    @Test(arguments: [Int.min, -1, 0, 1, Int.max]) func `any limit and offset is accepted`(
        number: Int
    ) async throws {
        let store = store()
        for text in ["a swift", "two swifts", "a loaf"] { try await store.add(text) }
        var search = EntrySearch("swift", limit: number)
        #expect(try await store.search(search).hits.count == min(2, max(0, number)))
        (search.limit, search.offset) = (10, number)
        #expect(try await store.search(search).hits.count == max(0, 2 - min(2, max(0, number))))
        let results = try await store.search([EntrySearch("a", limit: number), EntrySearch("b", limit: .max)])
        #expect(results.count == 2)
        #expect(try await store.search("swift").snippetLengths(number).count == 2)
    }

    /// A location that stores reject must not stop the ingest of the other documents.
    @Test func `a document with an impossible location is skipped`() async throws {
        let folder = try TemporaryFolder().url
        let text = "1 2\n0 0\n5 3\n\(Int.max) \(Int.max)\n7 7\n"
        try Data(text.utf8).write(to: folder.appendingPathComponent("a.odd"))
        try Data("another text".utf8).write(to: folder.appendingPathComponent("b.txt"))
        let store = store()
        let readers = DocumentReaders([OddReader()] + DocumentReaders.standard.readers)
        var finder = FileFinder()
        var reader = RecordReader()
        (finder.readers, reader.readers) = (readers, readers)
        let report = try await store.ingest(folder: folder, finder: finder, reader: reader)
        #expect(report.new == 3 && report.skipped.count == 3)
        #expect(report.skipped.allSatisfy { $0.reason.contains("location") })
        let entry = Entry(content: "a\nb", location: EntryLocation(line: .max))
        #expect(entry.sourceLine(ofByte: 2) == nil)
    }

    @Test(arguments: [-1, .min]) func `a negative maximum size is reported`(size: Int) async throws {
        let folder = TemporaryFolder.unusedURL()
        await #expect(throws: RoostError.self) {
            try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder(), maximumSize: size)
        }
        let store = try await KnowledgeStore.openOrCreate(at: folder, model: .lexical)
        #expect(throws: RoostError.self) { try StoreManifest.setMaximumSize(size, in: folder) }
        try await store.close()
        _ = try await KnowledgeStore.openOrCreate(at: folder, model: .lexical).add("a text")
    }
}

extension QueryResult {
    fileprivate func snippetLengths(_ limit: Int) -> [Int] {
        hits.map { snippet(of: $0, limit: limit).utf8Range.count + $0.context(limit).count }
    }
}
