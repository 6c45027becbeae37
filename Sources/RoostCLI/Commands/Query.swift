import ArgumentParser
import Foundation
import Roost

struct Query: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find the entries that answer a text best, by meaning and by words.",
        discussion: """
            "some words" in quotes must stand so in an entry, -word must not occur, begin* stands for all \
            words that begin so. Hits come with their cosine, best first by both lists together; see --mode.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var search: SearchOptions
    @OptionGroup var filters: FilterOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "hybrid: meaning and words; vector: meaning alone, the text taken as it is; text: words alone.",
            valueName: "mode"))
    var mode = SearchMode.hybrid

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("How much words count beside meaning.", valueName: "W"))
    var textWeight: Float = 1

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Answer a query on each line of a file, or of standard input for -, one JSON object a line.",
            valueName: "FILE"))
    var batch: String?

    @Argument(help: "What to look for.")
    var text: String?

    func validate() throws {
        guard textWeight.isFinite, textWeight >= 0 else {
            throw ValidationError("--text-weight takes a number from 0, not \(textWeight).")
        }
        guard (text == nil) != (batch == nil) else {
            throw ValidationError(
                text == nil
                    ? "say what to look for; a text that begins with - goes after --."
                    : "--batch FILE takes the place of a text; give one of them.")
        }
        if batch != nil, search.pathsOnly {
            throw ValidationError("--batch writes JSON Lines; -l is of no use with it.")
        }
    }

    func run() async throws {
        let store = try await options.open()
        let start = Date()
        var query = try search.queryOptions(try await filters.filter(options, store))
        query.mode = mode
        query.textWeight = textWeight
        if let batch { return try await answer(batch, store, query) }
        let result = try await store.query(text ?? "", query)
        try await store.close()
        options.remark(on: store.embedder)
        options.detail(String(format: "searched in %.0f ms", Date().timeIntervalSince(start) * 1000))
        try search.show(result, options)
    }

    /// The answer to one line.
    private struct Answer: Encodable {
        var line: Int
        var query: String
        var hits: [HitDocument]
    }

    private func answer(_ path: String, _ store: KnowledgeStore, _ query: QueryOptions) async throws {
        guard let text = String(validating: try InputFile.read(path), as: UTF8.self) else {
            throw RoostError(.badInput, "the queries are not UTF-8 text")
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            .filter { !$0.element.allSatisfy(\.isWhitespace) }
        guard !lines.isEmpty else { throw RoostError(.badInput, "there is no query: every line is empty") }
        // Before anything is written.
        for line in lines where mode != .vector && TextQuery(String(line.element)).isOnlyExclusion {
            throw RoostError(
                .badInput,
                "line \(line.offset + 1) says only what to leave out; give some words to look for as well")
        }
        guard try await store.storage.snapshot().stamp.entryCount > 0 else { throw SearchOptions.emptyStore }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let places = SourceLines()
        var notices = Set<String>()
        for start in stride(from: 0, to: lines.count, by: 512) {
            let part = lines[start..<min(lines.count, start + 512)]
            let results = try await store.query(all: part.map { String($0.element) }, query)
            for (line, result) in zip(part, results) {
                for notice in result.notices where notices.insert(notice).inserted { options.note(notice) }
                if result.omittedTokens > 0 {
                    options.note(
                        "line \(line.offset + 1) is longer than the model takes in: its last "
                            + "\(result.omittedTokens) tokens were left out")
                }
                let hits = result.hits.map { HitDocument($0, result.snippet(of: $0), search, places) }
                Terminal.write(
                    try encoder.encode(Answer(line: line.offset + 1, query: String(line.element), hits: hits))
                        + Data("\n".utf8))
            }
        }
        try await store.close()
        options.remark(on: store.embedder)
    }
}

struct Similar: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find the entries nearest to an entry, to several, or to a file.",
        discussion: """
            A file that is in the store stands for its entries, another is read and embedded. Several ids \
            and \
            files of the store are compared by their mean.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var search: SearchOptions
    @OptionGroup var filters: FilterOptions

    @Argument(help: ArgumentHelp("An entry's id, the beginning of one, or a file.", valueName: "ID|FILE"))
    var items: [String]

    func run() async throws {
        let store = try await options.open()
        let query = try search.queryOptions(try await filters.filter(options, store))
        let result = try await find(store, query)
        try await store.close()
        options.remark(on: store.embedder)
        try search.show(result, options)
    }

    private func find(_ store: KnowledgeStore, _ query: QueryOptions) async throws -> QueryResult {
        let snapshot = try await store.storage.snapshot()
        var ids: [Entry.ID] = []
        for item in items {
            // An id that is a file's name too is an id.
            if UUID(uuidString: item) != nil || !FileManager.default.fileExists(atPath: item) {
                guard item.allSatisfy({ $0.isHexDigit || $0 == "-" }) else {
                    throw CommandError(
                        .noInput, "there is no file '\(Terminal.line(item, limit: 200))', and it is no id")
                }
                ids.append(try await options.entryID(item, store))
                continue
            }
            let source = RecordReader.sourceID(URL(fileURLWithPath: item))
            if let known = try await snapshot.sources([source]).first, !known.entryIDs.isEmpty {
                ids += known.entryIDs
                continue
            }
            guard items.count == 1 else {
                throw CommandError(
                    .usage,
                    "\(Terminal.line(item, limit: 200)) is not in the store; such a file is compared alone")
            }
            guard let text = String(validating: try InputFile.read(item), as: UTF8.self) else {
                throw RoostError(.badInput, "\(Terminal.line(item, limit: 200)) is not UTF-8 text")
            }
            return try await store.similar(toText: text, query)
        }
        return try await store.similar(to: ids, query)
    }
}
