import ArgumentParser
import Foundation
import Roost

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show entries, or the entries of a file.",
        discussion: """
            Prints the properties and the text of each entry: the reader of its file, the title, the dates, \
            the sections and the links. With --links, prints the links of the entry and the entries that \
            link to it. Links to notes are resolved as Obsidian does: by the name of the file, by its path, or by \
            an alias. Parts that are stored but not embedded, such as front matter, \
            comments and addresses, are listed as "hidden", and parts that could not be read as "unread". \
            Lines that more than 5% of the entries contain, such as footers and navigation, are listed as \
            "excluded": the last `roost recluster` ignored them.

            \(StoreOptions.entryRule) With --json, several entries are printed as an array.

            Examples:
              roost show e2d8942a
              roost show notes/birds.md
              roost show e2d8942a d511e8df
              roost show e2d8942a --json --with-embeddings
              roost show notes/birds.md --links
              roost show --original e2d8942a > article.md
            """)

    @OptionGroup var options: StoreOptions

    @Argument(
        help: ArgumentHelp(StoreOptions.entryHelp, valueName: "ID|FILE"))
    var items: [String]

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    @Flag(name: .long, help: "Include the vectors in the JSON.")
    var withEmbeddings = false

    @Flag(
        name: .long,
        help: "Print the original file of the entry, byte for byte; see `roost ingest --keep-originals`.")
    var original = false

    @Flag(name: .long, help: "List the links from and to the entry instead of its text.")
    var links = false

    func validate() throws {
        guard !links || !original && !withEmbeddings else {
            throw ValidationError("--links cannot be combined with --original or --with-embeddings")
        }
        guard !original || !json && !withEmbeddings else {
            throw ValidationError("--original cannot be combined with --json or --with-embeddings")
        }
        guard !original || items.count == 1 else {
            throw ValidationError("--original prints the file of one entry, not of \(items.count)")
        }
    }

    /// The JSON output for an entry.
    private struct Document: Encodable {
        var entry: Entry
        /// The number of tokens that no vector covers; `nil` if the model is not installed.
        var omittedTokens: Int?
        /// The lines that the last clustering run excluded; `nil` if there are none.
        var boilerplateLines: [String]?
        var treatment: EntryTreatmentDocument

        enum CodingKeys: String, CodingKey { case omittedTokens, boilerplateLines }

        func encode(to encoder: any Encoder) throws {
            try entry.encode(to: encoder)
            try treatment.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(omittedTokens, forKey: .omittedTokens)
            try container.encodeIfPresent(boilerplateLines, forKey: .boilerplateLines)
        }
    }

    /// Returns a description such as `3, 441 tokens; none omitted`.
    private static func describe(_ passages: [Passage], _ omitted: Int?) -> String {
        let omission =
            switch omitted {
            case nil: ""
            case 0: "; none omitted"
            case let count?: "; \(Count.text(count, "token")) omitted"
            }
        let tokens = passages.reduce(0) { $0 + $1.tokenCount }
        return "\(max(1, passages.count)), \(Count.text(tokens, "token"))\(omission)"
    }

    func run() async throws {
        let store = try await options.open()
        var ids: [Entry.ID] = []
        for item in items { ids += try await options.namedEntries(item, store).ids }
        var seen = Set<Entry.ID>()
        ids = ids.filter { seen.insert($0).inserted }
        // All entries of a file have the same original.
        if original, let id = ids.first {
            let document = try await store.originals?.document(of: id, in: store.storage.snapshot())
            try await store.close()
            guard let document else { return }
            return Terminal.write(document)
        }
        if links { return try await showLinks(of: ids, store) }
        let snapshot = try await store.storage.snapshot()
        let entries = try await snapshot.entries(ids)
        let found = Set(entries.map(\.id))
        if let missing = ids.first(where: { !found.contains($0) }) {
            throw RoostError(.notFound, "no entry has the id \(missing.text)")
        }
        // A file can have thousands of entries, and the record of a source lists all of them.
        let assignments = try await snapshot.assignments(of: ids)
        let assigned = Dictionary(assignments.map { ($0.entry, $0) }) { first, _ in first }
        let records = try await snapshot.clusterRecords()
        let clusters = Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
        let known = try await snapshot.sources(Set(entries.compactMap(\.source)).sorted())
        let sources = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
        var shown: [ShownEntry] = []
        for entry in entries {
            let source = entry.source.flatMap { sources[$0] }
            shown.append(
                ShownEntry(
                    entry: entry, cluster: assigned[entry.id]?.cluster.flatMap { clusters[$0] },
                    // Only the model can count tokens.
                    omittedTokens: store.embedder is AbsentEmbedder
                        ? nil : store.entryEmbedder.omittedTokens(of: entry),
                    boilerplate: store.clusters.boilerplateLines(of: entry),
                    treatment: try await EntryTreatmentDocument(of: entry, from: source, in: store)))
        }
        try await store.close()
        if json { return try writeJSON(shown) }
        for (index, entry) in shown.enumerated() {
            if index > 0 { Terminal.write("") }
            Self.write(entry)
        }
    }

    private static let linkColumns = [
        TableColumn(name: "direction"), EntryRow.idColumn, TableColumn(name: "link", isFlexible: true),
        TableColumn(name: "title", style: .dim, isFlexible: true),
    ]

    private func showLinks(of ids: [Entry.ID], _ store: KnowledgeStore) async throws {
        var documents: [LinkDocument] = []
        let links = try await store.links
        for id in ids {
            documents += try await links.of(id).map { LinkDocument($0) }
            documents += try await links.to(id).map { LinkDocument($0) }
        }
        try await store.close()
        if json { return try Terminal.json(documents) }
        var writer = ListWriter(nil, Self.linkColumns)
        try writer.write(
            documents.map {
                ListRow(
                    cells: [
                        $0.direction, $0.entry ?? $0.destination, $0.written,
                        Terminal.line($0.title ?? $0.path ?? "", limit: .max),
                    ], document: $0)
            })
        writer.finish(options)
        if documents.isEmpty { options.note("no links lead from or to the entry") }
    }

    private func writeJSON(_ shown: [ShownEntry]) throws {
        let encoder = Terminal.prettyEncoder
        encoder.userInfo[.omitsVectors] = !withEmbeddings
        let documents = shown.map {
            Document(
                entry: $0.entry, omittedTokens: $0.omittedTokens,
                boilerplateLines: $0.boilerplate.isEmpty ? nil : $0.boilerplate, treatment: $0.treatment)
        }
        if documents.count == 1 {
            try Terminal.json(documents[0], encoder)
        } else {
            try Terminal.json(documents, encoder)
        }
    }

    private struct ShownEntry {
        var entry: Entry
        var cluster: Cluster?
        /// The number of tokens that no vector covers; `nil` if the model is not installed.
        var omittedTokens: Int?
        var boilerplate: [String]
        var treatment: EntryTreatmentDocument
    }

    private static func write(_ shown: ShownEntry) {
        let entry = shown.entry
        func line(_ name: String, _ value: String) {
            Terminal.write(Terminal.dim(name.padding(toLength: 10, withPad: " ", startingAt: 0)) + value)
        }
        line("id", entry.id.text)
        line("source", Terminal.safe(entry.displayPath))
        line("created", DateText.string(from: entry.createdAt))
        line("updated", DateText.string(from: entry.updatedAt))
        if !entry.tags.isEmpty { line("tags", entry.tags.map { Terminal.line($0) }.joined(separator: ", ")) }
        for (key, value) in entry.metadata.sorted(by: { $0.key < $1.key })
        where !EntryTreatmentDocument.listedKeys.contains(key) {
            line("metadata", "\(Terminal.line(key)) = \(Terminal.line(value.displayText))")
        }
        for item in shown.treatment.lines { line(item.name, item.value) }
        line("passages", describe(entry.passages, shown.omittedTokens))
        if let cluster = shown.cluster {
            line("cluster", "\(Terminal.line(cluster.label)) (\(cluster.id.text.prefix(8)))")
        }
        for text in shown.boilerplate { line("excluded", Terminal.line(text)) }
        // A pipe or file gets the exact text; a terminal gets it without control characters.
        Terminal.write(Data("\n\(entry.content)\n".utf8))
    }
}
