import ArgumentParser
import Foundation
import Roost

struct RetrievalQuality: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure nDCG@10 and recall@10 of search by vectors, by words and by both.",
        discussion: """
            The best passage determines the rank of its document. A query that belongs to a conversation is \
            asked of that conversation. Questions without an answer (category 5) are excluded.
            """)

    @Option(help: "The data set, a folder in retrieval/.") var set = "scifact-train"
    @OptionGroup var options: ModelOptions

    func run() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: try options.open())
        let corpus = try Material.rows("retrieval/\(set)/corpus.jsonl")
        let drafts = corpus.map { row in
            EntryDraft(
                key: row.id, content: row.text,
                metadata: row.conversation.map { ["conversation": .string($0)] } ?? [:])
        }
        let time = try await Material.seconds {
            _ = try await store.ingest([SourceDraft(id: set, fingerprint: "1", entries: drafts)])
        }
        Material.line("ingest", Double(corpus.count) / time, "entries/s")
        let relevant = try Self.judgments(of: set)
        let queries = try Material.rows("retrieval/\(set)/queries.jsonl").filter {
            relevant[$0.id] != nil && $0.category != 5
        }
        Material.line("queries", Double(queries.count), "")
        for mode in SearchMode.allCases {
            var (gain, recall, elapsed) = (0.0, 0.0, 0.0)
            for query in queries {
                guard let answers = relevant[query.id] else { continue }
                var search = EntrySearch(query.text)
                search.mode = mode
                if let conversation = query.conversation {
                    search.filter.metadata = ["conversation": conversation]
                }
                var found: [String] = []
                elapsed += try await Material.seconds {
                    found = try await store.search(search).hits.compactMap(\.entry.key)
                }
                let quality = Self.measure(found, answers)
                gain += quality.gain
                recall += quality.recall
            }
            let count = Double(queries.count)
            Material.line("\(mode.rawValue) nDCG@10", gain / count, "")
            Material.line("\(mode.rawValue) recall@10", recall / count, "")
            Material.line("time per query, with embedding", elapsed * 1000 / count, "ms")
        }
    }

    /// Returns nDCG@10 and recall@10 for a ranked list of at most ten documents.
    static func measure(_ found: [String], _ relevant: Set<String>) -> (gain: Double, recall: Double) {
        let hits = found.enumerated().filter { relevant.contains($0.element) }
        let ideal = (0..<min(10, relevant.count)).reduce(0.0) { $0 + 1 / log2(Double($1) + 2) }
        return (
            hits.reduce(0.0) { $0 + 1 / log2(Double($1.offset) + 2) } / ideal,
            Double(hits.count) / Double(relevant.count)
        )
    }

    /// Returns the relevant documents of each query.
    static func judgments(of set: String) throws -> [String: Set<String>] {
        let file = Material.data.appendingPathComponent("retrieval/\(set)/qrels.tsv")
        var relevant: [String: Set<String>] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst() {
            let fields = line.split(separator: "\t").map(String.init)
            if fields.count == 3, (Double(fields[2]) ?? 0) > 0 {
                relevant[fields[0], default: []].insert(fields[1])
            }
        }
        return relevant
    }
}
