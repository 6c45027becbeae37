import Foundation
import RoostFiles
import RoostModel

/// The rows of an index in memory: for each row its entry and, in an index of passages, its passage.
struct RowColumns: Sendable {
    /// The storage's row of each entry.
    private(set) var entryRows: [UInt32] = []
    private(set) var ids: [UUID] = []
    /// The ordinal of each row's passage; empty if rows are entries.
    private(set) var ordinals: [UInt32] = []

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
        _ body: ([(name: String, content: SectionFile.Content)]) throws -> Result
    ) rethrows -> Result {
        let (rows, ordinals) = (entryRows.map(\.littleEndian), ordinals.map(\.littleEndian))
        return try rows.withUnsafeBytes { rows in
            try ids.map(\.uuid).withUnsafeBytes { ids in
                try ordinals.withUnsafeBytes { ordinals in
                    try body(
                        [("entryRows", .bytes(rows)), ("ids", .bytes(ids))]
                            + (ordinals.isEmpty ? [] : [("ordinals", .bytes(ordinals))]))
                }
            }
        }
    }
}

/// The mapping from the rows of an index to entries and, in an index of passages, to passages.
///
/// The conformance is unchecked because the compiler cannot verify that the bytes of a mapped file are never
/// written and live as long as the file object, which is stored with the pointers to them.
struct IndexRows: @unchecked Sendable {
    private enum Source {
        case memory(RowColumns)
        case mapped(
            SectionFile, entryRows: UnsafeBufferPointer<UInt32>, ids: UnsafeBufferPointer<uuid_t>,
            ordinals: UnsafeBufferPointer<UInt32>?)
    }

    private let source: Source
    let count: Int

    init(_ columns: RowColumns) {
        source = .memory(columns)
        count = columns.ids.count
    }

    /// Maps the rows of an index file and verifies their checksums.
    init(_ file: SectionFile, count: Int, hasOrdinals: Bool) throws {
        for name in ["entryRows", "ids"] + (hasOrdinals ? ["ordinals"] : []) { try file.verify(name) }
        source = .mapped(
            file, entryRows: try file.section("entryRows", of: UInt32.self, count: count),
            ids: try file.section("ids", of: uuid_t.self, count: count),
            ordinals: hasOrdinals ? try file.section("ordinals", of: UInt32.self, count: count) : nil)
        self.count = count
    }

    func entryRow(_ row: Int) -> UInt32 {
        switch source {
        case .memory(let columns): columns.entryRows[row]
        case .mapped(_, let entryRows, _, _): UInt32(littleEndian: entryRows[row])
        }
    }

    func id(_ row: Int) -> UUID {
        switch source {
        case .memory(let columns): columns.ids[row]
        case .mapped(_, _, let ids, _): UUID(uuid: ids[row])
        }
    }

    /// Returns the ordinal of a row's passage; 0 if rows are entries.
    func ordinal(_ row: Int) -> Int {
        switch source {
        case .memory(let columns): columns.ordinals.isEmpty ? 0 : Int(columns.ordinals[row])
        case .mapped(_, _, _, let ordinals): ordinals.map { Int(UInt32(littleEndian: $0[row])) } ?? 0
        }
    }

    /// Returns the first row of an entry, given the storage's row of the entry.
    ///
    /// - Returns: `nil` if the index has no row of the entry. The caller compares the id, because a corrupt
    ///   file can contain rows that are not ascending.
    func firstRow(ofEntryRow entryRow: UInt32) -> Int? {
        let row = (0..<count).partitioningIndex { self.entryRow($0) >= entryRow }
        return row < count && self.entryRow(row) == entryRow ? row : nil
    }
}

extension VectorPage {
    /// Removes vectors that contain numbers that are not finite, because no similarity with them can be
    /// computed. The package's own stores refuse such vectors, but other providers may contain some.
    ///
    /// - Returns: The number of removed vectors.
    mutating func removeIncomparable() -> Int {
        let comparable = selecting { row in
            vectors.withRow(row) { vector in
                // The sum is not finite if any of the numbers is not finite.
                vector.reduce(Float(0)) { $0 + abs($1) }.isFinite
            }
        }
        defer { self = comparable }
        return rows.count - comparable.rows.count
    }

    func selecting(where isWanted: (Int) -> Bool) -> VectorPage {
        let kept = rows.indices.filter(isWanted)
        guard kept.count < rows.count else { return self }
        return VectorPage(
            rows: kept.map { rows[$0] }, ids: kept.map { ids[$0] }, ordinals: kept.map { ordinals[$0] },
            vectors: vectors.selecting(kept), next: next)
    }
}
