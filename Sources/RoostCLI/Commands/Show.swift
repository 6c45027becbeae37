import ArgumentParser
import Foundation
import Roost
import RoostDocuments
import RoostServer

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
              roost show e2d8942a --json
              roost show notes/birds.md --links
              roost show --original e2d8942a > article.md
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var output: JSONOption

    @Argument(
        help: ArgumentHelp(StoreOptions.entryHelp, valueName: "ID|FILE"))
    var items: [String]

    @Flag(
        name: .long,
        help: "Print the original file of the entry, byte for byte; see `roost ingest --keep-originals`.")
    var original = false

    @Flag(name: .long, help: "List the links from and to the entry instead of its text.")
    var links = false

    func validate() throws {
        guard !original || !links && !output.json else {
            throw ValidationError("--original cannot be combined with --links or --json")
        }
        guard !original || items.count == 1 else {
            throw ValidationError("--original prints the file of one entry, not of \(items.count)")
        }
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
        if output.json {
            try await writeJSON(entries, snapshot)
            return try await store.close()
        }
        // A file can have thousands of entries, and the record of a source lists all of them.
        let assignments = try await snapshot.assignments(of: ids)
        let assigned = Dictionary(assignments.map { ($0.entry, $0) }) { first, _ in first }
        let records = try await snapshot.clusterRecords()
        let clusters = Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
        let known = try await snapshot.sources(Set(entries.compactMap(\.source)).sorted())
        let sources = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
        for (index, entry) in entries.enumerated() {
            if index > 0 { Terminal.write("") }
            try await write(
                entry, from: entry.source.flatMap { sources[$0] },
                assigned[entry.id]?.cluster.flatMap { clusters[$0] }, store)
        }
        try await store.close()
    }

    private static let linkColumns = [
        TableColumn(name: "direction"), EntryRow.idColumn, TableColumn(name: "link", isFlexible: true),
        TableColumn(name: "title", style: .dim, isFlexible: true),
    ]

    private func showLinks(of ids: [Entry.ID], _ store: KnowledgeStore) async throws {
        var documents: [LinkDocument] = []
        let links = try await store.links
        for id in ids { documents += try await LinkDocument.links(of: id, in: links) }
        try await store.close()
        if output.json { return try Terminal.json(documents) }
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

    private func writeJSON(_ entries: [Entry], _ snapshot: any StorageSnapshot) async throws {
        var documents = try await EntryDocument.documents(of: entries, in: snapshot)
        for (index, entry) in entries.enumerated() { documents[index].line = entry.sourceLine(ofByte: 0) }
        if documents.count == 1 {
            try Terminal.json(documents[0])
        } else {
            try Terminal.json(documents)
        }
    }

    private func write(
        _ entry: Entry, from source: Source?, _ cluster: Cluster?, _ store: KnowledgeStore
    ) async throws {
        func line(_ name: String, _ value: String) {
            Terminal.write(Terminal.dim(name.padding(toLength: 10, withPad: " ", startingAt: 0)) + value)
        }
        line("id", entry.id.text)
        line("source", TerminalText.safe(entry.displayPath))
        line("created", DateText.string(from: entry.createdAt))
        line("updated", DateText.string(from: entry.updatedAt))
        if !entry.tags.isEmpty { line("tags", entry.tags.map { Terminal.line($0) }.joined(separator: ", ")) }
        for (key, value) in entry.metadata.sorted(by: { $0.key < $1.key })
        where !Self.documentKeys.contains(key) {
            line("metadata", "\(Terminal.line(key)) = \(Terminal.line(value.displayText))")
        }
        let links = try await store.links.of(entry.id).map(\.link)
        for (name, value) in Self.structureLines(of: entry, from: source, links) { line(name, value) }
        let tokens = entry.passages.reduce(0) { $0 + $1.tokenCount }
        line("passages", "\(max(1, entry.passages.count)), \(Count.text(tokens, "token"))")
        if let cluster { line("cluster", "\(Terminal.line(cluster.label)) (\(cluster.id.text.prefix(8)))") }
        for text in store.clusters.boilerplateLines(of: entry) { line("excluded", Terminal.line(text)) }
        // A pipe or file gets the exact text; a terminal gets it without control characters.
        Terminal.write(Data("\n\(entry.content)\n".utf8))
    }

    /// The keys of the metadata that ``structureLines(of:from:_:)`` contains.
    private static let documentKeys: Set = [DocumentKey.title, DocumentKey.links, DocumentKey.unreadParts]
    private static let maximumListed = 12

    /// Returns the names and the values of the lines about the reader, the sections, the links, and the parts that are
    /// not embedded or could not be read.
    private static func structureLines(
        of entry: Entry, from source: Source?, _ links: [DocumentLink]
    ) -> [(String, String)] {
        let structure = entry.structure ?? TextStructure()
        let type = DocumentReaders.standard.types.first { $0.name == source?.documentType }
        let reader = type?.title ?? source?.documentType ?? structure.format.rawValue
        var lines = [("reader", Terminal.line(reader))]
        if let title = entry.title { lines.append(("title", Terminal.line(title))) }
        func list(_ name: String, _ values: [String]) {
            lines += values.prefix(maximumListed).map { (name, $0) }
            let rest = values.count - maximumListed
            if rest > 0 { lines.append((name, "… and \(rest) more")) }
        }
        let sections = structure.sections.map(\.headings).filter { !$0.isEmpty }
        list("section", sections.map { Terminal.line($0.joined(separator: " > ")) })
        list("link", links.map(LinkDocument.written))
        list(
            "hidden",
            structure.hiddenParts.map {
                "\($0.kind.rawValue) on line \(entry.line(ofByte: $0.range.lowerBound)), not embedded"
            })
        let unread = entry.metadata[DocumentKey.unreadParts]?.comparableTexts ?? []
        list("unread", unread.map { Terminal.line($0) })
        return lines
    }
}

extension MetadataValue {
    /// The value for people: the elements of an array, separated by commas; `…` for an object.
    fileprivate var displayText: String {
        if case .array(let values) = self { return values.map(\.displayText).joined(separator: ", ") }
        return text ?? "…"
    }
}

extension LinkDocument {
    var written: String { Self.written(kind, target, fragment) }

    static func written(_ link: DocumentLink) -> String {
        written(link.kind.rawValue, link.target, link.fragment)
    }

    private static func written(_ kind: String, _ target: String, _ fragment: String?) -> String {
        let target = Terminal.line(target + (fragment.map { "#\($0)" } ?? ""))
        return switch kind {
        case DocumentLink.Kind.wiki.rawValue: "[[\(target)]]"
        case DocumentLink.Kind.embed.rawValue: "![[\(target)]]"
        default: target
        }
    }
}
