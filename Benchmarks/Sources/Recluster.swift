import ArgumentParser
import Foundation
import Roost
import RoostStorage
import RoostVectors

struct Recluster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure spherical k-means of 20,000 × 384 vectors, or a run of a generated store.",
        discussion: """
            With --store, it measures a run over a store of generated vectors, which the first call creates. \
            Compare the groups of two limits with `Benchmarks/Peers/cluster_limits.py`:

              recluster --store /tmp/s --entries 200000 --max-vectors 20000 --out few.txt
              recluster --store /tmp/s --entries 200000 --out all.txt
            """)

    @Option(help: "The folder of a store of generated vectors.") var store: String?
    @Option(help: "The number of its entries.") var entries = 200_000
    @Option(help: "The number of classes of its entries.") var classes = 200
    @Option(help: "The deviation of an entry from its class, relative to that of the classes.") var noise =
        1.5
    @Option(help: "Above this number of vectors, a sample is clustered.") var maxVectors = 1_000_000
    @Option(help: "The file for the class and the group (or -1) of each entry, one line each.")
    var out: String?

    private static let dimension = 384
    private static let batchSize = 1000

    func run() async throws {
        if let store { return try await measure(URL(fileURLWithPath: store)) }
        // Generate groups of similar vectors with noise, as embeddings of texts form them.
        var vectors = Material.vectors(20_000, 384)
        let centers = Material.vectors(50, 384)
        for row in 0..<vectors.rows {
            for column in 0..<384 { vectors[row, column] += centers[row % 50, column] }
        }
        vectors.normalizeRows()
        for clusters in [20, 50] {
            let time = try await Material.seconds {
                _ = try await SphericalKMeans(clusters: clusters, seed: 1).cluster(vectors)
            }
            Material.line("20,000 × 384, k = \(clusters)", time, "s")
        }
    }

    private static func key(_ number: Int) -> Entry.ID {
        EntryID.derived(source: "generated", key: "\(number)")
    }

    private func measure(_ folder: URL) async throws {
        let file = folder.appendingPathComponent("roost.sqlite")
        let exists = FileManager.default.fileExists(atPath: file.path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let storage = try await SQLiteStorageProvider(databaseURL: file)
        if !exists { try await generate(storage) }
        let before = Material.peakMegabytes
        let knowledge = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        let time = try await Material.seconds {
            let report = try await knowledge.recluster(maximumVectors: maxVectors)
            print(
                "\(report.clusters.count) clusters, \(report.outlierCount) outliers; \(report.run.parameters)"
            )
        }
        Material.line("run, at most \(maxVectors) vectors", time, "s")
        print("peak memory \(Material.peakMegabytes) MB, \(before) MB before")
        if let out { try await write(storage, to: out) }
        try await storage.close()
    }

    private func generate(_ storage: any StorageProvider) async throws {
        let centers = Material.vectors(classes, Self.dimension)
        // A component of a random unit vector has this deviation.
        let deviation = noise / Double(Self.dimension).squareRoot()
        var generator = SeededGenerator(seed: 2)
        for start in stride(from: 0, to: entries, by: Self.batchSize) {
            let batch = (start..<min(entries, start + Self.batchSize)).map { number in
                let vector = centers.row(number % classes)
                    .map { $0 + Float(deviation * generator.nextNormal()) }
                return Entry(
                    id: Self.key(number), content: "subject\(number % classes) number\(number)",
                    embeddings: normalized(vector))
            }
            _ = try await storage.commit(WriteBatch(upserts: batch))
        }
    }

    /// Writes the class of each entry, and the number of its group at the top level and of its leaf cluster.
    private func write(_ storage: any StorageProvider, to path: String) async throws {
        let snapshot = try await storage.snapshot()
        let clusters = try await snapshot.clusterRecords()
        let parents = Dictionary(clusters.map { ($0.id, $0.parent) }) { first, _ in first }
        let numbers = Dictionary(uniqueKeysWithValues: clusters.enumerated().map { ($1.id, $0) })
        var lines: [String] = []
        for start in stride(from: 0, to: entries, by: Self.batchSize) {
            let keys = (start..<min(entries, start + Self.batchSize)).map { (Self.key($0), $0 % classes) }
            let assigned = Dictionary(
                try await snapshot.assignments(of: keys.map(\.0)).map { ($0.entry, $0.cluster) }
            ) { first, _ in first }
            for (id, number) in keys {
                guard let leaf = assigned[id] ?? nil else {
                    lines.append("\(number) -1 -1")
                    continue
                }
                var top = leaf
                while let parent = parents[top] ?? nil { top = parent }
                lines.append("\(number) \(numbers[top] ?? -1) \(numbers[leaf] ?? -1)")
            }
        }
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }
}
