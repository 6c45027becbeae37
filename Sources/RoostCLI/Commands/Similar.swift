import ArgumentParser
import Foundation
import Roost

struct Similar: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "similar", abstract: "Find entries similar to an entry, to several, or to a file.",
        discussion: """
            For a file that was ingested, the search uses the vectors of its entries; any other file is \
            read and embedded. For several ids or files, the search uses the mean of their vectors. A name \
            that is both a file and the beginning of an id stands for the file.

            Examples:
              roost similar e2d8942a -n 3
              roost similar e2d8942a d511e8df --diverse
              roost similar ~/draft.md --min-score 0.5
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var search: SearchOptions
    @OptionGroup var filters: FilterOptions

    @Argument(
        help: ArgumentHelp("An entry's id, the beginning of its id, or a file.", valueName: "ID|FILE"),
        completion: DynamicCompletion.entries)
    var items: [String]

    func run() async throws {
        let store = try await options.open()
        let filter = try await filters.filter(options, store)
        let result = try await store.search(try search.entrySearch(try await subject(store), filter))
        try await store.close()
        options.remark(on: store.embedder)
        try search.show(result, options, filters)
    }

    private func subject(_ store: KnowledgeStore) async throws -> EntrySearch.Subject {
        let snapshot = try await store.storage.snapshot()
        var ids: [Entry.ID] = []
        for item in items {
            // A full id takes precedence over a file of the same name.
            if UUID(uuidString: item) != nil || !FileManager.default.fileExists(atPath: item) {
                let isID = item.allSatisfy { $0.isHexDigit || $0 == "-" }
                let keyed = KnowledgeStore.id(ofKey: item)
                if !isID, try await snapshot.revisions(of: [keyed])[keyed] != nil {
                    ids.append(keyed)
                    continue
                }
                guard isID || item.contains("/") || item.contains(".") else {
                    throw CommandError(
                        .noInput,
                        "'\(Terminal.line(item, limit: 200))' is neither an existing file nor an id; run "
                            + "`roost list` for ids, or `roost query` to search for a text")
                }
                ids += try await options.namedEntries(item, store).ids
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
                    "cannot compare several items: the file \(Terminal.line(item, limit: 200)) is not in the "
                        + "store; give it as the only argument")
            }
            guard let text = String(validating: try InputFile.read(item), as: UTF8.self) else {
                throw RoostError(
                    .badInput, "cannot read \(Terminal.line(item, limit: 200)): it is not UTF-8 text")
            }
            return .document(text)
        }
        return .entries(ids)
    }
}
