import ArgumentParser
import Foundation
import Roost
import RoostModel

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List entries, in the order in which they were added.",
        discussion: """
            Prints the first digits of the id, the title, and the path of the file, relative to the current \
            folder. On a terminal, the list has a header, and its lines are shortened to the width of the \
            terminal. CSV and TSV also contain the tags and dates.

            Examples:
              roost list -n20
              roost list --sort updated --reverse -n20
              roost list --source notes/birds --since yesterday
              roost list --where 'year>=2020' --format csv
              roost list --template '{id} {metadata.year} {title}'
              roost list --tag draft --format paths -0 | xargs -0 wc -w
            """,
        aliases: ["ls"])

    @OptionGroup var options: StoreOptions
    @OptionGroup var filters: FilterOptions
    @OptionGroup var output: ListOutputOptions

    @Option(
        name: [.customShort("n", allowingJoined: true), .customLong("limit")], parsing: .unconditional,
        help: ArgumentHelp("The maximum number of entries. Default: all.", valueName: "N"))
    var limit: Int?

    @Option(name: .long, help: ArgumentHelp("Omit the first entries of the list.", valueName: "N"))
    var offset = 0

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The order: added, title, created (oldest first), updated, size (shortest first) or source.",
            valueName: "order"))
    var sort = EntryOrder.added

    @Flag(name: .long, help: "List in the opposite order, such as newest first.")
    var reverse = false

    /// The maximum number of entries that are read at once.
    private static let pageSize = 500

    func validate() throws {
        if let limit, limit < 1 {
            throw ValidationError("-n must be a whole number of at least 1, not \(limit)")
        }
        guard offset >= 0 else {
            throw ValidationError("--offset must be a whole number of at least 0, not \(offset)")
        }
    }

    func run() async throws {
        let store = try await options.open()
        let filter = try await filters.filter(options, store)
        let snapshot = try await store.storage.snapshot()
        let encoder = Terminal.lineEncoder
        encoder.userInfo[.omitsVectors] = true
        if output.chosen == .table { options.page() }
        var writer = ListWriter(output, EntryRow.columns, encoder)
        if sort == .added, !reverse, offset == 0 {
            try await listInOrder(filter, snapshot, &writer)
        } else {
            try await listSorted(filter, snapshot, &writer)
        }
        writer.finish(options)
        try await store.close()
        if writer.count == 0 {
            options.note(
                snapshot.stamp.entryCount == 0
                    ? "the store is empty; add entries with `roost ingest PATH`"
                    : offset > 0 ? "no entry follows the omitted ones" : filters.missReason)
        }
    }

    /// Lists entries while they are read.
    private func listInOrder(
        _ filter: EntryFilter, _ snapshot: any StorageSnapshot, _ writer: inout ListWriter
    ) async throws {
        var rest = limit ?? .max
        for try await page in snapshot.entryPages(matching: filter, pageSize: min(rest, Self.pageSize)) {
            let entries = page.entries.prefix(rest)
            try writer.write(entries.map { EntryRow.row($0, document: $0) })
            rest -= entries.count
            if rest == 0 { break }
        }
    }

    private func listSorted(
        _ filter: EntryFilter, _ snapshot: any StorageSnapshot, _ writer: inout ListWriter
    ) async throws {
        let ids = try await sort.ids(matching: filter, isReversed: reverse, in: snapshot)
        var listed = ids.dropFirst(offset).prefix(limit ?? .max)
        while !listed.isEmpty {
            let entries = try await snapshot.entries(Array(listed.prefix(Self.pageSize)))
            try writer.write(entries.map { EntryRow.row($0, document: $0) })
            listed = listed.dropFirst(Self.pageSize)
        }
    }
}
