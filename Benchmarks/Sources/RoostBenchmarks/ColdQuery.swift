import ArgumentParser
import Foundation
import Roost

struct ColdQuery: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Seconds of `roost query` from process start over stored entries. Median of five.")

    @Option(help: "The command, built for release.") var roost = ".build/release/roost"
    @Option var entries = 100_000
    @Option(help: "sqlite or json.") var provider = StoreManifest.Provider.sqlite
    @Flag(help: "Do not time queries without an index.") var onlyIndexed = false

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roost-cold-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = try Material.model()
        let store = try await KnowledgeStore.create(in: folder, provider: provider, embedder: model)
        let vectors = Material.vectors(entries, model.space.dimension)
        // Texts of about 125 words, as frequent as they are in language.
        var mixer = try SentenceMixer(sets: ["scifact-train", "cranfield", "cisi", "locomo-3"], seed: 1)
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
        let built = try await Material.seconds { try await store.buildIndex() }
        Material.line("the index of them, built", built, "s")
        try await store.close()
        try await opening(in: folder, model, vectors.row(7))
        try await median("with its index", in: folder)
        var usage = rusage()
        getrusage(-1, &usage)  // RUSAGE_CHILDREN
        print("peak memory of a query \(usage.ru_maxrss / 1024) MB")
    }

    /// From the folder to the first answer, the model at hand: what it reads is mapped and compared with its checksums.
    private func opening(in folder: URL, _ model: any Embedder, _ vector: [Float]) async throws {
        var (first, second): ([Double], [Double]) = ([], [])
        for _ in 0..<5 {
            var opened: KnowledgeStore?
            first.append(try await Material.seconds {
                let store = try await KnowledgeStore.open(in: folder) { _ in model }
                _ = try await store.search(vector, QueryOptions())
                opened = store
            })
            second.append(try await Material.seconds { _ = try await opened?.search(vector, QueryOptions()) })
            try await opened?.close()
        }
        Material.line("open to the first answer to a vector", first.sorted()[2] * 1000, "ms")
        Material.line("the second answer", second.sorted()[2] * 1000, "ms")
    }

    private func median(_ name: String, in folder: URL) async throws {
        var times: [Double] = []
        for _ in 0..<5 {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: roost)
            process.arguments = ["query", "what are the effects of pressure on heat transfer", "--store", folder.path]
            process.standardOutput = FileHandle.nullDevice
            times.append(try await Material.seconds {
                try process.run()
                process.waitUntilExit()
            })
            guard process.terminationStatus == 0 else { throw ExitCode(process.terminationStatus) }
        }
        Material.line("\(entries) entries (\(provider.rawValue)), cold query \(name)", times.sorted()[2], "s")
    }
}

extension StoreManifest.Provider: ExpressibleByArgument {}

struct ShortTexts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "short-texts", abstract: "Ingest of lines of 8 words with MiniLM: entries a second.")

    @Option var entries = 5_000
    @Option(help: "sqlite or json.") var provider = StoreManifest.Provider.sqlite

    func run() async throws {
        let words = try String(contentsOfFile: "/usr/share/common-licenses/GPL-3", encoding: .utf8)
            .split(whereSeparator: \.isWhitespace)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roost-short-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try await KnowledgeStore.create(in: folder, provider: provider, embedder: try Material.model())
        var generator = SeededGenerator(seed: 0)
        let drafts = (0..<entries).map { row in
            let start = generator.nextIndex(below: words.count - 8)
            return EntryDraft(content: "\(row) " + words[start..<start + 8].joined(separator: " "))
        }
        var report = IngestReport()
        let time = try await Material.seconds {
            report = try await store.ingest([SourceDraft(id: "lines", fingerprint: "1", entries: drafts)])
        }
        Material.line("lines of 8 words (\(provider.rawValue))", Double(report.new) / time, "entries/s")
        Material.line("", Double(report.tokens) / time, "tokens/s")
        print("peak memory \(Material.peakMegabytes) MB")
    }
}
