import Foundation
import Roost
import RoostServer

enum EntryRow {
    /// The column of ids, of which tables show the first digits.
    static let idColumn = TableColumn(name: "id", style: .dim, shownLength: 8)

    /// The columns of lists of entries.
    static let columns = [
        idColumn, TableColumn(name: "title", isFlexible: true),
        TableColumn(name: "path", style: .dim, isFlexible: true, keepsEnd: true),
        TableColumn(name: "tags", isDetail: true), TableColumn(name: "created", isDetail: true),
        TableColumn(name: "updated", isDetail: true),
    ]

    /// Returns the row of an entry.
    static func row(_ entry: Entry, document: any Encodable) -> ListRow {
        ListRow(
            cells: [
                entry.id.text, EntryTitle.text(of: entry),
                entry.displayPath,
                entry.tags.map { Terminal.line($0) }.joined(separator: ";"),
                DateText.string(from: entry.createdAt), DateText.string(from: entry.updatedAt),
            ], document: document, path: entry.listedPath)
    }
}

enum EntryTitle {
    /// The maximum number of characters of a title that was found in the text, which may be any line of it.
    private static let maximumFoundLength = 200

    /// Returns the title on one line: the complete value of the metadata key `title` or, without this
    /// key, the title found in the text.
    static func text(of entry: Entry) -> String {
        text(entry.metadata, found: entry.title ?? entry.content)
    }

    static func text(of member: ClusterExport.Member) -> String {
        text(
            member.metadata,
            found: TextTitle.firstSentence(of: member.content, isMarkdown: true) ?? member.content)
    }

    private static func text(
        _ metadata: [String: MetadataValue], found title: @autoclosure () -> String
    ) -> String {
        let line = Entry.title(in: metadata).map { Terminal.line($0, limit: .max) } ?? found(title())
        return line.isEmpty ? "(empty)" : line
    }

    static func found(_ title: String) -> String {
        TextTitle.shortened(Terminal.line(title, limit: maximumFoundLength), to: maximumFoundLength)
    }
}

extension Entry {
    /// The path for `--format paths`, relative to the current folder if the file is in it; `nil` if the entry
    /// did not come from a file.
    var listedPath: String? { sourcePath.map { _ in displayPath } }

    /// The source in readable form: a relative path for files below the current folder.
    var displayPath: String {
        guard let path = sourcePath else { return source ?? "-" }
        let here = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
    }
}

enum HitRow {
    static let columns = [
        TableColumn(name: "score", style: .bold, isNumber: true), EntryRow.idColumn,
        TableColumn(name: "title", isFlexible: true),
        TableColumn(name: "path", style: .dim, isFlexible: true, keepsEnd: true),
        TableColumn(name: "line", isNumber: true, isDetail: true),
        TableColumn(name: "similarity", isNumber: true, isDetail: true),
        TableColumn(name: "tags", isDetail: true), TableColumn(name: "excerpt", isDetail: true),
    ]

    /// Returns the row of a hit.
    static func row(
        _ hit: QueryHit, in result: QueryResult, document additions: HitDocument.Additions
    ) -> ListRow {
        let document = PrintedHit(hit, in: result, additions)
        return ListRow(
            cells: [
                Terminal.score(hit.score), hit.entry.id.text, EntryTitle.text(of: hit.entry),
                hit.entry.displayPath,
                document.hit.line.map { "\($0)" } ?? "", Terminal.score(hit.similarity),
                hit.entry.tags.map { Terminal.line($0) }.joined(separator: ";"),
                Terminal.line(document.hit.snippet ?? "", limit: .max),
            ], document: document, path: hit.entry.listedPath)
    }
}

/// The JSON output for a hit: that of the operation `search`, and the members for `--explain` and `--context`.
struct PrintedHit: Encodable {
    let hit: EntryDocument
    private let details: HitDocument

    private enum CodingKeys: String, CodingKey { case explanation, context }

    init(_ hit: QueryHit, in result: QueryResult, _ additions: HitDocument.Additions) {
        self.hit = EntryDocument(hit, in: result)
        details = HitDocument(hit, nil, additions)
    }

    func encode(to encoder: any Encoder) throws {
        try hit.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(details.explanation, forKey: .explanation)
        try container.encodeIfPresent(details.context, forKey: .context)
    }
}
