import ArgumentParser
import Foundation
import Roost
import RoostModel
import RoostServer

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List entries, in the order in which they were added.",
        discussion: """
            Prints the first digits of the id, the title, and the path of the file, relative to the current \
            folder. On a terminal, the list has a header, and its lines are shortened to the width of the \
            terminal. CSV and TSV also contain the tags and dates.

            --count prints the number of entries. --by counts the entries for each value of a property:

              tag                     Each tag; entries with several tags are counted once for each.
              cluster                 The label of the cluster.
              source, folder          The file or other source, and the folder of the file.
              day, week, month, year  The date at which the entry was created.
              KEY                     A metadata key; metadata.KEY if it is one of the names above.

            Examples:
              roost list -n20
              roost list --sort updated --reverse -n20
              roost list --where 'year>=2020' --format csv
              roost list --by tag
              roost list --by cluster --by month --since 2026-01
              roost list --tag draft --format paths -0 | xargs -0 wc -w
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var filters: FilterOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var limitOption: LimitOption

    @Flag(name: .long, help: "Print the number of entries.")
    var count = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Count the entries for each value of this property; repeatable.", valueName: "property"))
    var by: [String] = []

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

    private static let pageSize = 500

    func validate() throws {
        guard offset >= 0 else {
            throw ValidationError("--offset must be a whole number of at least 0, not \(offset)")
        }
        guard properties.count == by.count else {
            throw ValidationError("--by needs a metadata key after 'metadata.'")
        }
    }

    private var properties: [EntryProperty] { by.compactMap(EntryProperty.init) }

    func run() async throws {
        let store = try await options.open()
        let filter = try await filters.filter(options, store)
        if count || !by.isEmpty { return try await showCounts(store, filter) }
        let snapshot = try await store.storage.snapshot()
        var writer = ListWriter(output, EntryRow.columns)
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

    private func listInOrder(
        _ filter: EntryFilter, _ snapshot: any StorageSnapshot, _ writer: inout ListWriter
    ) async throws {
        var rest = limitOption.limit ?? .max
        // The widths of a table follow from its first page.
        let size = output.isJSON ? nil : min(rest, Self.pageSize)
        for try await page in snapshot.entryPages(matching: filter, pageSize: size) {
            let entries = Array(page.entries.prefix(rest))
            try await write(entries, snapshot, &writer)
            rest -= entries.count
            if rest == 0 { break }
        }
    }

    private func write(
        _ entries: [Entry], _ snapshot: any StorageSnapshot, _ writer: inout ListWriter
    ) async throws {
        guard output.isJSON else { return try writer.write(entries.map(EntryRow.row)) }
        let documents = try await EntryDocument.documents(of: entries, in: snapshot)
        try writer.write(documents.map { ListRow(cells: [], document: $0) })
    }

    private func listSorted(
        _ filter: EntryFilter, _ snapshot: any StorageSnapshot, _ writer: inout ListWriter
    ) async throws {
        let ids = try await sort.ids(matching: filter, isReversed: reverse, in: snapshot)
        var listed = ids.dropFirst(offset).prefix(limitOption.limit ?? .max)
        while !listed.isEmpty {
            try await write(
                try await snapshot.entries(Array(listed.prefix(Self.pageSize))), snapshot, &writer)
            listed = listed.dropFirst(Self.pageSize)
        }
    }

    // MARK: Counts

    private func showCounts(_ store: KnowledgeStore, _ filter: EntryFilter) async throws {
        let properties = properties
        guard !properties.isEmpty else {
            let count = try await store.count(matching: filter)
            try await store.close()
            return Terminal.write("\(count)")
        }
        let counts = try await store.count(by: properties, matching: filter)
        try await store.close()
        if counts.isEmpty { options.note(filters.isEmpty ? "the store is empty" : filters.missReason) }
        let columns = by.map { TableColumn(name: Terminal.line($0), isFlexible: true) }
        var writer = ListWriter(output, columns + [TableColumn(name: "count", isNumber: true)])
        try writer.write(
            counts.prefix(limitOption.limit ?? .max).map { count in
                let cells = count.values.map { $0 ?? (output.format == .text ? "-" : "") }
                return ListRow(cells: cells + ["\(count.count)"], document: count)
            })
        writer.finish(options)
    }
}
