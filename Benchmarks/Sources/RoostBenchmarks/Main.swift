import ArgumentParser
import Foundation
import Roost

@main
struct Main: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "RoostBenchmarks", abstract: "Measures Roost; each figure of Documentation/Benchmarks.md comes from here.",
        subcommands: [Encode.self, Search.self, Neighbors.self, EmbedLines.self, ClusterVectors.self, ColdQuery.self, ShortTexts.self, StorageFiles.self, SQLiteStorage.self, Recluster.self, ClusterQuality.self, RetrievalQuality.self, ChatRecall.self, Conversations.self, WordSearch.self, ExactSearch.self, FilteredSearch.self, SimilarityQuality.self, Backups.self, ChunkExistence.self, TokenIDs.self])
}

/// What is measured with: the user's installed MiniLM and the folder with outside data.
enum Material {
    static func model() throws -> any Embedder { try BERTEmbedder(folder: modelFolder) }

    static var modelFolder: URL {
        let environment = ProcessInfo.processInfo.environment
        let data = environment["XDG_DATA_HOME"] ?? (environment["HOME"] ?? "") + "/.local/share"
        let folder = environment["ROOST_MODELS"] ?? data + "/roost/models"
        return URL(fileURLWithPath: folder).appendingPathComponent("all-MiniLM-L6-v2")
    }

    static var data: URL {
        URL(fileURLWithPath: ProcessInfo.processInfo.environment["ROOST_EVAL"] ?? "../shared/eval")
    }

    struct Row: Decodable, Sendable {
        var id: String
        var text: String
        var label: String?
        var conversation: String?
        var category: Int?
    }

    static func rows(_ path: String) throws -> [Row] {
        try Data(contentsOf: data.appendingPathComponent(path)).split(separator: 10)
            .map { try JSONDecoder().decode(Row.self, from: $0) }
    }

    /// Unit vectors with a seed.
    static func vectors(_ count: Int, _ dimension: Int) -> Matrix {
        var generator = SeededGenerator(seed: 1)
        var matrix = Matrix(
            rows: count, columns: dimension, elements: (0..<count * dimension).map { _ in Float(generator.nextNormal()) })
        matrix.normalizeRows()
        return matrix
    }

    static func now(_ body: () -> Void) -> Double {
        let start = ContinuousClock.now
        body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    static func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// The process's largest resident size so far, in megabytes.
    static var peakMegabytes: Int {
        var usage = rusage()
        getrusage(0, &usage)  // RUSAGE_SELF
        return Int(usage.ru_maxrss) / 1024
    }

    static func line(_ name: String, _ value: Double, _ unit: String) {
        print(name.padding(toLength: 44, withPad: " ", startingAt: 0), String(format: "%10.3f", value), unit)
    }
}

struct Search: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Exact search in memory: milliseconds a query.")

    func run() async throws {
        for count in [2_000, 100_000] {
            let index = FlatIndex(Material.vectors(count, 384))
            let queries = Material.vectors(200, 384)
            let together = try await Material.seconds { _ = try await index.search(queries, k: 10, among: nil) }
            let alone = try await Material.seconds {
                for row in 0..<50 { _ = try await index.search(queries.selecting([row]), k: 10, among: nil) }
            }
            Material.line("\(count) × 384, one query", alone * 1000 / 50, "ms")
            Material.line("\(count) × 384, a query of 200 at once", together * 1000 / 200, "ms")
        }
    }
}

struct Recluster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Spherical k-means on 20,000 × 384 vectors.")

    func run() async throws {
        // Groups with noise, as texts have.
        var vectors = Material.vectors(20_000, 384)
        let centers = Material.vectors(50, 384)
        for row in 0..<vectors.rows {
            for column in 0..<384 { vectors[row, column] += centers[row % 50, column] }
        }
        vectors.normalizeRows()
        for clusters in [20, 50, nil] {
            let time = try await Material.seconds {
                _ = try await SphericalKMeans(clusters: clusters, seed: 1).cluster(vectors)
            }
            Material.line("20,000 × 384, \(clusters.map { "k = \($0)" } ?? "k chosen")", time, "s")
        }
    }
}

struct ClusterQuality: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ingest a labelled set, recluster, and compare with the labels: V-measure.")

    @Option var set = "bbc-news"
    @Option var clusters: Int?
    @Option var seed: UInt64 = 1

    func run() async throws {
        let rows = try Material.rows("clustering/\(set)/data.jsonl")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roost-quality-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try await KnowledgeStore.create(in: folder, embedder: try Material.model())
        let drafts = rows.map { EntryDraft(key: $0.id, content: $0.text, metadata: ["label": .string($0.label ?? "")]) }
        var report = IngestReport()
        let time = try await Material.seconds {
            report = try await store.ingest([SourceDraft(id: set, fingerprint: "1", entries: drafts)])
        }
        Material.line("ingest", Double(report.new) / time, "entries/s")
        Material.line("ingest", Double(report.tokens) / time, "tokens/s")
        let reclustering = try await Material.seconds {
            _ = try await store.recluster(clusters: clusters, seed: seed)
        }
        Material.line("recluster", reclustering, "s")
        let export = try await store.exportClusters()
        var pairs: [(String, String)] = []
        for cluster in export.clusters {
            for member in cluster.members { pairs.append((member.metadata["label"]?.text ?? "", cluster.id)) }
        }
        Material.line("clusters", Double(export.clusters.count), "")
        Material.line("V-measure, seed \(seed)", vMeasure(pairs), "")
        print("peak memory \(Material.peakMegabytes) MB")
        try await store.close()
    }

    /// The harmonic mean of homogeneity and completeness (Rosenberg & Hirschberg 2007).
    func vMeasure(_ pairs: [(String, String)]) -> Double {
        func entropy(_ keys: [String]) -> Double {
            let counts = Dictionary(grouping: keys) { $0 }.mapValues { Double($0.count) / Double(keys.count) }
            return -counts.values.reduce(0) { $0 + $1 * log($1) }
        }
        let (classes, clusters) = (entropy(pairs.map(\.0)), entropy(pairs.map(\.1)))
        let joint = entropy(pairs.map { "\($0.0)\u{1F}\($0.1)" })
        let homogeneity = classes == 0 ? 1 : 1 - (joint - clusters) / classes
        let completeness = clusters == 0 ? 1 : 1 - (joint - classes) / clusters
        return 2 * homogeneity * completeness / max(1e-12, homogeneity + completeness)
    }
}
