public import ArgumentParser
import Foundation
public import Roost
import RoostServer

extension SearchMode: ExpressibleByArgument {}

struct SearchOptions: ParsableArguments {
    @OptionGroup var limitOption: LimitOption

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Skip the N best hits.", valueName: "N"))
    var offset = 0

    @Flag(name: .long, help: "Show all hits, even those that are no closer than unrelated text.")
    var all = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The minimum score of a hit, from 0 to 1.", valueName: "S"))
    var minScore: Float?

    @Flag(name: .long, help: "Compare all vectors instead of using the graph of the index.")
    var exact = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Show N passages before and after the matched passage.", valueName: "N"))
    var context: Int?

    @Flag(name: .long, help: "Show the parts of each score.")
    var explain = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if offset < 0 {
            throw ValidationError("--offset must be a whole number of at least 0, not \(offset)")
        }
        if let context, !(0...1000).contains(context) {
            throw ValidationError("--context must be a whole number from 0 to 1000, not \(context)")
        }
        if let minScore, !(0...1).contains(minScore) {
            throw ValidationError("--min-score must be a number from 0 to 1, not \(minScore)")
        }
    }

    func entrySearch(_ subject: EntrySearch.Subject, _ filter: EntryFilter) throws -> EntrySearch {
        let settings = try UserConfiguration()
        let limit = try limitOption.limit ?? settings.value(of: "limit").flatMap { Int($0) } ?? 10
        var search = EntrySearch(subject, matching: filter, limit: limit)
        search.minimumScore = minScore
        search.includesAll = all
        search.offset = offset
        search.isExact = exact
        return search
    }

    func show(_ result: QueryResult, _ options: StoreOptions, _ filters: FilterOptions) throws {
        for text in SearchNotices.remarks(on: result, subject: "entry") { options.note(text) }
        let additions = HitAdditions(context: context, hasExplanation: explain)
        if output.format == .text {
            for hit in result.hits { write(hit, in: result) }
            if explain, let plan = result.databasePlan {
                Terminal.write(Terminal.dim(HitExplanation.text(of: plan)))
            }
        } else {
            var writer = ListWriter(output, HitRow.columns)
            try writer.write(result.hits.map { HitRow.row($0, in: result, document: additions) })
            writer.finish(options)
        }
        if result.hits.isEmpty { try reportMissing(result, options, filters) }
    }

    static func reportNoise(_ headings: (HitText) -> [String], _ options: StoreOptions) {
        options.note("nothing close; the nearest are:")
        let text = HitText(columns: Terminal.isErrorTerminal ? Terminal.columns : nil, isStyled: false)
        for heading in headings(text) { options.note(heading) }
    }

    private func reportMissing(
        _ result: QueryResult, _ options: StoreOptions, _ filters: FilterOptions
    ) throws -> Never {
        if result.stamp.entryCount == 0 {
            throw RoostError(.emptyStore, "the store is empty; add entries with `roost ingest PATH`")
        }
        if result.hasOnlyNoise {
            Self.reportNoise(
                { text in
                    result.nearest.map { text.heading(of: $0, at: result.snippet(of: $0).anchor) }
                }, options)
        } else {
            options.note(reason(result, filters))
        }
        throw ExitCode(ExitStatus.nothingFound.rawValue)
    }

    private func reason(_ result: QueryResult, _ filters: FilterOptions) -> String {
        if result.candidateCount == 0 {
            guard result.text?.isSelective == true else { return filters.missReason }
            return "no entry matches: \"phrases\" and field:words must occur, and -words must not occur"
        }
        if minScore != nil { return "no hits; a lower --min-score finds more" }
        if offset > 0 { return "no hits after the first \(offset)" }
        if result.hasOnlyNoise { return "nothing close; --all shows all hits" }
        return result.text == nil ? "no other entry was found" : "no entry contains any of the words"
    }

    private func write(_ hit: QueryHit, in result: QueryResult) {
        let text = HitText(columns: Terminal.columns)
        let sample = hit.entry.text(in: hit.passage.utf8Range) ?? ""
        let snippet = result.snippet(of: hit, limit: text.excerptLength(sample))
        Terminal.write(text.heading(of: hit, at: snippet.anchor))
        if let context {
            // Form feeds separate pages, so they also end lines.
            let around = (hit.entry.text(in: hit.context(context)) ?? "").replacing("\u{0C}", with: "\n")
            for line in TerminalText.safe(around, keepingLines: true).split(separator: "\n") {
                Terminal.write(HitText.indent + line, keepingLines: true)
            }
        } else if !text.isComplete(hit.entry) {
            for line in text.excerpt(snippet) { Terminal.write(line) }
        }
        if explain { Terminal.write(Terminal.dim(HitText.indent + HitExplanation.text(of: hit))) }
    }
}

enum HitExplanation {
    static func text(of plan: PassageSearchPlan) -> String {
        let method =
            switch plan.method {
            case .exactScan: "exact scan"
            case .index: "index"
            case .indexThenExactScan: "index, which found too few passages, and then an exact scan"
            }
        return "plan in the database: \(method); "
            + "\(Count.text(plan.matchingEntries, "entry matches", "entries match")), "
            + "\(Count.text(plan.foundPassages, "passage was", "passages were")) returned"
    }

    /// Returns the shares of a score that are not zero, followed by the cosine and the ranks.
    static func text(of hit: QueryHit, others: [(String, Float)] = []) -> String {
        let shares = hit.explanation
        var parts = [
            ("passage", shares.passage), ("entry", shares.entry), ("words", shares.words),
            ("phrase", shares.phrase),
        ]
        parts += shares.fields.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            ($0.key.rawValue, $0.value)
        }
        parts += others
        let sum = parts.filter { $0.1 != 0 }.map { "\($0.0) \(Terminal.score($0.1))" }
            .joined(separator: " + ")
        var details = ["cosine \(Terminal.score(hit.similarity))"]
        if let score = hit.textScore { details.append("words \(Terminal.score(score))") }
        return (sum.isEmpty ? "" : "= \(sum); ") + details.joined(separator: ", ")
    }
}
