import ArgumentParser
import Foundation
import Roost

struct WordSearch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure building a word index and searching it for eight words, optionally against FTS5.")

    @Option(help: "The number of passages.") var count = 100_000
    @Option(help: "The number of queries.") var queries = 200
    @Flag(help: "Measure SQLite's FTS5 too, with queries that match any of the words.") var fts5 = false

    func run() async throws {
        let sets = ["scifact-train", "cranfield", "cisi", "locomo-3"]
        var mixer = try SentenceMixer(sets: sets, seed: 1)
        let texts = (0..<count).map { _ in mixer.passage() }
        let questions = (0..<queries).map { _ in mixer.words(8) }
        var built: WordIndex?
        let buildTime = Material.now { built = WordIndex(texts) }
        guard let index = built else { return }
        Material.line("\(count) passages of \(index.wordCount / count) words, indexed in", buildTime, "s")
        Material.line("bytes per word", Double(index.byteCount) / Double(index.wordCount), "")
        func search(_ question: String) throws { _ = try index.search(TextQuery(question), limit: 100) }
        try measure("eight words", questions, search)
        let stopWords = Array(repeating: "what is the one of these", count: 20)
        try measure("only stop words", stopWords, search)
        let phrases = questions.map { "\"\($0.split(separator: " ").prefix(2).joined(separator: " "))\"" }
        try measure("a phrase of two words", phrases, search)
        guard fts5 else { return }
        let database = try FullTextDatabase()
        let fillTime = try await Material.seconds { try database.fill(texts) }
        Material.line("FTS5, indexed in", fillTime, "s")
        try measure("FTS5, eight words", questions) { question in
            try database.search(words(of: question).map { "\"\($0)\"" }.joined(separator: " OR "))
        }
    }

    private func measure(_ name: String, _ questions: [String], _ search: (String) throws -> Void) rethrows {
        var times: [Double] = []
        for question in questions {
            let start = ContinuousClock.now
            try search(question)
            times.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        times.sort()
        Material.line("\(name): median", times[times.count / 2], "ms")
        Material.line("\(name): 95th percentile", times[times.count * 95 / 100], "ms")
    }
}
