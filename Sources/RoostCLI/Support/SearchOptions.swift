public import ArgumentParser
import Foundation
public import Roost

extension SearchMode: ExpressibleByArgument {}

/// The options for searches and for the output of hits.
struct SearchOptions: ParsableArguments {
    @Option(
        name: [.customShort("n", allowingJoined: true), .customLong("limit")], parsing: .unconditional,
        help: ArgumentHelp("The maximum number of hits. Default: the limit setting, else 10.", valueName: "N")
    )
    var limit: Int?

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

    // The parsing strategy is `.unconditional` because a cosine may begin with a minus sign.
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The minimum cosine similarity of a hit, even if it was found by words.", valueName: "S"))
    var minSimilarity: Float?

    @Flag(name: .long, help: "Compare all vectors instead of using the graph of the index.")
    var exact = false

    @Flag(name: .long, help: "Prefer hits that differ from higher-ranked hits.")
    var diverse = false

    @Flag(name: .long, help: "Show near-duplicates as one hit.")
    var fold = false

    @Flag(name: .long, help: "Show the best hits in the order of their last change, the newest first.")
    var newest = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Show N passages before and after the matched passage.", valueName: "N"))
    var context: Int?

    @Flag(name: .long, help: "Show the parts of each score, and the plan of a search in a database.")
    var explain = false

    @OptionGroup var output: HitOutputOptions

    /// The weight of diversity relative to relevance for `--diverse`, from 0 to 1.
    private static let diversity: Float = 0.4
    /// The minimum cosine similarity of near-duplicates for `--fold`, as in `roost duplicates`.
    private static let duplicateThreshold: Float = 0.95

    func validate() throws {
        if let limit, limit < 1 {
            throw ValidationError("-n must be a whole number of at least 1, not \(limit)")
        }
        if offset < 0 {
            throw ValidationError("--offset must be a whole number of at least 0, not \(offset)")
        }
        if let context, !(0...1000).contains(context) {
            throw ValidationError("--context must be a whole number from 0 to 1000, not \(context)")
        }
        if let minScore, !(0...1).contains(minScore) {
            throw ValidationError("--min-score must be a number from 0 to 1, not \(minScore)")
        }
        if let minSimilarity, !(-1...1).contains(minSimilarity) {
            throw ValidationError("--min-similarity must be a number from -1 to 1, not \(minSimilarity)")
        }
    }

    /// Returns the search that the options describe.
    func entrySearch(_ subject: EntrySearch.Subject, _ filter: EntryFilter) throws -> EntrySearch {
        let settings = try UserConfiguration(UserDirectories().configurationFile)
        var search = EntrySearch(
            subject, matching: filter,
            limit: try limit ?? settings.value(of: "limit").flatMap { Int($0) } ?? 10)
        search.minimumScore = minScore
        search.minimumSimilarity = minSimilarity
        search.includesAll = all
        search.offset = offset
        search.isExact = exact
        search.diversity = diverse ? Self.diversity : nil
        search.duplicateThreshold = fold ? Self.duplicateThreshold : nil
        return search
    }

    /// Prints a result, or opens its best hit.
    ///
    /// - Throws: `ExitCode` if there are no hits; ``RoostError`` if the store is empty; ``CommandError`` if
    ///   the hit cannot be opened.
    ///
    /// - Parameter excluded: The words that the query excludes because of `--not`.
    func show(
        _ result: QueryResult, _ options: StoreOptions, _ filters: FilterOptions, excluded: [String] = []
    ) throws {
        var result = result
        result.hits = ordered(result.hits)
        for text in Self.remarks(on: result, excluded: excluded) { options.note(text) }
        switch output.format {
        case nil: break
        case .text:
            options.page()
            for hit in result.hits { write(hit, in: result) }
            if explain, let plan = result.databasePlan {
                Terminal.write(Terminal.dim(Self.explanation(of: plan)))
            }
        case .json:
            try Terminal.json(
                result.hits.map { HitDocument($0, result.snippet(of: $0), HitDocument.Additions(self)) })
        case let format?:
            if format == .table { options.page() }
            var writer = ListWriter(
                ListFormat(rawValue: format.rawValue) ?? .table, HitRow.columns,
                endsPathsWithNull: output.nullPaths.isSet, escapesFormulas: !output.rawCells.isSet,
                template: output.template.template)
            try writer.write(
                result.hits.map {
                    HitRow.row($0, in: result, document: HitDocument.Additions(self))
                })
            writer.finish(options)
        }
        guard let best = result.hits.first else { try reportMissing(result, options, filters) }
        if output.open { try open(best, in: result) }
    }

    /// Returns hits in the order in which they are shown. Hits with the same date stay in their order.
    func ordered(_ hits: [QueryHit]) -> [QueryHit] {
        guard newest else { return hits }
        return hits.enumerated().sorted { left, right in
            (right.element.entry.updatedAt, left.offset) < (left.element.entry.updatedAt, right.offset)
        }.map(\.element)
    }

    /// Returns the messages to the user about how the result was obtained.
    ///
    /// - Parameters:
    ///   - excluded: The words that an option excludes.
    ///   - subject: The noun for what was searched.
    static func remarks(
        on result: QueryResult, excluded: [String] = [], subject: String = "entry"
    ) -> [String] {
        var remarks = result.notices.map { RemedyText.message($0.message, $0.remedy) }
        if result.omittedTokens > 0 {
            remarks.append(
                "the query exceeds the model's maximum length: its last "
                    + "\(Count.text(result.omittedTokens, "token was", "tokens were")) ignored")
        }
        remarks += result.corrections.prefix(Terminal.maximumListedItems).map { correction in
            let (old, new) = (
                Terminal.line(correction.original, limit: 60), Terminal.line(correction.corrected, limit: 60)
            )
            return "no \(subject) contains '\(old)'; searching for '\(new)' instead"
        }
        if let text = result.text, let remark = Self.remark(onExclusionsOf: text, excluded) {
            remarks.append(remark)
        }
        return remarks
    }

    /// Returns the message that names the words that a query excludes; `nil` if it excludes none.
    ///
    /// - Parameter excluded: The words that an option excludes, which the user did not take for text.
    private static func remark(onExclusionsOf query: TextQuery, _ excluded: [String]) -> String? {
        guard !query.exclusions.isEmpty else { return nil }
        let names = query.exclusions.prefix(Terminal.maximumListedItems).map { Terminal.line($0, limit: 60) }
        let more = query.exclusions.count > names.count ? ", …" : ""
        let list = "excluding: \(names.joined(separator: ", "))\(more)"
        let typed = query.exclusions.filter { !excluded.contains($0) }
        guard !typed.isEmpty else { return list }
        // An exclusion of several words is quoted already.
        let isQuoted = typed.contains { $0.contains(" ") }
        if isQuoted { return "\(list); everything after -- is searched for" }
        return "\(list); quote " + (names.count == 1 ? "it to search for it" : "a word to search for it")
    }

    /// Reports that no hit is close to the query, and names the nearest ones.
    ///
    /// - Parameter headings: The line for each of the nearest hits.
    static func reportNoise(
        _ headings: (HitText) -> [String], _ options: StoreOptions
    ) {
        options.note("nothing close; the nearest are:")
        let text = HitText(columns: Terminal.isErrorTerminal ? Terminal.columns : nil, isStyled: false)
        for heading in headings(text) { options.note(heading) }
    }

    /// Reports that there are no hits.
    private func reportMissing(
        _ result: QueryResult, _ options: StoreOptions, _ filters: FilterOptions
    ) throws -> Never {
        if result.stamp.entryCount == 0 { throw Self.emptyStore }
        if result.hasOnlyNoise {
            Self.reportNoise(
                { text in
                    result.nearest.map { text.heading(of: $0, at: Self.byte(of: $0, in: result)) }
                }, options)
        } else {
            options.note(reason(result, filters))
        }
        throw ExitCode(ExitStatus.nothingFound.rawValue)
    }

    private func open(_ hit: QueryHit, in result: QueryResult) throws -> Never {
        guard let path = hit.entry.sourcePath else {
            throw CommandError(.noInput, "cannot open the hit: it is not from a file")
        }
        let line = hit.entry.sourceLine(ofByte: Self.byte(of: hit, in: result))
        try EditorCommand().open(path, line: line)
    }

    /// Returns the position of the most informative word of a hit that matches the query, or of its passage.
    private static func byte(of hit: QueryHit, in result: QueryResult) -> Int {
        result.snippet(of: hit).anchor
    }

    static let emptyStore = RoostError(
        .emptyStore, "the store is empty; add entries with `roost ingest PATH`")

    /// Returns the reason why there are no hits.
    private func reason(_ result: QueryResult, _ filters: FilterOptions) -> String {
        if result.candidateCount == 0 {
            guard result.text?.isSelective == true else { return filters.missReason }
            return "no entry matches: \"phrases\" and field:words must occur, and -words must not occur"
        }
        if minSimilarity != nil { return "no hits; a lower --min-similarity finds more" }
        if minScore != nil { return "no hits; a lower --min-score finds more" }
        if offset > 0 { return "no hits after the first \(offset)" }
        if result.hasOnlyNoise { return "nothing close; --all shows all hits" }
        return result.text == nil ? "no other entry was found" : "no entry contains any of the words"
    }

    private func write(_ hit: QueryHit, in result: QueryResult) {
        let text = HitText(columns: Terminal.columns)
        let sample = hit.entry.text(in: hit.passage.utf8Range) ?? ""
        let snippet = result.snippet(of: hit, limit: text.excerptLength(sample))
        let byte = snippet.anchor
        Terminal.write(text.heading(of: hit, at: byte))
        if let context {
            // Form feeds separate pages, so they also end lines.
            let around = (hit.entry.text(in: hit.context(context)) ?? "").replacing("\u{0C}", with: "\n")
            for line in Terminal.safe(around, keepingLines: true).split(separator: "\n") {
                Terminal.write("       \(line)", keepingLines: true)
            }
        } else if !text.isComplete(hit.entry) {
            for line in text.excerpt(snippet, of: hit.entry) { Terminal.write(line) }
        }
        if explain { Terminal.write(Terminal.dim("       " + Self.explanation(of: hit))) }
        if !hit.duplicates.isEmpty {
            let ids = hit.duplicates.prefix(5).map { String($0.text.prefix(8)) }.joined(separator: ", ")
            let more = hit.duplicates.count > 5 ? ", …" : ""
            let count = Count.text(hit.duplicates.count, "near-duplicate")
            Terminal.write(Terminal.dim("       and \(count): \(ids)\(more)"))
        }
    }

    /// Returns how the database found the nearest passages.
    static func explanation(of plan: PassageSearchPlan) -> String {
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
    ///
    /// - Parameter others: Further shares, with their names, that follow those of the hit.
    static func explanation(of hit: QueryHit, others: [(String, Float)] = []) -> String {
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
