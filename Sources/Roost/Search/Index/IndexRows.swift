import Foundation
import RoostFiles
import RoostModel
import RoostText
import RoostVectors

/// The mapping from the rows of an index to entries and, in an index of passages, to passages.
struct IndexRows: Sendable {
    /// The storage's row of each entry.
    private(set) var entryRows = IndexColumn<UInt32>()
    private(set) var ids = IndexColumn<Entry.ID>()
    /// The ordinal of each row's passage; empty if rows are entries.
    private(set) var ordinals = IndexColumn<UInt32>()

    init() {}

    /// Maps the rows of an index file, whose checksums are verified.
    init(_ file: SectionFile, count: Int, hasOrdinals: Bool) throws {
        entryRows = try IndexColumn(file, "entryRows", count: count)
        ids = try IndexColumn(file, "ids", count: count)
        if hasOrdinals { ordinals = try IndexColumn(file, "ordinals", count: count) }
    }

    var count: Int { ids.count }

    mutating func append(_ page: VectorPage) {
        entryRows.append(page.rows)
        ids.append(page.ids)
        ordinals.append(page.ordinals)
    }

    mutating func append(_ page: EntryPage) {
        entryRows.append(page.rows)
        ids.append(page.entries.map(\.id))
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

/// A number or an id for each row of an index: an array, or a section of a mapped file.
///
/// Unchecked because the compiler cannot verify that the bytes of the file never change.
struct IndexColumn<Element: Sendable>: RandomAccessCollection, @unchecked Sendable {
    private var elements: [Element] = []
    /// The elements in the file, which keeps them in memory; `nil` for an array.
    private var mapped: UnsafeBufferPointer<Element>?
    private var file: SectionFile?

    init() {}

    /// - Parameter name: A section whose bytes are those of the elements: little-endian numbers, or UUIDs.
    init(_ file: SectionFile, _ name: String, count: Int) throws {
        try file.verify(name)
        let bytes = try file.section(name, of: UInt8.self, count: count * MemoryLayout<Element>.stride)
        (self.file, mapped) = (file, UnsafeRawBufferPointer(bytes).bindMemory(to: Element.self))
    }

    var startIndex: Int { 0 }
    var endIndex: Int { mapped?.count ?? elements.count }
    subscript(row: Int) -> Element { mapped?[row] ?? elements[row] }

    /// Adds elements to an array; those of a file cannot be changed.
    mutating func append(_ new: [Element]) { elements += new }
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
