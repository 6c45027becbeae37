import ArgumentParser
import Foundation
import Roost

struct CountEntries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Count entries, for example by tag or by cluster and month.",
        discussion: """
            Without --by, prints the number of entries that match. With --by, prints the number for each \
            value of a property:

              tag (or tags)           Each tag; entries with several tags are counted once for each.
              cluster                 The label of the cluster.
              source, folder          The file or other source, and the folder of the file.
              day, week, month, year  The date at which the entry was created.
              KEY                     A metadata key; metadata.KEY if it is one of the names above.

            Two properties are printed as a table whose columns are the values of the second one: the newest \
            periods, or the most frequent values. CSV, TSV and JSON have one row for each combination. \
            Entries without a value are counted as '-', in JSON null.

            Examples:
              roost count --tag draft
              roost count --by tag
              roost count --by cluster --by month --since 2026-01
              roost count --by metadata.year --format csv
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var filters: FilterOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Count the entries for each value of this property; can be given twice.", valueName: "property"),
        completion: DynamicCompletion.properties)
    var by: [String] = []

    @Option(
        name: [.customShort("n", allowingJoined: true), .customLong("limit")], parsing: .unconditional,
        help: ArgumentHelp("The maximum number of rows. Default: all.", valueName: "N"))
    var limit: Int?

    @OptionGroup var output: RowOutputOptions

    func validate() throws {
        guard properties.count == by.count else {
            throw ValidationError("--by needs a metadata key after 'metadata.'")
        }
        guard by.count <= 2, Set(properties).count == by.count else {
            throw ValidationError("give --by at most twice, with two different properties")
        }
        if let limit, limit < 1 {
            throw ValidationError("-n must be a whole number of at least 1, not \(limit)")
        }
        guard limit == nil || !by.isEmpty else {
            throw ValidationError("-n limits the rows of --by; without it, only one number is printed")
        }
    }

    private var properties: [EntryProperty] { by.compactMap(EntryProperty.init) }

    func run() async throws {
        let store = try await options.open()
        let filter = try await filters.filter(options, store)
        let properties = properties
        if properties.isEmpty {
            let count = try await store.count(matching: filter)
            try await store.close()
            // Scripts use the number alone, so it is not aligned as in a table.
            if output.chosen == .table { return Terminal.write("\(count)") }
            return try write([EntryCount(values: [], count: count)], of: [])
        }
        let counts = try await store.counts(by: properties, matching: filter)
        try await store.close()
        if counts.isEmpty { options.note(filters.isEmpty ? "the store is empty" : filters.missReason) }
        if properties.count == 2, output.chosen == .table {
            writeTable(CountTable(counts, of: properties, rowLimit: limit))
        } else {
            try write(limit.map { Array(counts.prefix($0)) } ?? counts, of: properties)
        }
    }

    /// Writes one row for each count.
    private func write(_ counts: [EntryCount], of properties: [EntryProperty]) throws {
        let number = TableColumn(name: "count", isNumber: true)
        let columns =
            properties.map { TableColumn(name: Terminal.line($0.name), isFlexible: true) } + [number]
        if output.chosen == .table { options.page() }
        var writer = ListWriter(output, columns)
        try writer.write(
            counts.map { count in
                let texts = zip(count.values, properties).map { value, property in
                    value == nil && output.chosen != .table ? "" : CountTable.text(value, of: property)
                }
                let names = properties.map(\.name)
                return ListRow(
                    cells: texts + ["\(count.count)"],
                    document: CountDocument(values: Array(zip(names, count.values)), count: count.count))
            })
        writer.finish(options)
    }

    private func writeTable(_ table: CountTable) {
        guard !table.rows.isEmpty else { return }
        options.page()
        let columns =
            [TableColumn(name: Terminal.line(properties[0].name), isFlexible: true)]
            + (table.columns + ["all"]).map { TableColumn(name: $0, isNumber: true) }
        let layout = TableLayout(columns, rows: table.rows, width: Terminal.columns)
        Terminal.write(layout.header)
        for row in table.rows { Terminal.write(layout.line(row)) }
        if table.omittedColumns > 0 {
            let kind = properties[1].isPeriod ? "earlier" : "rarer"
            options.note(
                "omitted \(Count.text(table.omittedColumns, "\(kind) value")) of "
                    + "\(Terminal.line(properties[1].name, limit: 60)); --format csv prints all")
        }
    }
}
