import ArgumentParser
import Foundation
import Roost

/// The options of the commands of `roost llm`, in which `--store` is a flag, as in `llm`.
struct LLMOptions: ParsableArguments {
    @Option(
        name: [.customShort("d"), .customLong("database")],
        help: ArgumentHelp("The store's folder.", valueName: "DIR"), completion: .directory)
    var database: String?

    @Flag(name: .shortAndLong, help: "Print only results and errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print details: the store, the model and the duration.")
    var verbose = false

    @OptionGroup var display: DisplayOptions

    /// The options of other commands, with the same values.
    func storeOptions() throws -> StoreOptions {
        let flags = [(quiet, "--quiet"), (verbose, "--verbose"), (display.noPager, "--no-pager")]
        return try StoreOptions.parse(
            (database.map { ["--store=" + $0] } ?? []) + ["--color", display.color.rawValue]
                + flags.filter(\.0).map(\.1))
    }

    /// Opens the store for reading.
    ///
    /// - Returns: The store, a snapshot, and a filter that matches the texts of the collection.
    /// - Throws: The errors of ``sources(of:_:)`` and of opening a store.
    static func open(
        _ collection: String, _ options: StoreOptions
    ) async throws -> (store: KnowledgeStore, snapshot: any StorageSnapshot, filter: EntryFilter) {
        let store = try await options.open(recordingUndo: false)
        let snapshot = try await store.storage.snapshot()
        var filter = EntryFilter.all
        filter.sources = try await sources(of: collection, snapshot)
        return (store, snapshot, filter)
    }

    /// Returns the source of the entries that `roost llm` adds to a collection. Sources imported from
    /// `embeddings.db` and from Chroma also contain `#` and the encoded name of the collection.
    static func source(of collection: String) -> String {
        "llm:#" + (collection.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    }

    /// Returns the name of the collection that a source contains; `nil` for other sources.
    static func collection(of source: String) -> String? {
        guard source.hasPrefix("llm:") || source.hasPrefix("chroma:"),
            let mark = source.lastIndex(of: "#")
        else { return nil }
        return source[source.index(after: mark)...].removingPercentEncoding
    }

    /// Returns the numbers of the entries of all sources that are collections.
    static func collectionSizes(_ snapshot: any StorageSnapshot) async throws -> [String: Int] {
        var sizes: [String: Int] = [:]
        for try await page in snapshot.headerPages() {
            for source in page.headers.compactMap(\.source) where collection(of: source) != nil {
                sizes[source, default: 0] += 1
            }
        }
        return sizes
    }

    /// Returns the sources of a collection.
    ///
    /// - Throws: ``RoostError`` with `.notFound`, whose message names a similar collection if there is one.
    private static func sources(of name: String, _ snapshot: any StorageSnapshot) async throws -> Set<String>
    {
        let all = try await collectionSizes(snapshot).keys
        let found = all.filter { collection(of: $0) == name }
        guard !found.isEmpty else {
            let advice = Suggestion.clause(
                for: name, among: all.compactMap { collection(of: $0) },
                else: "run `roost llm collections` to list the collections")
            throw RoostError(
                .notFound, "no collection has the name '\(Terminal.line(name, limit: 40))'; \(advice)")
        }
        return Set(found)
    }
}
