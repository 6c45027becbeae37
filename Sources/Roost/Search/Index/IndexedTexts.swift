import Foundation
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

    /// The texts of the entry that the word index contains.
    var indexedText: IndexedText {
        var fields: [TextField: String] = [:]
        var headings = HeadingPath.allHeadings(in: content)
        if let title = metadata["title"]?.text ?? TextTitle.explicitTitle(of: content) {
            fields[.title] = title
            if headings.first == title { headings.removeFirst() }
        }
        headings += location?.headings ?? []
        if !headings.isEmpty { fields[.headings] = headings.joined(separator: "\n") }
        if !tags.isEmpty { fields[.tags] = tags.joined(separator: "\n") }
        var path = sourcePath.map { [$0] } ?? []
        if let key, key.hasPrefix(Self.identifierPrefix) {
            path.append(String(key.dropFirst(Self.identifierPrefix.count)))
        }
        if !path.isEmpty, source?.hasPrefix("file:") == true { fields[.path] = path.joined(separator: "\n") }
        return IndexedText(content, fields: fields)
    }
}
