import ArgumentParser
import CSQLite
import Foundation
import Roost

/// Passages made of the sentences of real texts, so that words are as frequent as they are in language.
struct SentenceMixer {
    private let sentences: [String]
    private var generator: SeededGenerator

    init(sets: [String], seed: UInt64) throws {
        sentences = try sets.flatMap { set in
            try Material.rows("retrieval/\(set)/corpus.jsonl").flatMap { row in
                row.text.components(separatedBy: ". ").filter { $0.utf8.count > 20 }
            }
        }
        generator = SeededGenerator(seed: seed)
    }

    /// About a hundred words.
    mutating func passage() -> String {
        (0..<5).map { _ in sentences[generator.nextIndex(below: sentences.count)] }.joined(separator: ". ")
    }

    /// Words that follow each other in some sentence.
    mutating func words(_ count: Int) -> String {
        while true {
            let words = sentences[generator.nextIndex(below: sentences.count)].split(separator: " ")
            guard words.count >= count else { continue }
            let start = generator.nextIndex(below: words.count - count + 1)
            return words[start..<start + count].joined(separator: " ")
        }
    }
}

struct WordSearch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Search by words: building, and the time of queries of eight words, beside SQLite's FTS5.")

    @Option(help: "How many passages.") var count = 100_000
    @Option(help: "How many queries.") var queries = 200
    @Flag(help: "Whether FTS5 is asked too, each of the words being enough.") var fts5 = false

    func run() async throws {
        let sets = ["scifact-train", "cranfield", "cisi", "locomo-3"]
        var mixer = try SentenceMixer(sets: sets, seed: 1)
        let texts = (0..<count).map { _ in mixer.passage() }
        let questions = (0..<queries).map { _ in mixer.words(8) }
        var builder = InvertedIndexBuilder()
        var collection = TextCollection()
        let made = try await Material.seconds {
            for text in texts { builder.add(text) }
            collection.parts = [TextPart(builder.finish())]
        }
        let index = collection.parts[0].index
        let bytes = index.withSections { $0.reduce(0) { $0 + $1.bytes.count } }
        Material.line("\(count) passages of \(index.length / count) words, indexed in", made, "s")
        Material.line("bytes a word", Double(bytes) / Double(index.length), "")
        func measure(_ name: String, _ asked: [String], _ ask: (String) throws -> Void) rethrows {
            var times: [Double] = []
            for question in asked {
                let start = ContinuousClock.now
                try ask(question)
                times.append((ContinuousClock.now - start) / .milliseconds(1))
            }
            times.sort()
            Material.line("\(name): median", times[times.count / 2], "ms")
            Material.line("\(name): 95 of 100 within", times[times.count * 95 / 100], "ms")
        }
        func rank(_ question: String) throws {
            let query = TextQuery(question)
            let allowed = try collection.allowed(by: query)
            _ = try collection.ranked(
                query, limit: 100, isAllowed: { allowed?[$0][$1] ?? true }, precedes: { $0.document < $1.document })
        }
        try measure("eight words", questions, rank)
        try measure("only words that say nothing", Array(repeating: "what is the one of these", count: 20), rank)
        try measure("a phrase of two words", questions.map { "\"\($0.split(separator: " ").prefix(2).joined(separator: " "))\"" }, rank)
        guard fts5 else { return }
        let database = try FullTextDatabase()
        let filled = try await Material.seconds { try database.fill(texts) }
        Material.line("FTS5, indexed in", filled, "s")
        try measure("FTS5, eight words", questions) { question in
            try database.search(Words(question).map { "\"\($0.folded)\"" }.joined(separator: " OR "))
        }
    }
}

/// A table of SQLite's FTS5 in memory, without the texts.
private final class FullTextDatabase {
    private struct Failure: Error { var message: String }
    private var database: OpaquePointer?

    init() throws {
        sqlite3_open(":memory:", &database)
        try run("CREATE VIRTUAL TABLE texts USING fts5(text, content = '', tokenize = 'porter unicode61')")
    }

    deinit { sqlite3_close(database) }

    private func run(_ sql: String) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(database)))
        }
    }

    private func each(_ sql: String, _ values: [String]) throws {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(database)))
        }
        defer { sqlite3_finalize(statement) }
        for value in values {
            sqlite3_bind_text(statement, 1, value, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            var state = sqlite3_step(statement)
            while state == SQLITE_ROW { state = sqlite3_step(statement) }
            guard state == SQLITE_DONE else { throw Failure(message: String(cString: sqlite3_errmsg(database))) }
            sqlite3_reset(statement)
        }
    }

    func fill(_ texts: [String]) throws {
        try run("BEGIN")
        try each("INSERT INTO texts (text) VALUES (?)", texts)
        try run("COMMIT")
    }

    func search(_ match: String) throws {
        try each("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 100", [match])
    }
}
