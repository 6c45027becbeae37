import ArgumentParser
import Foundation
import Roost

struct Query: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Search entries by meaning and by words.",
        discussion: """
            Prints the best entries first, with a score from 0 to 1. The query can have these operators:

              "some words"  The phrase must occur.
              -word         The word, of three letters or more, must not occur.
              begin*        Matches all words with this prefix.
              title:word    The word must occur in the title; path:word and tag:word are similar.

            A query of more than 32 words is read as text, without operators.
            A query needs no quotes, unless it contains characters of the shell or a word that begins with a \
            hyphen: put it in quotes, or after the options and --. The query - is read from standard input.

            If no entry is closer than unrelated text, Roost names the three nearest entries and exits with 1.

            Examples:
              roost query birds that return in spring
              roost query 'ring* "rings of ice" -saturn' --where topic=astronomy --since 7d
              roost query -n5 -- title:sourdough -rye
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var search: SearchOptions
    @OptionGroup var filters: FilterOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "hybrid: by meaning and by words; vector: by meaning only; text: by words only.",
            valueName: "mode"))
    var mode = SearchMode.hybrid

    @Flag(name: .long, help: "Do not correct misspelled words.")
    var exactWords = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Run one query per line of a file, or of standard input for -, and print one JSON object per "
                + "query.",
            valueName: "FILE"))
    var batch: String?

    @Argument(help: ArgumentHelp("The text to search for; - reads standard input.", valueName: "query"))
    var words: [String] = []

    func validate() throws {
        guard words.isEmpty != (batch == nil) else {
            throw ValidationError("give either a query or --batch FILE")
        }
    }

    func run() async throws {
        let text = batch == nil ? try Self.text(of: words) : ""
        let store = try await options.open()
        let start = Date()
        var query = try search.entrySearch(.text(text), try await filters.filter(options, store))
        query.mode = mode
        query.usesExactWords = exactWords
        if let batch { return try await answer(batch, store, query) }
        let result = try await store.search(query)
        try await store.close()
        options.detail(String(format: "searched in %.0f ms", Date().timeIntervalSince(start) * 1000))
        try search.show(result, options, filters)
    }

    /// The number of lines that `--batch` searches together: large enough for efficient matrix products,
    /// small enough for the first results to appear early.
    private static let batchSize = 512

    /// The JSON output for one line of `--batch`.
    private struct Answer: Encodable {
        var line: Int
        var query: String
        var hits: [PrintedHit]
    }

    private func answer(_ path: String, _ store: KnowledgeStore, _ query: EntrySearch) async throws {
        let text = try RecordReader.text(InputFile.read(path), name: path == "-" ? "standard input" : path)
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            .filter { !$0.element.allSatisfy(\.isWhitespace) }[...]
        let additions = HitDocument.Additions(context: search.context, hasExplanation: search.explain)
        while !lines.isEmpty {
            let part = lines.prefix(Self.batchSize)
            lines = lines.dropFirst(Self.batchSize)
            let searches = part.map { line in
                var search = query
                search.subject = .text(String(line.element))
                return search
            }
            for (line, result) in zip(part, try await store.search(searches)) {
                let hits = result.hits.map { PrintedHit($0, in: result, additions) }
                let answer = Answer(line: line.offset + 1, query: String(line.element), hits: hits)
                try Terminal.json(answer, Terminal.lineEncoder)
            }
        }
        try await store.close()
    }

    /// The maximum size of a query on standard input: more text than any embedding model reads.
    private static let maximumSize = 16 << 20

    /// Returns the query that words on the command line form; only `-` stands for standard input.
    static func text(of words: [String]) throws -> String {
        guard words == ["-"] else { return words.joined(separator: " ") }
        return try RecordReader.text(
            StandardInput.readToEnd(limit: maximumSize), name: "standard input")
    }
}
