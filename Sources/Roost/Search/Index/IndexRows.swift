import Foundation
import RoostFiles
import RoostModel
import RoostText
import RoostVectors

/// The mapping from the rows of an index to entries and, in an index of passages, to passages.
struct IndexRows: Sendable {
    /// The storage's row of each entry.
    private(set) var entryRows: [UInt32] = []
    private(set) var ids: [Entry.ID] = []
    /// The ordinal of each row's passage; empty if rows are entries.
    private(set) var ordinals: [UInt32] = []

    init() {}

    /// Reads the rows of an index file and verifies their checksums.
    init(_ file: SectionFile, count: Int, hasOrdinals: Bool) throws {
        func elements<Element: BitwiseCopyable>(_ name: String) throws -> UnsafeBufferPointer<Element> {
            try file.verify(name)
            return try file.section(name, of: Element.self, count: count)
        }
        entryRows = try elements("entryRows").map(UInt32.init(littleEndian:))
        ids = try elements("ids").map(UUID.init(uuid:))
        if hasOrdinals { ordinals = try elements("ordinals").map(UInt32.init(littleEndian:)) }
    }

    var count: Int { ids.count }

    mutating func append(_ page: VectorPage) {
        entryRows += page.rows
        ids += page.ids
        ordinals += page.ordinals
    }

    mutating func append(_ page: EntryPage) {
        entryRows += page.rows
        ids += page.entries.map(\.id)
    }

    /// Calls `body` with the sections of an index file.
    func withSections<Result>(
        _ body: ([(name: String, bytes: UnsafeRawBufferPointer)]) throws -> Result
    ) rethrows -> Result {
        let (rows, ordinals) = (entryRows.map(\.littleEndian), ordinals.map(\.littleEndian))
        return try rows.withUnsafeBytes { rows in
            try ids.map(\.uuid).withUnsafeBytes { ids in
                try ordinals.withUnsafeBytes { ordinals in
                    try body(
                        [("entryRows", rows), ("ids", ids)]
                            + (ordinals.isEmpty ? [] : [("ordinals", ordinals)]))
                }
            }
        }
    }

    /// Returns the first row of an entry, given the storage's row of the entry.
    ///
    /// - Returns: `nil` if the index has no row of the entry. The caller compares the id, because a corrupt
    ///   file can contain rows that are not ascending.
    func firstRow(ofEntryRow entryRow: UInt32) -> Int? {
        let row = entryRows.partitioningIndex { $0 >= entryRow }
        return row < count && entryRows[row] == entryRow ? row : nil
    }
}

extension VectorPage {
    /// The vectors of the passages of some entries.
    init(passagesOf page: EntryPage) {
        let passages = zip(page.rows, page.entries).flatMap { row, entry in
            entry.searchablePassages.map { (row: row, id: entry.id, passage: $0) }
        }
        self.init(
            rows: passages.map(\.row), ids: passages.map(\.id),
            ordinals: passages.map { UInt32($0.passage.ordinal) },
            vectors: Matrix(
                passages.map(\.passage.vector), columns: passages.first?.passage.vector.count ?? 0),
            next: page.next)
    }

    /// The page without vectors that contain numbers that are not finite, because no similarity with them can be
    /// computed. The package's own stores refuse such vectors, but other providers may contain some.
    var comparable: VectorPage {
        let kept = rows.indices.filter { row in
            // The sum is not finite if any of the numbers is not finite.
            vectors.withRow(row) { $0.reduce(Float(0)) { $0 + abs($1) }.isFinite }
        }
        guard kept.count < rows.count else { return self }
        return VectorPage(
            rows: kept.map { rows[$0] }, ids: kept.map { ids[$0] }, ordinals: kept.map { ordinals[$0] },
            vectors: vectors.selecting(kept), next: next)
    }
}
