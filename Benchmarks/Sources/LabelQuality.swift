import ArgumentParser
import Foundation
import Roost

struct LabelQuality: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare the labels of clusters with the names of the classes of labeled data sets.",
        discussion: """
            Prints the share of entries whose cluster's label contains a word (by stem) of the name of the \
            cluster's most frequent class, the same for the first three words of c-TF-IDF, the mean cosine \
            similarity between labels and members, the share of labels that are different, and the share of \
            labels that stay the same after 1% more entries. In some data sets, the ids of rows are paths \
            that contain the class; they are replaced with numbers unless --paths is given.
            """)

    @Option(help: "The data sets, separated by commas.")
    var sets = "banking77,til-jbranchaud,r8,bbc-news,agnews-test"
    @Option(help: "The seed of the clustering.") var seed: UInt64 = 1
    @Flag(help: "Use the ids of rows as keys, so that labels can contain the names of folders.")
    var paths = false
    @OptionGroup var model: ModelOptions
    @Flag(help: "Print the labels of all clusters.")
    var verbose = false

    func run() async throws {
        for set in sets.split(separator: ",").map(String.init) { try await measure(set) }
    }

    private func measure(_ set: String) async throws {
        let rows = try Material.rows("clustering/\(set)/data.jsonl")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-labels-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = try self.model.open()
        let store = try await KnowledgeStore.create(at: folder, embedder: model)
        // Add about one entry in a hundred after the clustering.
        let later = rows.indices.filter { $0 % 101 == 100 }
        let drafts = rows.enumerated().map { index, row in
            EntryDraft(
                key: paths ? row.id : String(index), content: row.text,
                metadata: ["label": .string(row.label ?? "")])
        }
        let first = rows.indices.filter { $0 % 101 != 100 }.map { drafts[$0] }
        _ = try await store.ingest([SourceDraft(id: set, fingerprint: "1", entries: first)])
        _ = try await store.recluster(seed: seed)
        try await report(set, store.clusters.export(withEmbeddings: true), model)
        let before = try await labels(store)
        _ = try await store.ingest([
            SourceDraft(id: set + " later", fingerprint: "1", entries: later.map { drafts[$0] })
        ])
        _ = try await store.recluster(seed: seed)
        let after = try await labels(store)
        let same = after.count { before[$0.key] == $0.value }
        Material.line(
            "\(set): labels unchanged after 1% more entries", Double(same) / Double(max(1, after.count)), "")
        try await store.close()
    }

    private func labels(_ store: KnowledgeStore) async throws -> [String: String] {
        let clusters = try await store.clusters.export().allClusters
        return Dictionary(clusters.map { ($0.id, $0.label) }) { first, _ in first }
    }

    private func report(_ set: String, _ export: ClusterExport, _ model: any Embedder) async throws {
        let clusters = export.allClusters.filter { !$0.members.isEmpty }
        let texts = clusters.map { $0.members.map(\.content) }
        let words = classTFIDFWords(of: texts, limit: 3)
        var (hits, baselineHits, count) = (0, 0, 0)
        for (cluster, words) in zip(clusters, words) {
            let classes = Dictionary(grouping: cluster.members) { $0.metadata["label"]?.text ?? "" }
            let majority = classes.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.key ?? ""
            let name = stems(of: majority)
            let isHit = !stems(of: cluster.label).isDisjoint(with: name)
            let isBaselineHit = !stems(of: words.joined(separator: " ")).isDisjoint(with: name)
            count += cluster.members.count
            if isHit { hits += cluster.members.count }
            if isBaselineHit { baselineHits += cluster.members.count }
            if verbose {
                print(
                    "\(cluster.members.count)\t\(majority)\t\(cluster.label)\t\(words.joined(separator: ", "))"
                )
            }
        }
        let total = Double(max(1, count))
        Material.line("\(set): label contains a word of the class", Double(hits) / total, "")
        Material.line("\(set): c-TF-IDF, three words", Double(baselineHits) / total, "")
        let unique = Double(Set(clusters.map(\.label)).count) / Double(max(1, clusters.count))
        Material.line("\(set): different labels", unique, "")
        Material.line("\(set): clusters", Double(clusters.count), "")
        try await Material.line("\(set): cosine of label and members", cosine(clusters, model), "")
    }

    /// The mean cosine similarity between entries and the labels of their clusters.
    private func cosine(_ clusters: [ClusterExport.Group], _ model: any Embedder) async throws -> Double {
        var (sum, count) = (0.0, 0)
        for cluster in clusters {
            let label = try await model.embed(cluster.label, as: .document)
            for member in cluster.members {
                sum += zip(label, member.embeddings ?? []).reduce(0) { $0 + Double($1.0) * Double($1.1) }
            }
            count += cluster.members.count
        }
        return sum / Double(max(1, count))
    }
}
