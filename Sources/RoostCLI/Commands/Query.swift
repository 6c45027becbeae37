import ArgumentParser
import Foundation
import Roost
import RoostServer

struct Query: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: Operations.summary(of: "search"),
        discussion: """
            Prints the best entries first. \(Operations.scoreMeaning)

            With --rerank, a slower model reads the query together with each of the best 50 passages; the score \
            is its estimate, from 0 to 1, that the passage answers the query, and there are no further hits.

            The query can have these operators:

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
              roost query --passages --source book.pdf the whiteness of the whale
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

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Order the best 50 hits by a cross-encoder: an installed model, a model folder, or remote:NAME.",
            valueName: "MODEL"))
    var rerank: String?

    @Flag(name: .long, help: "Do not correct misspelled words.")
    var exactWords = false

    @Flag(name: .long, help: "List passages: an entry is listed once for each of its good passages.")
    var passages = false

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
        let reranker = try rerank.map(EmbedderChoice.reranker)
        let store = try await options.open()
        let start = Date()
        var query = try search.entrySearch(.text(text), try await filters.filter(options, store))
        query.mode = mode
        query.usesExactWords = exactWords
        query.listsPassages = passages
        let answers = { (searches: [EntrySearch]) in
            guard let reranker else { return try await store.search(searches) }
            return try await store.search(searches, rerankedBy: reranker)
        }
        if let batch { return try await answer(batch, store, query, answers) }
        let result = try await answers([query])[0]
        options.detail(String(format: "searched in %.0f ms", Date().timeIntervalSince(start) * 1000))
        // The results are printed before an index is built.
        let shown = Result { try search.show(result, options, filters) }
        try await options.closeAfterSearch(store)
        try shown.get()
    }

    /// The number of lines that `--batch` searches together: large enough for efficient matrix products,
    /// small enough for the first results to appear early.
    private static let batchSize = 512

    private struct Answer: Encodable {
        var line: Int
        var query: String
        var hits: [JoinedDocument<EntryDocument, HitDetails>]
    }

    private func answer(
        _ path: String, _ store: KnowledgeStore, _ query: EntrySearch,
        _ answers: ([EntrySearch]) async throws -> [QueryResult]
    ) async throws {
        let text = try RecordReader.text(InputFile.read(path), name: path == "-" ? "standard input" : path)
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            .filter { !$0.element.allSatisfy(\.isWhitespace) }[...]
        let additions = HitAdditions(context: search.context, hasExplanation: search.explain)
        while !lines.isEmpty {
            let part = lines.prefix(Self.batchSize)
            lines = lines.dropFirst(Self.batchSize)
            let searches = part.map { line in
                var search = query
                search.subject = .text(String(line.element))
                return search
            }
            for (line, result) in zip(part, try await answers(searches)) {
                let hits = result.hits.map {
                    JoinedDocument(EntryDocument($0, in: result), HitDetails($0, additions))
                }
                let answer = Answer(line: line.offset + 1, query: String(line.element), hits: hits)
                try Terminal.json(answer, Terminal.lineEncoder)
            }
        }
        try await options.closeAfterSearch(store)
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

struct Similar: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "similar", abstract: "Find entries similar to an entry, or duplicates.",
        discussion: """
            For a file that was ingested, the search uses the vectors of its entries; any other file is \
            read and embedded. For several ids or files, the search uses the mean of their vectors.

            --duplicates lists groups of near-duplicates: any two entries of a group have at least the \
            cosine similarity of --threshold. The oldest entry of a group comes first.

            Examples:
              roost similar e2d8942a -n 3
              roost similar ~/draft.md --min-score 0.5
              roost similar --duplicates --threshold 0.9 --tag draft
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var search: SearchOptions
    @OptionGroup var filters: FilterOptions

    @Flag(name: .long, help: "List groups of near-duplicates.")
    var duplicates = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The minimum cosine similarity of duplicates.", valueName: "cosine"))
    var threshold: Float = 0.95

    @Argument(help: ArgumentHelp(StoreOptions.entryHelp, valueName: "ID|FILE"))
    var items: [String] = []

    func validate() throws {
        guard items.isEmpty == duplicates else {
            throw ValidationError("give ids or files, or --duplicates")
        }
        guard threshold > 0, threshold <= 1 else {
            throw ValidationError("--threshold must be a number above 0 and at most 1, not \(threshold)")
        }
    }

    func run() async throws {
        let store = try await options.open()
        let filter = try await filters.filter(options, store)
        if duplicates { return try await listDuplicates(store, filter) }
        let result = try await store.search(try search.entrySearch(try await subject(store), filter))
        let shown = Result { try search.show(result, options, filters) }
        try await options.closeAfterSearch(store)
        try shown.get()
    }

    private func subject(_ store: KnowledgeStore) async throws -> EntrySearch.Subject {
        let snapshot = try await store.storage.snapshot()
        if items.count == 1, UUID(uuidString: items[0]) == nil, let status = FileStatus(items[0]),
            status.isRegular || status.isPipe
        {
            let source = RecordReader.sourceID(URL(fileURLWithPath: items[0]))
            if try await snapshot.sources([source]).first?.entryIDs.isEmpty ?? true {
                return .document(try RecordReader.text(InputFile.read(items[0]), name: items[0]))
            }
        }
        var ids: [Entry.ID] = []
        for item in items { ids += try await options.namedEntries(item, store).ids }
        return .entries(ids)
    }

    // MARK: Duplicates

    private struct Document: Encodable {
        var entries: [EntryDocument]
    }

    private func listDuplicates(_ store: KnowledgeStore, _ filter: EntryFilter) async throws {
        let groups = try await Progress(isQuiet: options.quiet).during("comparing entries") {
            try await store.duplicates(threshold: threshold, matching: filter)
        }
        let snapshot = try await store.storage.snapshot()
        var writer = ListWriter(search.output, Self.columns)
        for (index, group) in groups.prefix(search.limitOption.limit ?? .max).enumerated() {
            let scores = Dictionary(uniqueKeysWithValues: zip(group.entries, group.scores))
            let entries = try await snapshot.entries(group.entries)
            if search.output.isJSON {
                var documents = try await EntryDocument.documents(of: entries, in: snapshot)
                for (position, entry) in entries.enumerated() {
                    documents[position].similarity = scores[entry.id]
                }
                try writer.write([ListRow(cells: [], document: Document(entries: documents))])
            } else {
                try writer.write(
                    entries.map { Self.row(of: $0, score: scores[$0.id] ?? 0, group: index + 1) })
            }
        }
        writer.finish(options)
        try await store.close()
        if groups.isEmpty {
            options.note("no two entries have a cosine similarity of \(threshold) or more")
        }
    }

    private static let columns = [
        TableColumn(name: "group", isNumber: true),
        TableColumn(name: "similarity", style: .bold, isNumber: true),
        EntryRow.idColumn, TableColumn(name: "title", isFlexible: true),
        TableColumn(name: "path", style: .dim, isFlexible: true, keepsEnd: true),
    ]

    private static func row(of entry: Entry, score: Float, group: Int) -> ListRow {
        ListRow(
            cells: [
                "\(group)", Terminal.score(score), entry.id.text, EntryTitle.text(of: entry),
                entry.displayPath,
            ], path: entry.listedPath)
    }
}
