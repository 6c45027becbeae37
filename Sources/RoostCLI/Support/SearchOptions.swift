public import ArgumentParser
import Foundation
public import Roost

extension SearchMode: ExpressibleByArgument {}

/// The options for searches and for the output of hits.
struct SearchOptions: ParsableArguments {
    @Option(
        name: .customShort("n"), parsing: .unconditional,
        help: ArgumentHelp("The maximum number of hits. Default: the limit setting, else 10.", valueName: "N")
    )
    var limit: Int?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Skip the N best hits.", valueName: "N"))
    var offset = 0

    // The parsing strategy is `.unconditional` because a cosine may begin with a minus sign.
    @Option(
        name: .long, parsing: .unconditional,
        help: "The minimum cosine similarity, also of hits that the search by words found.")
    var minScore: Float?

    @Flag(name: .long, help: "Compare all vectors instead of using the graph of the index.")
    var exact = false

    @Flag(name: .long, help: "Prefer hits that differ from the hits before them.")
    var diverse = false

    @Flag(name: .long, help: "Show near-duplicates as one hit.")
    var fold = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Show N passages before and after the matched passage.", valueName: "N"))
    var context: Int?

    @Flag(name: .customShort("l"), help: "Print only the paths, each once.")
    var pathsOnly = false

    @Flag(name: .long, help: "Show the rank and score of each hit by meaning and by words.")
    var explain = false

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    /// The weight of diversity relative to relevance for `--diverse`, from 0 to 1.
    private static let diversity: Float = 0.4
    /// The minimum cosine similarity of near-duplicates for `--fold`, as in `roost duplicates`.
    private static let duplicateThreshold: Float = 0.95

    func validate() throws {
        if let limit, limit < 1 {
            throw ValidationError("-n takes a whole number of at least 1, not \(limit).")
        }
        if offset < 0 {
            throw ValidationError("--offset takes a whole number of at least 0, not \(offset).")
        }
        if let context, !(0...1000).contains(context) {
            throw ValidationError("--context takes a whole number from 0 to 1000, not \(context).")
        }
        if let minScore, !minScore.isFinite { throw ValidationError("--min-score takes a number.") }
    }

    /// Returns the search that the options describe.
    func entrySearch(_ subject: EntrySearch.Subject, _ filter: EntryFilter) throws -> EntrySearch {
        let settings = try UserConfiguration(UserDirectories().configurationFile)
        var search = EntrySearch(
            subject, matching: filter,
            limit: try limit ?? settings.value(of: "limit").flatMap { Int($0) } ?? 10)
        search.minimumScore = minScore
        search.offset = offset
        search.isExact = exact
        search.diversity = diverse ? Self.diversity : nil
        search.duplicateThreshold = fold ? Self.duplicateThreshold : nil
        return search
    }

    /// Prints a result.
    ///
    /// - Throws: `ExitCode` if there are no hits; ``RoostError`` if the store is empty.
    func show(_ result: QueryResult, _ options: StoreOptions) throws {
        let lines = SourceLines()
        for notice in result.notices { options.note(RemedyText.message(notice.message, notice.remedy)) }
        if result.omittedTokens > 0 {
            options.note(
                "the query exceeds the model's maximum length: its last \(result.omittedTokens) tokens were "
                    + "ignored")
        }
        if json {
            try Terminal.json(
                result.hits.map { HitDocument($0, result.snippet(of: $0), self, lines) })
        } else if pathsOnly {
            var seen = Set<String>()
            for hit in result.hits where seen.insert(hit.entry.displayPath).inserted {
                Terminal.write(Terminal.safe(hit.entry.displayPath))
            }
        } else {
            for hit in result.hits { write(hit, result.snippet(of: hit), lines) }
        }
        guard result.hits.isEmpty else { return }
        if result.stamp.entryCount == 0 {
            throw Self.emptyStore
        }
        options.note(Self.reason(result, offset: offset, hasMinimum: minScore != nil))
        throw ExitCode(ExitStatus.nothingFound.rawValue)
    }

    static let emptyStore = RoostError(
        .emptyStore, "the store is empty; add entries with `roost ingest PATH`")

    /// Returns the reason why there are no hits.
    private static func reason(_ result: QueryResult, offset: Int, hasMinimum: Bool) -> String {
        if result.candidateCount == 0 {
            return result.text?.isSelective == true
                ? "no entry matches: \"quoted words\" must occur as a phrase, and -words must not occur "
                    + "(`--mode vector` searches without these operators)"
                : "no entry matches the filter"
        }
        if hasMinimum { return "no hits; a lower --min-score finds more" }
        if offset > 0 { return "no hits after the first \(offset)" }
        return result.text == nil ? "no other entry was found" : "no entry contains any of the words"
    }

    private func write(_ hit: QueryHit, _ snippet: Snippet, _ lines: SourceLines) {
        let entry = hit.entry
        let start = snippet.highlights.first?.lowerBound ?? snippet.utf8Range.lowerBound
        let line = lines.line(of: start, in: entry).map { ":\($0)" } ?? ""
        Terminal.write(
            "\(Terminal.bold(Terminal.score(hit.score)))  \(Terminal.safe(entry.displayPath))\(line)  "
                + Terminal.dim(String(entry.id.text.prefix(8))))
        if let context {
            let text = Terminal.safe(entry.text(in: hit.context(context)) ?? "", keepingLines: true)
            Terminal.write(text.split(separator: "\n").map { "       " + $0 }.joined(separator: "\n"))
        } else {
            Terminal.write("       \(Terminal.excerpt(snippet, of: entry.content))")
        }
        if explain {
            var parts: [String] = []
            if let rank = hit.vectorRank { parts.append("vector \(rank) (\(Terminal.score(hit.score)))") }
            if let rank = hit.textRank {
                parts.append("words \(rank) (\(Terminal.score(hit.textScore ?? 0)))")
            }
            let fused = String(format: "%.4f", Double(hit.fused))
            Terminal.write(Terminal.dim("       fused \(fused): \(parts.joined(separator: ", "))"))
        }
        if !hit.duplicates.isEmpty {
            let ids = hit.duplicates.prefix(5).map { String($0.text.prefix(8)) }.joined(separator: ", ")
            let more = hit.duplicates.count > 5 ? ", …" : ""
            Terminal.write(
                Terminal.dim("       and \(hit.duplicates.count) near-duplicates: \(ids)\(more)"))
        }
    }
}
