import Foundation
import RoostFiles
import RoostModel
import RoostText

/// Which entries have which words, in a file of its own, `index/words`.
struct TextFile: Sendable {
    static let name = "words"

    let metadata: IndexMetadata
    let index: InvertedIndex
    let rows: IndexRows
    let size: Int
    private let file: SectionFile

    /// Opens the file of a store. Where words stand is compared with its checksum by ``verifyPositions()``,
    /// since only phrases need it.
    ///
    /// - Parameter verifying: whether the other sections are compared with their checksums.
    /// - Returns: `nil` where there is none, or it is of another history of the store.
    /// - Throws: ``SectionFile/Unusable`` where it is damaged.
    init?(in directory: URL, for stamp: Stamp, verifying: Bool = true) throws {
        guard let (file, metadata) = try IndexFolder(of: directory).open(Self.name, for: stamp) else {
            return nil
        }
        self.file = file
        self.metadata = metadata
        size = file.size
        rows = try IndexRows(file, count: metadata.count, hasOrdinals: false)
        if verifying {
            for section in InvertedIndex.sections where section != "positions" { try file.verify(section) }
        }
        do {
            index = try InvertedIndex(owner: file) { try file.section($0) }
        } catch is InvertedIndex.Malformed {
            throw file.unusable
        }
        guard index.documentCount == metadata.count else { throw file.unusable }
    }

    /// - Throws: ``SectionFile/Unusable`` where it is not known where words stand.
    func verifyPositions() throws { try file.verify("positions") }

    /// Writes the file anew, of a snapshot.
    ///
    /// - Returns: what it says of itself; `nil` where the store is empty, and the file is removed.
    /// - Throws: ``StorageError``; the file of before is untouched then.
    @concurrent
    static func write(_ snapshot: any StorageSnapshot, in directory: URL) async throws -> IndexMetadata? {
        let (index, entryRows, ids) = try await read(snapshot, matching: .all)
        let folder = IndexFolder(of: directory)
        guard !ids.isEmpty else {
            try await folder.remove(Self.name, isNotNewerThan: snapshot.stamp)
            return nil
        }
        let metadata = IndexMetadata(of: snapshot.stamp, count: ids.count)
        let (allRows, allIDs) = (entryRows.map(\.littleEndian), ids.map(\.uuid))
        try await folder.publish(name, metadata) { url, description in
            try allRows.withUnsafeBytes { rows in
                try allIDs.withUnsafeBytes { ids in
                    try index.withSections { sections in
                        try SectionFile.write(
                            to: url, metadata: description,
                            sections: [("entryRows", rows), ("ids", ids)] + sections)
                    }
                }
            }
        }
        return metadata
    }

    /// The words of all entries that meet a filter.
    static func read(
        _ snapshot: any StorageSnapshot, matching filter: EntryFilter
    ) async throws -> (index: InvertedIndex, entryRows: [UInt32], ids: [Entry.ID]) {
        var builder = InvertedIndexBuilder()
        var (entryRows, ids) = ([UInt32](), [Entry.ID]())
        var row: UInt32?
        repeat {
            try Task.checkCancellation()
            let page = try await snapshot.entries(after: row, limit: 1024, matching: filter)
            for entry in page.entries { builder.add(entry.content) }
            entryRows += page.rows
            ids += page.entries.map(\.id)
            row = page.next
        } while row != nil
        return (builder.finish(), entryRows, ids)
    }
}
