import Foundation
import RoostFiles
import RoostModel
import RoostText

/// The index file for words, `index/words`: for each word the entries in which it occurs.
struct TextFile: Sendable {
    static let name = "words"

    let metadata: IndexMetadata
    let index: InvertedIndex
    let rows: IndexRows
    let size: Int

    /// Opens the file of a store.
    init?(in folder: IndexFolder, for stamp: Stamp, verifying: Bool = true) throws {
        guard let opened = try folder.open(Self.name, for: stamp),
            opened.metadata.analysis == TextAnalysis.version
        else { return nil }
        let file = opened.file
        metadata = opened.metadata
        size = file.size
        rows = try IndexRows(file, count: metadata.count, hasOrdinals: false)
        if verifying { for section in InvertedIndex.sections { try file.verify(section) } }
        do {
            index = try InvertedIndex(owner: file) { try file.section($0) }
        } catch is InvertedIndex.Malformed {
            throw file.checksumMismatch
        }
        guard index.documentCount == metadata.count else { throw file.checksumMismatch }
    }

    /// Returns the number of entries in the written file.
    @concurrent
    static func write(_ snapshot: any StorageSnapshot, in folder: IndexFolder) async throws -> Int {
        let texts = try await IndexedTexts(of: snapshot, matching: .all)
        var metadata = IndexMetadata(of: snapshot.stamp, count: texts.rows.count)
        metadata.analysis = TextAnalysis.version
        try await folder.publish(name, metadata) { url, description in
            try texts.rows.withSections { rows in
                try texts.index.withSections { sections in
                    try SectionFile.write(to: url, metadata: description, sections: rows + sections)
                }
            }
        }
        return metadata.count
    }
}

/// An inverted index in memory over the texts of some entries.
struct IndexedTexts: Sendable {
    let index: InvertedIndex
    let rows: IndexRows

    init(of snapshot: any StorageSnapshot, matching filter: EntryFilter) async throws {
        var builder = InvertedIndexBuilder()
        var rows = IndexRows()
        try await snapshot.entryPages(matching: filter).forEachAhead { page in
            for entry in page.entries { builder.add(entry.indexedText) }
            rows.append(page)
        }
        index = builder.finish()
        self.rows = rows
    }
}

extension Entry {
    /// The prefix of the key of an entry that was identified by its source.
    private static let identifierPrefix = "id:"

    /// The texts of the entry that the word index contains. Hidden parts, such as comments, are not in the
    /// body.
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
