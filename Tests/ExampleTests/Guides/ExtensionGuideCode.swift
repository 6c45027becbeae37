import Foundation
import Roost
import TestSupport
import Testing

// The code of the guide *Extending Roost*.

/// Represents a text by the numbers of its letters.
struct LetterEmbedder: Embedder {
    let space = EmbeddingSpace(model: "letters", revision: "1", dimension: 26, pooling: "sum")
    let maximumTokens: Int? = 200

    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let rows = texts.map { text in
            var counts = [Float](repeating: 0, count: letters.count)
            for byte in text.lowercased().utf8 where letters.contains(byte) {
                counts[Int(byte - letters.lowerBound)] += 1
            }
            return counts
        }
        var vectors = Matrix(rows, columns: letters.count)
        vectors.normalizeRows()
        return Embeddings(vectors: vectors)
    }
}

/// Reads files of quotations: the author in the first line, and the text below it.
struct QuotationReader: DocumentReader {
    let types = [DocumentType(name: "quotation", title: "Quotation", extensions: ["quo"], format: .plain)]

    func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
        guard let file = String(data: input.data, encoding: .utf8) else {
            throw DocumentError.damaged("it is not text in UTF-8")
        }
        let parts = file.split(separator: "\n", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw DocumentError.damaged("it has no text below the author") }
        return [
            Document(text: parts[1], format: .plain, metadata: ["author": .string(parts[0])])
        ]
    }
}

/// Groups vectors by their greatest component.
struct ComponentClusterer: Clusterer {
    let algorithm = "greatest component"

    func cluster(_ vectors: Matrix) async throws -> Partition {
        var numbers: [Int: Int] = [:]
        let groups = (0..<vectors.rows).map { row -> Int in
            let values = vectors.row(row)
            let greatest = values.indices.max { values[$0] < values[$1] } ?? 0
            let next = numbers.count
            numbers[greatest] = numbers[greatest] ?? next
            return numbers[greatest] ?? next
        }
        return Partition(groups: groups, of: vectors)
    }
}

/// Labels a cluster with its first two keywords.
struct KeywordLabeler: ClusterLabeler {
    let name = "two keywords"

    func label(_ excerpt: ClusterExcerpt) async throws -> String {
        excerpt.keywords.prefix(2).joined(separator: " and ")
    }
}

@Suite(.temporaryFolders) struct ExtensionGuideTests {
    private func openStore(_ folder: URL) async throws -> KnowledgeStore {
        let store = try await KnowledgeStore.openOrCreate(at: folder, model: .embedder(LetterEmbedder()))
        return store
    }

    private func ingest(_ folder: URL, into store: KnowledgeStore) async throws -> IngestReport {
        var reader = RecordReader()
        reader.readers.readers.insert(QuotationReader(), at: 0)
        let report = try await store.ingest(folder: folder, reader: reader)
        return report
    }

    private func cluster(
        _ store: KnowledgeStore
    ) async throws -> (run: ReclusterReport, labels: ClusterLabelingReport) {
        let run = try await store.recluster(with: ComponentClusterer())
        let requests = try await store.clusters.labelingRequests()
        let labels = try await store.clusters.label(with: KeywordLabeler(), requests)
        return (run, labels)
    }

    @Test func `components of a program work together`() async throws {
        let folder = try TemporaryFolder().url
        let quotations = [
            ("a.quo", "Ada\nzebra jazz puzzle zigzag"), ("b.quo", "Bob\nbuzz pizza razzle"),
            ("c.quo", "Cy\nmammal hammock mummy"), ("d.quo", "no text"), ("e.txt", "momentum memory"),
        ]
        for (name, text) in quotations {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        let store = try await openStore(TemporaryFolder.unusedURL())
        let report = try await ingest(folder, into: store)
        #expect(report.new == 4 && report.skipped.map(\.reason) == ["it has no text below the author"])
        #expect(try await store.count(matching: [.metadata("author") == "Ada"]) == 1)
        let hit = try #require(try await store.search("pizza").hits.first)
        #expect(hit.entry.content == "buzz pizza razzle")
        let (run, labels) = try await cluster(store)
        #expect(run.clusters.map(\.members.count) == [2, 2])
        #expect(run.run.algorithm == "greatest component")
        #expect(labels.labeled.count == 2 && labels.failure == nil)
        #expect(try await store.clusters.all().allSatisfy { $0.labeledBy == "two keywords" })
        try await store.close()
    }
}
