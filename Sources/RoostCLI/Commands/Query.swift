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

    @Argument(help: "What to look for.")
    var text: String

    func validate() throws {
        guard textWeight.isFinite, textWeight >= 0 else {
            throw ValidationError("--text-weight takes a number from 0, not \(textWeight).")
        }
    }

    func run() async throws {
        let store = try await options.open()
        let start = Date()
        var query = try search.queryOptions(try await filters.filter(options, store))
        query.mode = mode
        query.textWeight = textWeight
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
