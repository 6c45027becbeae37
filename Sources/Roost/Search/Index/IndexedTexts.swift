import Foundation
import RoostDocuments
import RoostModel
import RoostText

/// An inverted index in memory over the texts of some entries.
struct IndexedTexts: Sendable {
    let index: InvertedIndex
    /// The storage's row of each document's entry.
    let entryRows: [UInt32]
    /// The id of each document's entry.
    let ids: [Entry.ID]

    /// Reads and indexes the texts of the entries that match a filter.
    init(of snapshot: any StorageSnapshot, matching filter: EntryFilter) async throws {
        var builder = InvertedIndexBuilder()
        var (entryRows, ids) = ([UInt32](), [Entry.ID]())
        for try await page in snapshot.entryPages(matching: filter) {
            for entry in page.entries { builder.add(entry.indexedText) }
            entryRows += page.rows
            ids += page.entries.map(\.id)
        }
        index = builder.finish()
        self.entryRows = entryRows
        self.ids = ids
    }
}

extension Entry {
    /// The prefix of the key of an entry that was identified by its source.
    private static let identifierPrefix = "id:"

    /// The texts of the entry that the word index contains. Hidden parts, such as comments, are not in the
    /// body.
    ///
    /// - Complexity: O(length of the text).
    var indexedText: IndexedText {
        var fields: [TextField: String] = [:]
        let treatment = TextTreatment(of: self)
        var headings = treatment.structure.sections.compactMap(\.headings.last)
        var titles = metadata[DocumentKey.aliases]?.comparableTexts ?? []
        if let title = metadata[DocumentKey.title]?.text ?? structure?.title {
            titles.insert(title, at: 0)
            if headings.first == title { headings.removeFirst() }
        }
        if !titles.isEmpty { fields[.title] = titles.joined(separator: "\n") }
        headings += location?.headings ?? []
        headings += people
        if !headings.isEmpty { fields[.headings] = headings.joined(separator: "\n") }
        if !tags.isEmpty { fields[.tags] = tags.joined(separator: "\n") }
        var path = sourcePath.map { [$0] } ?? []
        if let key, key.hasPrefix(Self.identifierPrefix) {
            path.append(String(key.dropFirst(Self.identifierPrefix.count)))
        }
        if !path.isEmpty, source?.hasPrefix("file:") == true { fields[.path] = path.joined(separator: "\n") }
        return IndexedText(treatment.visibleText, fields: fields)
    }

    /// The sender and the recipients of a message, and the authors of another document. People search for
    /// documents by them, but most texts do not contain them.
    private var people: [String] {
        let keys = if structure?.format == .mail { ["from", "to", "cc"] } else { ["author"] }
        return keys.flatMap { metadata[$0]?.comparableTexts ?? [] }
    }
}
