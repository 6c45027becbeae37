import Foundation
import Roost
import RoostDocuments

/// The treatment of an entry's text, for `roost show`: the reader, the sections, the links, and the parts
/// that are not embedded or could not be read.
struct EntryTreatmentDocument: Encodable {
    struct Section: Encodable {
        var headings: [String]
        /// The number of the line on which the section begins, from 1.
        var line: Int
    }

    /// A part that is stored, but not embedded.
    struct HiddenPart: Encodable {
        var kind: String
        var line: Int
        /// The start and the end of the part in UTF-8 bytes.
        var range: [Int]
    }

    /// The type of document as which the source was read; `nil` if it was not read as a document.
    var reader: String?
    /// The format of the text: `plain`, `markdown`, `mail` or `code`.
    var format: String
    var title: String?
    var links: [LinkDocument]
    var sections: [Section]
    var hiddenParts: [HiddenPart]
    var unreadParts: [String]

    private let entryLinks: [EntryLink]

    private enum CodingKeys: String, CodingKey {
        case reader, format, title, links, sections, hiddenParts, unreadParts
    }

    /// The keys of the metadata that the lines contain.
    static let listedKeys: Set<String> = [DocumentKey.title, DocumentKey.links, DocumentKey.unreadParts]
    /// The maximum number of links and of sections that the text output lists.
    private static let maximumListed = 12

    /// Reads the treatment of an entry.
    init(of entry: Entry, from source: Source?, in store: KnowledgeStore) async throws {
        reader = source?.documentType
        let structure = entry.structure ?? TextStructure()
        format = structure.format.rawValue
        title = entry.title
        entryLinks = try await store.links.of(entry.id)
        links = entryLinks.map { LinkDocument($0) }
        sections = structure.sections.filter { !$0.headings.isEmpty }.map {
            Section(headings: $0.headings, line: entry.line(ofByte: $0.range.lowerBound))
        }
        hiddenParts = structure.hiddenParts.map {
            HiddenPart(
                kind: $0.kind.rawValue, line: entry.line(ofByte: $0.range.lowerBound),
                range: [$0.range.lowerBound, $0.range.upperBound])
        }
        unreadParts = entry.metadata[DocumentKey.unreadParts]?.comparableTexts ?? []
    }

    /// The name of the reader for people, such as `Markdown`.
    private var readerTitle: String {
        let type = DocumentReaders.standard.types.first { $0.name == reader }
        return type?.title ?? reader ?? format
    }

    var lines: [(name: String, value: String)] {
        var lines = [("reader", Terminal.line(readerTitle))]
        if let title { lines.append(("title", Terminal.line(title))) }
        func list(_ name: String, _ values: [String]) {
            lines += values.prefix(Self.maximumListed).map { (name, $0) }
            let rest = values.count - Self.maximumListed
            if rest > 0 { lines.append((name, "… and \(rest) more")) }
        }
        list("section", sections.map { Terminal.line($0.headings.joined(separator: " > ")) })
        list("link", entryLinks.map { LinkDocument.written($0.link) })
        list("hidden", hiddenParts.map { "\($0.kind) on line \($0.line), not embedded" })
        list("unread", unreadParts.map { Terminal.line($0) })
        return lines
    }
}

extension MetadataValue {
    /// The value for people: the elements of an array, separated by commas; `…` for an object.
    var displayText: String {
        if case .array(let values) = self { return values.map(\.displayText).joined(separator: ", ") }
        return text ?? "…"
    }
}
