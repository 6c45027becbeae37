public import ArgumentParser
import Foundation
public import Roost

extension SearchMode: ExpressibleByArgument {}

/// How to search, and how to show what was found.
struct SearchOptions: ParsableArguments {
    @Option(
        name: .customShort("n"), parsing: .unconditional, help: ArgumentHelp("The most hits.", valueName: "N")
    )
    var limit: Int?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Pass over the best ones.", valueName: "N"))
    var offset = 0

    // Unconditional: a cosine may begin with a minus.
    @Option(
        name: .long, parsing: .unconditional,
        help: "Only hits with at least this cosine, also of those that words found.")
    var minScore: Float?

    @Flag(name: .long, help: "Compare every vector, also where the store has a graph.")
    var exact = false

    @Flag(name: .long, help: "Prefer hits that differ from those before them.")
    var diverse = false

    @Flag(name: .long, help: "Show nearly equal entries as one.")
    var fold = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Show so many passages before and after.", valueName: "N"))
    var context: Int?

    @Flag(name: .customShort("l"), help: "Only the paths, each once.")
    var pathsOnly = false

    @Flag(name: .long, help: "Say what each hit owes to its vector and to its words.")
    var explain = false

    @Flag(name: .long, help: "Results as JSON.")
    var json = false

    /// How different hits are preferred to be, and when entries are nearly equal.
    private static let (diversity, duplicateThreshold): (Float, Float) = (0.4, 0.95)

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("-n takes a whole number above 0, not \(limit).") }
        if offset < 0 { throw ValidationError("--offset takes a whole number from 0, not \(offset).") }
        if let context, !(0...1000).contains(context) {
            throw ValidationError("--context takes a whole number from 0 to 1000, not \(context).")
        }
        if let minScore, !minScore.isFinite { throw ValidationError("--min-score takes a number.") }
    }

    func queryOptions(_ filter: EntryFilter) throws -> QueryOptions {
        let settings = try UserConfiguration(UserPlaces().configurationFile)
        var options = QueryOptions(
            limit: try limit ?? settings.value(of: "limit").flatMap { Int($0) } ?? 10, minimumScore: minScore,
            filter: filter)
        options.offset = offset
        options.isExact = exact
        options.diversity = diverse ? Self.diversity : nil
        options.duplicateThreshold = fold ? Self.duplicateThreshold : nil
        return options
    }

    func show(_ result: QueryResult, _ options: StoreOptions) throws {
        let lines = SourceLines()
        for notice in result.notices { options.note(notice) }
        if result.omittedTokens > 0 {
            options.note(
                "the query is longer than the model takes in: its last \(result.omittedTokens) tokens were "
                    + "left out")
        }
        if json {
            try Terminal.json(
                result.hits.map { HitDocument($0, result.snippet(of: $0), self, lines) })
        } else if pathsOnly {
            var seen = Set<String>()
            for hit in result.hits where seen.insert(hit.entry.place).inserted {
                Terminal.write(Terminal.safe(hit.entry.place))
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
        .emptyStore, "the store is empty; add something with `roost ingest PATH`")

    /// Why nothing was found.
    private static func reason(_ result: QueryResult, offset: Int, hasMinimum: Bool) -> String {
        if result.candidateCount == 0 {
            return result.text?.isSelective == true
                ? "no entry has what the query requires; words in \"quotes\" must stand so, and those after "
                    + "a - must not (`--mode vector` takes the query as it is)"
                : "no entry meets the filter"
        }
        if hasMinimum { return "nothing was found; a lower --min-score finds more" }
        if offset > 0 { return "there are no hits behind the first \(offset)" }
        return result.text == nil ? "no other entry was found" : "no entry has any of the words"
    }

    private func write(_ hit: QueryHit, _ snippet: Snippet, _ lines: SourceLines) {
        let entry = hit.entry
        let start = snippet.marks.first?.lowerBound ?? snippet.utf8Range.lowerBound
        let line = lines.line(of: start, in: entry).map { ":\($0)" } ?? ""
        Terminal.write(
            "\(Terminal.bold(Terminal.score(hit.score)))  \(Terminal.safe(entry.place))\(line)  "
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
            Terminal.write(Terminal.dim("       and \(hit.duplicates.count) nearly equal: \(ids)\(more)"))
        }
    }
}
