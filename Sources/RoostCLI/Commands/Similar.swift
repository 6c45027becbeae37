import ArgumentParser
import Foundation
import Roost

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
        try await store.close()
        try search.show(result, options, filters)
    }

    private func subject(_ store: KnowledgeStore) async throws -> EntrySearch.Subject {
        let snapshot = try await store.storage.snapshot()
        if items.count == 1, UUID(uuidString: items[0]) == nil, FileStatus(items[0])?.isRegular == true {
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

    /// The JSON output for a group.
    private struct Document: Encodable {
        struct Member: Encodable {
            var id: String
            var score: Float
            var path: String?
            var source: String?
            var text: String
        }

        var entries: [Member]
    }

    private func listDuplicates(_ store: KnowledgeStore, _ filter: EntryFilter) async throws {
        let groups = try await Progress(isQuiet: options.quiet).during("comparing entries") {
            try await store.duplicates(threshold: threshold, matching: filter)
        }
        let snapshot = try await store.storage.snapshot()
        var writer = ListWriter(search.output, Self.columns)
        let isJSON = [.json, .jsonl].contains(search.output.format)
        for (index, group) in groups.prefix(search.limitOption.limit ?? .max).enumerated() {
            let scores = Dictionary(uniqueKeysWithValues: zip(group.entries, group.scores))
            let members = try await snapshot.entries(group.entries).map { ($0, scores[$0.id] ?? 0) }
            try writer.write(
                isJSON
                    ? [ListRow(cells: [], document: Self.document(of: members))]
                    : members.map { Self.row(of: $0, score: $1, group: index + 1) })
        }
        writer.finish(options)
        try await store.close()
        if groups.isEmpty {
            options.note("no two entries have a cosine similarity of \(threshold) or more")
        }
    }

    private static let columns = [
        TableColumn(name: "group", isNumber: true), TableColumn(name: "score", style: .bold, isNumber: true),
        EntryRow.idColumn, TableColumn(name: "title", isFlexible: true),
        TableColumn(name: "path", style: .dim, isFlexible: true, keepsEnd: true),
    ]

    private static func row(of entry: Entry, score: Float, group: Int) -> ListRow {
        ListRow(
            cells: [
                "\(group)", Terminal.score(score), entry.id.text, EntryTitle.text(of: entry),
                entry.displayPath,
            ], document: group, path: entry.listedPath)
    }

    private static func document(of members: [(Entry, Float)]) -> Document {
        Document(
            entries: members.map { entry, score in
                Document.Member(
                    id: entry.id.text, score: score, path: entry.sourcePath, source: entry.source,
                    text: Terminal.line(entry.content, limit: 200))
            })
    }
}
