import ArgumentParser
import Foundation
import Roost

struct Duplicates: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duplicates", abstract: "Find groups of near-duplicate entries.",
        discussion: """
            Any two entries of a group have at least the given cosine similarity. The entries of a group \
            are listed oldest first, each with its similarity to the first entry. JSON has one object per \
            group; the other formats have one row per entry, with the number of its group.

            Examples:
              roost duplicates
              roost duplicates --threshold 0.9 --tag draft -n 5
              roost duplicates --format csv > duplicates.csv
            """)

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

    @OptionGroup var options: StoreOptions
    @OptionGroup var filters: FilterOptions
    @OptionGroup var output: ListOutputOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The minimum cosine similarity of any two entries of a group.", valueName: "cosine"))
    var threshold: Float = 0.95

    @Option(
        name: [.customShort("n", allowingJoined: true), .customLong("limit")], parsing: .unconditional,
        help: "The maximum number of groups. Default: all.")
    var limit: Int?

    func validate() throws {
        if let limit, limit < 1 {
            throw ValidationError("-n must be a whole number of at least 1, not \(limit)")
        }
        guard threshold > 0, threshold <= 1 else {
            throw ValidationError("--threshold must be a number above 0 and at most 1, not \(threshold)")
        }
    }

    func run() async throws {
        let store = try await options.open()
        let filter = try await filters.filter(options, store)
        let groups = try await Progress(isQuiet: options.quiet).during("comparing entries") {
            try await store.duplicates(threshold: threshold, matching: filter)
        }
        let snapshot = try await store.storage.snapshot()
        if output.chosen == .table { options.page() }
        var writer = ListWriter(output, Self.columns)
        let isJSON = [.json, .jsonl].contains(output.chosen)
        for (index, group) in groups.prefix(limit ?? .max).enumerated() {
            let members = try await members(group, snapshot)
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

    private func members(
        _ group: DuplicateGroup, _ snapshot: any StorageSnapshot
    ) async throws -> [(Entry, Float)] {
        let scores = Dictionary(uniqueKeysWithValues: zip(group.entries, group.scores))
        return try await snapshot.entries(group.entries).map { ($0, scores[$0.id] ?? 0) }
    }
}
