import ArgumentParser
import Foundation
import Roost

struct QueryTimes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query-times",
        abstract: "Measure hybrid searches of an open store, including the embedding of the query.",
        discussion: """
            Creates a store in which each entry has about 125 words, made of sentences of the retrieval data, \
            and a vector: a real one from vectors/passages-base-f16.npy, or a copy of one that has been \
            moved in a random direction. Each query consists of eight adjacent words of a sentence.
            """)

    @Option(help: "The number of entries in the store.") var entries = 100_000
    @Option(help: "The number of queries.") var queries = 200
    @Option(
        help: "A folder that keeps the store for other calls; it must not exist, or have such a store.")
    var store: String?
    @OptionGroup var options: ModelOptions

    /// The length of the random vector that is added to copies of a vector.
    private static let movement: Float = 0.5

    func run() async throws {
        let folder =
            store.map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("roost-queries-\(UUID())")
        defer { if store == nil { try? FileManager.default.removeItem(at: folder) } }
        let model = try options.open()
        var mixer = try SentenceMixer(
            sets: ["scifact-train", "cranfield", "cisi", "locomo-3"], seed: 1)
        if !FileManager.default.fileExists(atPath: folder.path) {
            try await build(in: folder, model, &mixer)
        }
        let opened = try await KnowledgeStore.open(at: folder) { _ in model }
        var questions = SentenceMixer(mixer, seed: 2)
        let texts = (0..<queries).map { _ in questions.words(8) }
        for text in texts.prefix(10) { _ = try await opened.search(EntrySearch(text)) }
        for mode in [SearchMode.hybrid, .vector, .text] {
            var times = CallTimes()
            for text in texts {
                var search = EntrySearch(text)
                search.mode = mode
                try await times.measure { _ = try await opened.search(search) }
            }
            times.report(mode.rawValue)
        }
        try await opened.close()
    }

    private func build(in folder: URL, _ model: any Embedder, _ mixer: inout SentenceMixer)
        async throws
    {
        let path = Material.data.appendingPathComponent("vectors/passages-base-f16.npy").path
        let base = try NumPy.matrix(path)
        let store = try await KnowledgeStore.create(at: folder, embedder: model)
        var generator = SeededGenerator(seed: 1)
        for start in stride(from: 0, to: entries, by: 1000) {
            let numbers = start..<min(entries, start + 1000)
            let scale = numbers.upperBound > base.rows ? Self.movement / Float(base.columns).squareRoot() : 0
            let elements = numbers.flatMap { number in
                base.row(number % base.rows).map { $0 + scale * Float(generator.nextNormal()) }
            }
            var vectors = Matrix(rows: numbers.count, columns: base.columns, elements: elements)
            vectors.normalizeRows()
            let batch = numbers.indices.map {
                Entry(content: mixer.passage(), embeddings: vectors.row($0 - start))
            }
            try await store.storage.saveEntries(batch)
        }
        Material.line("index build", try await Material.seconds { try await store.index.build() }, "s")
        try await store.close()
    }
}
