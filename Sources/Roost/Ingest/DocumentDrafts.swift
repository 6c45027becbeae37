import Foundation
import RoostDocuments
import RoostModel

struct DocumentDrafts {
    let name: String
    var dates: FileDates?
    /// Whether a document that is the only one of its file has the same text.
    var isText = false

    private static let identifierPrefix = "id:"

    func read(_ contents: DocumentContents, into draft: inout SourceDraft) throws {
        draft.entries = try drafts(of: contents)
        draft.skipped = contents.faults.map {
            .init(kind: .row, source: "\(name), \($0.position)", reason: $0.reason)
        }
        draft.keepsMissingEntries = !contents.isComplete
        draft.notices = contents.notices.map { .init(kind: .encoding, source: name, reason: $0) }
        for document in contents.documents {
            let source = document.key.map { "\(name), \($0)" } ?? name
            draft.notices += document.unreadParts.map { .init(kind: .part, source: source, reason: $0) }
            guard let date = document.unclearDate else { continue }
            let reason = "its date is not clear: \(date.prefix(40)); write it as 2026-01-31"
            draft.notices.append(.init(kind: .date, source: source, reason: reason))
        }
    }

    /// Returns the drafts of the documents of a file. A document whose text exceeds ``TextParts/maximumEntrySize`` becomes
    /// several entries.
    private func drafts(of contents: DocumentContents) throws -> [EntryDraft] {
        var occurrences: [String: Int] = [:]
        // If other documents of the file could not be read, the only one must not get another id.
        let isWholeFile = contents.documents.count == 1 && contents.faults.isEmpty
        return try contents.documents.flatMap { document -> [EntryDraft] in
            let start = document.location ?? EntryLocation(line: isText && isWholeFile ? 1 : nil)
            guard document.text.utf8.count <= TextParts.maximumEntrySize else {
                return try parts(of: document, from: start)
            }
            var key: String? = EntryID.wholeFileKey
            if let name = document.key {
                let number = occurrences[name, default: 0]
                occurrences[name] = number + 1
                key = Self.identifierPrefix + (number == 0 ? name : "\(name)#\(number)")
            } else if !isWholeFile {
                key = nil
            }
            // A message without text still has a subject.
            let title = document.text.allSatisfy(\.isWhitespace) ? document.title : nil
            var draft = draft(
                of: document, key: key, start, text: title ?? document.text,
                title == nil ? document.structure : TextStructure(format: document.format))
            if isWholeFile, document.unclearDate == nil { draft.fileDates = dates }
            return [draft]
        }
    }

    private func draft(
        of document: Document, key: String?, _ start: EntryLocation, text: String, _ structure: TextStructure
    ) -> EntryDraft {
        EntryDraft(
            key: key, content: text, structure: structure,
            metadata: Self.metadata(of: document), tags: document.tags.filter { !$0.isEmpty },
            location: document.key, sourceLocation: start, createdAt: document.createdAt,
            updatedAt: document.updatedAt)
    }

    /// Returns the drafts of the parts of a large document. They all have its title, tags, dates and other
    /// values, so that filters find them; only the first one has the links.
    private func parts(of document: Document, from start: EntryLocation) throws -> [EntryDraft] {
        var page = start.page
        var parts = try TextParts.drafts(of: Data(document.text.utf8), name: name)
        for index in parts.indices {
            var structure = TextStructure(of: parts[index].content, format: document.format)
            structure.links = []
            var draft = draft(of: document, key: nil, start, text: parts[index].content, structure)
            if index > 0 { draft.metadata[DocumentKey.links] = nil }
            var location = start
            location.line = start.line.flatMap { first in
                // An invalid number stays invalid, so that the part is skipped.
                parts[index].sourceLocation?.line.map { first &+ $0 - 1 }
            }
            location.page = page
            let pages = draft.content.utf8.count { $0 == UInt8(ascii: "\u{0C}") }
            page = page.map { $0 &+ pages }
            draft.sourceLocation = location
            draft.location = location.line.map { "line \($0)" } ?? location.page.map { "page \($0)" }
            parts[index] = draft
        }
        return parts
    }

    /// The values of the keys in ``DocumentKey`` are derived from the document. If the metadata of the
    /// document contains another value for one of these keys, or would mark it as a message of a
    /// conversation, this value gets the key with ``DocumentKey/prefix``.
    static func metadata(of document: Document) -> [String: MetadataValue] {
        var own: [String: MetadataValue] = [:]
        if let title = document.title?.trimmingCharacters(in: .whitespacesAndNewlines), !title.isEmpty {
            own[DocumentKey.title] = .string(title)
        }
        func list(_ texts: [String], _ key: String) {
            var seen = Set<String>()
            let values = texts.filter { !$0.isEmpty && seen.insert($0).inserted }
            if !values.isEmpty { own[key] = .array(values.map { .string($0) }) }
        }
        list(document.aliases, DocumentKey.aliases)
        list(document.links.compactMap(\.metadataText), DocumentKey.links)
        list(document.unreadParts, DocumentKey.unreadParts)
        var metadata = own
        for (key, value) in document.metadata {
            guard DocumentKey.all.contains(key), own[key] != value else {
                metadata[key] = value
                continue
            }
            // A document without a title gets the title in its metadata.
            let isTitle = key == DocumentKey.title && own[key] == nil
            metadata[isTitle ? key : DocumentKey.prefix + key] = value
        }
        return DocumentKey.withoutMessageMark(metadata)
    }
}

extension DocumentLink {
    /// The target of the link as the metadata of entries contains it, without heading or block; `nil` for a
    /// link within the document.
    var metadataText: String? { target.isEmpty ? nil : target }
}

/// The keys of the metadata that an ingest derives from documents.
package enum DocumentKey {
    package static let title = "title"
    /// Other names of the document, as an array of texts.
    package static let aliases = "aliases"
    /// The targets of the document's links, as an array of texts.
    package static let links = "links"
    package static let unreadParts = "unreadParts"

    /// The keys of the values that a person changed, as an array of texts. They survive changes of the file.
    static let edited = "edited"
    /// The key of a tag that a person removed.
    static func removed(_ tag: TagName) -> String { "#" + tag.text }

    package static let all = [title, aliases, links, unreadParts, edited]
    /// The prefix of a document's own key that equals one of the keys.
    package static let prefix = "document."

    /// The key that marks messages of conversations, and the value that does so.
    package static let kind = "kind"
    package static let messageKind = "message"

    /// Returns whether a value would mark an entry as a message of a conversation.
    package static func marksMessage(_ key: String, _ value: MetadataValue) -> Bool {
        key == kind && value.comparableTexts.contains(messageKind)
    }

    /// Returns the metadata of a document or row with another key in place of one that would mark it as a
    /// message of a conversation. Agents search for messages separately, so they would not find it.
    static func withoutMessageMark(_ metadata: [String: MetadataValue]) -> [String: MetadataValue] {
        guard let value = metadata[kind], marksMessage(kind, value) else { return metadata }
        var metadata = metadata
        metadata[kind] = nil
        var name = prefix + kind
        while metadata[name] != nil { name = prefix + name }
        metadata[name] = value
        return metadata
    }
}
