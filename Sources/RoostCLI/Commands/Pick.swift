import ArgumentParser
import Foundation
import Roost

struct Pick: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pick", abstract: "Choose an entry from a list on the terminal, and open it.",
        discussion: """
            Lists the newest 20,000 entries, or the first 500 hits of a query. If fzf is installed, it shows \
            the list and filters it by title, path and tags. Otherwise, or with --builtin, the \
            built-in list finds the entries that contain every typed word in the title, the path, the tags \
            or the first 1,000 characters of the text. The text of the selected entry is shown as a preview.

            The arrow keys select an entry, Enter opens it at its line in $VISUAL or $EDITOR, and Escape \
            closes the list. An entry that is not from a file is printed instead. If standard output is not \
            a terminal, the entry's id is printed.

            Examples:
              roost pick
              roost pick sourdough starter
              roost show $(roost pick --tag draft)
              wc -w "$(roost pick --print path)"
            """)

    /// The property of the chosen entry that is printed.
    enum Property: String, CaseIterable, ExpressibleByArgument {
        case id, path
    }

    @OptionGroup var options: StoreOptions
    @OptionGroup var filters: FilterOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Print the id or the path of the entry instead of opening it.", valueName: "id|path"))
    var print: Property?

    @Flag(name: .long, help: "Use the built-in list even if fzf is installed.")
    var builtin = false

    /// The id of an entry whose text is printed for the preview of fzf.
    @Option(name: .long, help: .hidden)
    var preview: String?

    @Argument(
        help: ArgumentHelp("List only the hits of this query; it needs no quotes.", valueName: "query"))
    var words: [String] = []

    /// The maximum number of listed entries, and of listed hits.
    private static let maximumCount = 20_000
    private static let maximumHits = 500

    func run() async throws {
        if let preview { return try await showPreview(preview) }
        guard PickTerminal.isPossible else {
            throw CommandError(
                .usage,
                "cannot show a list: standard input and standard error must be a terminal, and TERM must not "
                    + "be dumb; use `roost list` or `roost query`")
        }
        let store = try await options.open(recordingUndo: false)
        let snapshot = try await store.storage.snapshot()
        let items = try await items(store, snapshot)
        guard !items.isEmpty else {
            try await store.close()
            options.note(
                snapshot.stamp.entryCount == 0
                    ? "the store is empty; add entries with `roost ingest PATH`" : "no entry matches")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        let item: PickItem?
        if !builtin, let finder = FuzzyFinder() {
            item = try finder.choose(from: items, in: options.location().standardizedFileURL)
        } else {
            let isStyled =
                options.color == .always || options.color == .auto && Terminal.environmentPermitsColor
            let isCut = items.count == Self.maximumCount && words.isEmpty
            let terminal = PickTerminal(
                isStyled: isStyled,
                remark: isCut ? "only the newest entries; `roost pick QUERY` searches all" : "")
            item = try await terminal.choose(from: items) { item in
                try await snapshot.entries([item.id]).first?.content ?? ""
            }
        }
        var entry: Entry?
        if let item { entry = try await snapshot.entries([item.id]).first }
        try await store.close()
        guard let entry else { throw ExitCode(ExitStatus.interrupted.rawValue) }
        try await use(entry)
    }

    /// Returns the hits of the query, or the newest entries.
    private func items(_ store: KnowledgeStore, _ snapshot: any StorageSnapshot) async throws -> [PickItem] {
        let filter = try await filters.filter(options, store)
        guard words.isEmpty else {
            let text = try QueryText.text(of: words, excluding: [])
            let search = EntrySearch(.text(text), matching: filter, limit: Self.maximumHits)
            let result = try await store.search(search)
            options.remark(on: store.embedder)
            return result.hits.map { PickItem($0.entry) }
        }
        var items: [PickItem] = []
        for try await entry in snapshot.allEntries(matching: filter) {
            items.append(PickItem(entry))
            if items.count >= 2 * Self.maximumCount { items.removeFirst(Self.maximumCount) }
        }
        return items.suffix(Self.maximumCount).reversed()
    }

    /// Prints or opens the chosen entry.
    private func use(_ entry: Entry) async throws {
        switch print ?? (Terminal.isOutputTerminal ? nil : .id) {
        case .id: return Terminal.write(entry.id.text)
        case .path:
            guard let path = entry.sourcePath else {
                throw CommandError(.noInput, "cannot print the path: the entry is not from a file")
            }
            return Terminal.write(path)
        case nil: break
        }
        if let path = entry.sourcePath, FileManager.default.fileExists(atPath: path),
            let editor = try? EditorCommand()
        {
            try editor.open(path, line: entry.sourceLine(ofByte: 0))
        }
        let store = try options.location().path
        try await Show.asyncParse([entry.id.text, "--store", store]).run()
    }

    /// Prints the text of an entry without control characters: fzf would pass them on to the terminal.
    private func showPreview(_ id: String) async throws {
        let store = try await options.open(recordingUndo: false)
        let id = try await options.entryID(id, store)
        let entry = try await store.storage.snapshot().entries([id]).first
        try await store.close()
        guard let entry else { throw RoostError(.notFound, "no entry has the id \(id.text)") }
        Terminal.write("\(EntryTitle.text(of: entry))\n\(entry.displayPath)\n", keepingLines: true)
        Terminal.write(entry.content, keepingLines: true)
    }
}
