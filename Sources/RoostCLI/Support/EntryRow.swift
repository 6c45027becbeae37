import Foundation
import Roost

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
    ///
    /// - Parameter document: The JSON output for the entry.
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
    ///
    /// - Parameter additions: The optional members of the JSON output.
    static func row(
        _ hit: QueryHit, in result: QueryResult, document additions: HitDocument.Additions
    ) -> ListRow {
        let document = HitDocument(hit, result.snippet(of: hit), additions)
        return ListRow(
            cells: [
                Terminal.score(hit.score), document.id, EntryTitle.text(of: hit.entry),
                hit.entry.displayPath,
                document.location.line.map { "\($0)" } ?? "", Terminal.score(hit.similarity),
                hit.entry.tags.map { Terminal.line($0) }.joined(separator: ";"),
                Terminal.line(document.snippet?.text ?? "", limit: .max),
            ], document: document, path: hit.entry.listedPath)
    }
}
