import ArgumentParser
import Foundation
import Roost

struct ColdQuery: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure `roost query` from the start of the process: medians of several runs.")

    @Option(help: "The path of roost, built for release.") var roost = ".build/release/roost"
    @Option(help: "The number of entries in the store.") var entries = 100_000
    @Option(help: "The storage provider: sqlite or json.") var provider = ProviderName.sqlite
    @Option(help: "The number of runs.") var runs = 11
    @Flag(help: "Skip the measurement without an index.") var onlyIndexed = false

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-cold-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = try Material.model()
        let store = try await KnowledgeStore.create(
            at: folder, provider: provider.provider, embedder: model)
        let vectors = Material.vectors(entries, model.space.dimension)
        // Texts of about 125 words with natural word frequencies.
        var mixer = try SentenceMixer(
            sets: ["scifact-train", "cranfield", "cisi", "locomo-3"], seed: 1)
        let time = try await Material.seconds {
            for start in stride(from: 0, to: entries, by: 1000) {
                let batch = (start..<min(entries, start + 1000)).map {
                    Entry(content: "note \($0): " + mixer.passage(), embeddings: vectors.row($0))
                }
                try await store.storage.saveEntries(batch)
            }
        }
        Material.line("saved in batches of 1,000", Double(entries) / time, "entries/s")
        if !onlyIndexed { try await median("without an index", in: folder) }
        let built = try await Material.seconds { try await store.index.build() }
        Material.line("index build", built, "s")
        try await store.close()
        try await opening(in: folder, model, vectors.row(7))
        try await median("with its index", in: folder)
        var usage = rusage()
        getrusage(-1, &usage)  // RUSAGE_CHILDREN
        print("peak memory of a query \(usage.ru_maxrss / 1024) MB")
    }

    /// Measures the time to open the store and run the first search, which maps and verifies the index. The
    /// model is already open.
    private func opening(in folder: URL, _ model: any Embedder, _ vector: [Float]) async throws {
        var (first, second): ([Double], [Double]) = ([], [])
        for _ in 0..<5 {
            var opened: KnowledgeStore?
            first.append(
                try await Material.seconds {
                    let store = try await KnowledgeStore.open(at: folder) { _ in model }
                    _ = try await store.search(EntrySearch(.vector(vector)))
                    opened = store
                })
            second.append(
                try await Material.seconds { _ = try await opened?.search(EntrySearch(.vector(vector))) })
            try await opened?.close()
        }
        Material.line("open and first search by vector", first.sorted()[2] * 1000, "ms")
        Material.line("second search by vector", second.sorted()[2] * 1000, "ms")
    }

    private func median(_ name: String, in folder: URL) async throws {
        var (times, processorTimes): ([Double], [Double]) = ([], [])
        for _ in 0..<runs {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: roost)
            process.arguments = [
                "query", "what are the effects of pressure on heat transfer", "--store", folder.path,
            ]
            process.standardOutput = FileHandle.nullDevice
            let before = Self.childrenProcessorTime
            times.append(
                try await Material.seconds {
                    try process.run()
                    process.waitUntilExit()
                })
            guard process.terminationStatus == 0 else { throw ExitCode(process.terminationStatus) }
            processorTimes.append(Self.childrenProcessorTime - before)
        }
        let label = "\(entries) entries (\(provider.rawValue)), cold query \(name)"
        Material.line("\(label), minimum", (times.min() ?? 0) * 1000, "ms")
        Material.line("\(label), median", times.sorted()[runs / 2] * 1000, "ms")
        Material.line("\(label), processor time", processorTimes.sorted()[runs / 2] * 1000, "ms")
    }

    /// The processor time of all child processes that have ended, in seconds.
    private static var childrenProcessorTime: Double {
        var usage = rusage()
        getrusage(-1, &usage)  // RUSAGE_CHILDREN
        return CallTimes.seconds(usage)
    }
}
