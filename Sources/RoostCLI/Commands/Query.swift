import ArgumentParser
import Foundation
import Roost

/// A hit as `--json` writes it.
struct HitDocument: Encodable {
    struct Part: Encodable {
        var ordinal: Int
        /// In the source's file, where it is known; from 1.
        var line: Int?
        var range: [Int]
        var text: String
    }

    var id: String
    var score: Float
    var content: String
    var metadata: [String: MetadataValue]
    var tags: [String]
    var source: String?
    var path: String?
    var passage: Part
    var createdAt: String
    var updatedAt: String

    init(_ hit: QueryHit, _ lines: SourceLines) {
        let entry = hit.entry
        id = entry.id.text
        score = hit.score
        content = entry.content
        metadata = entry.metadata
        tags = entry.tags
        source = entry.source
        path = entry.path
        let range = hit.passage.utf8Range
        passage = Part(
            ordinal: hit.passage.ordinal, line: lines.line(of: hit.passage, in: entry),
            range: [range.lowerBound, range.upperBound],
            text: entry.text(of: hit.passage) ?? "")
        createdAt = DateText.string(from: entry.createdAt)
        updatedAt = DateText.string(from: entry.updatedAt)
    }
}

extension Entry {
    /// The file that it came from.
    var path: String? {
        guard let source, source.hasPrefix("file://") else { return nil }
        return URL(string: source)?.path
    }

    /// Where it came from, for people: a path below this folder where it can be said so.
    var place: String {
        guard let path else { return source ?? "-" }
        let here = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
    }
}

struct SearchOptions: ParsableArguments {
    @Option(
        name: .customShort("n"), parsing: .unconditional, help: ArgumentHelp("The most hits.", valueName: "N")
    )
    var limit: Int?

    // Unconditional: a cosine may begin with a minus.
    @Option(name: .long, parsing: .unconditional, help: "Only hits with at least this cosine.")
    var minScore: Float?

    @Flag(name: .long, help: "Compare every vector, also where the store has a graph.")
    var exact = false

    @Flag(name: .customShort("l"), help: "Only the paths, each once.")
    var pathsOnly = false

    @Flag(name: .long, help: "Results as JSON.")
    var json = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("-n takes a whole number above 0, not \(limit).") }
        if let minScore, !minScore.isFinite { throw ValidationError("--min-score takes a number.") }
    }

    func queryOptions(_ filter: EntryFilter) throws -> QueryOptions {
        let settings = try UserConfiguration(UserPlaces().configurationFile)
        var options = QueryOptions(
            limit: try limit ?? settings.value(of: "limit").flatMap { Int($0) } ?? 10, minimumScore: minScore,
            filter: filter)
        options.isExact = exact
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
            try Terminal.json(result.hits.map { HitDocument($0, lines) })
        } else if pathsOnly {
            var seen = Set<String>()
            for hit in result.hits where seen.insert(hit.entry.place).inserted {
                Terminal.write(Terminal.safe(hit.entry.place))
            }
        } else {
            for hit in result.hits {
                let line = lines.line(of: hit.passage, in: hit.entry).map { ":\($0)" } ?? ""
                let place = Terminal.safe(hit.entry.place) + line
                Terminal.write(
                    "\(Terminal.bold(Terminal.score(hit.score)))  \(place)  "
                        + Terminal.dim(String(hit.entry.id.text.prefix(8)))
                )
                Terminal.write("       \(Terminal.line(hit.entry.text(of: hit.passage) ?? "", limit: 200))")
            }
        }
        guard result.hits.isEmpty else { return }
        if result.stamp.entryCount == 0 {
            throw RoostError(.emptyStore, "the store is empty; add something with `roost ingest PATH`")
        }
        options.note(
            result.candidateCount == 0
                ? "no entry meets the filter" : "nothing was found; a lower --min-score finds more")
        throw ExitCode(ExitStatus.nothingFound.rawValue)
    }
}

struct Query: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Find the entries nearest to a text.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var search: SearchOptions
    @OptionGroup var filters: FilterOptions

    @Argument(help: "What to look for.")
    var text: String

    func run() async throws {
        let store = try await options.open()
        let start = Date()
        let query = try search.queryOptions(try await filters.filter(options, store))
        let result = try await store.query(text, query)
        try await store.close()
        options.remark(on: store.embedder)
        options.detail(String(format: "searched in %.0f ms", Date().timeIntervalSince(start) * 1000))
        try search.show(result, options)
    }
}

struct Similar: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Find the entries nearest to an entry.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var search: SearchOptions
    @OptionGroup var filters: FilterOptions

    @Argument(help: ArgumentHelp("An entry's id, or the beginning of one.", valueName: "ID"))
    var id: String

    func run() async throws {
        let store = try await options.open()
        let query = try search.queryOptions(try await filters.filter(options, store))
        let result = try await store.similar(to: try await options.entryID(id, store), query)
        try await store.close()
        try search.show(result, options)
    }
}
