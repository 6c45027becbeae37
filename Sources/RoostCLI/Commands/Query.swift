import ArgumentParser
import Foundation
import Roost

struct Query: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Search entries by meaning and by words.",
        discussion: """
            Roost searches by meaning and by words and prints the best entries first, with a score from 0 to \
            1. The query needs no quotes; - reads it from standard input. These operators are available:

              "some words"  The phrase must occur.
              -word         The word must not occur; the same as --not word.
              begin*        Matches all words with this prefix.
              title:word    The word must occur in the title; path:word and tag:word are similar.

            Without a field, words, phrases and prefixes are searched for in the text, title, headings, path \
            and tags. A -word is ordinary text if it has one or two characters, if it begins with a digit, \
            or if an entry contains it after the preceding word, as in "commit -amend". In a query with more \
            than twelve other words, quotation marks are punctuation. Everything after -- is ordinary text, \
            even if it looks like an option.

            If no entry is closer than unrelated text, Roost names the three nearest entries and exits with 1.

            Examples:
              roost query birds that return in spring
              roost query 'ring* "rings of ice" -Saturn' --where topic=astronomy --since 7d
              roost query title:sourdough starter -n5
              roost query git commit --amend
              roost query --batch queries.txt -n 5 > answers.jsonl
            """,
        aliases: ["search", "find"])

    @OptionGroup var options: StoreOptions
    @OptionGroup var search: SearchOptions
    @OptionGroup var filters: FilterOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "hybrid: by meaning and by words; vector: by meaning only, without query operators except "
                + "--not; text: by words only.",
            valueName: "mode"))
    var mode = SearchMode.hybrid

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The weight of the search by words, relative to the search by meaning.", valueName: "W"))
    var textWeight: Float = 1

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Run one query per line of a file, or of standard input for -, and print one JSON object per "
                + "query. The object of a line that cannot be searched for has the key error.",
            valueName: "FILE"))
    var batch: String?

    @Flag(name: .long, help: "Do not correct misspelled words.")
    var exactWords = false

    @Option(
        name: .customLong("not"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Exclude entries with this word or phrase; repeatable.", valueName: "words"))
    var excluded: [String] = []

    @Argument(help: ArgumentHelp("The text to search for; - reads standard input.", valueName: "query"))
    var words: [String] = []

    func validate() throws {
        guard textWeight.isFinite, textWeight >= 0 else {
            throw ValidationError("--text-weight must be a number of at least 0, not \(textWeight)")
        }
        guard words.isEmpty != (batch == nil) else {
            throw ValidationError(
                words.isEmpty ? "give a query" : "give either a query or --batch FILE, not both")
        }
        if batch != nil, search.output.format.map({ [.text, .json, .jsonl].contains($0) }) != true {
            throw ValidationError(
                "--batch prints JSON Lines; it cannot be combined with another format, -l or --open")
        }
    }

    func run() async throws {
        let text = batch == nil ? try QueryText.text(of: words, excluding: excluded) : ""
        if batch == nil { try QueryText.requireWords(in: text, typed: words, mode) }
        let store = try await options.open()
        let start = Date()
        var query = try search.entrySearch(.text(text), try await filters.filter(options, store))
        query.mode = mode
        query.textWeight = textWeight
        query.usesExactWords = exactWords
        if let batch { return try await answer(batch, store, query) }
        let result = try await store.search(query)
        try await store.close()
        options.remark(on: store.embedder)
        options.detail(String(format: "searched in %.0f ms", Date().timeIntervalSince(start) * 1000))
        try search.show(result, options, filters, excluded: excluded)
    }

    /// The number of lines that `--batch` searches together: large enough for efficient matrix products,
    /// small enough for the first results to appear early.
    private static let batchSize = 512

    /// The JSON output for one line of `--batch`.
    private struct Answer: Encodable {
        var line: Int
        var query: String
        var hits: [HitDocument]
        /// The nearest entries if none is close to the query; `nil` if there are hits.
        var nearest: [HitDocument]?
        /// The reason why the line was not searched for; `nil` if it was.
        var error: String?
    }

    private func answer(_ path: String, _ store: KnowledgeStore, _ query: EntrySearch) async throws {
        let lines = try BatchLine.lines(of: try InputFile.read(path), mode: mode)
        guard !lines.isEmpty else {
            throw RoostError(.badInput, "cannot read the queries: every line is empty")
        }
        guard try await store.storage.snapshot().stamp.entryCount > 0 else { throw SearchOptions.emptyStore }
        let encoder = Terminal.lineEncoder
        var remarks = Set<String>()
        for start in stride(from: 0, to: lines.count, by: Self.batchSize) {
            let part = lines[start..<min(lines.count, start + Self.batchSize)]
            let searches = part.filter { $0.error == nil }.map { line in
                var search = query
                search.subject = .text(QueryText.exclusions(excluded) + line.text)
                return search
            }
            var results = searches.isEmpty ? [] : try await store.search(searches)[...]
            for line in part {
                var answer = Answer(line: line.number, query: line.text, hits: [], error: line.error)
                if line.error == nil, let result = results.popFirst() {
                    for remark in SearchOptions.remarks(on: result) where remarks.insert(remark).inserted {
                        options.note("line \(line.number): \(remark)")
                    }
                    let document = { HitDocument($0, result.snippet(of: $0), HitDocument.Additions(search)) }
                    answer.hits = search.ordered(result.hits).map(document)
                    if result.hasOnlyNoise { answer.nearest = result.nearest.map(document) }
                }
                try Terminal.json(answer, encoder)
            }
        }
        try await store.close()
        options.remark(on: store.embedder)
    }
}
