import Foundation
import RoostFiles
import RoostModel

/// The mapping from the rows of an index to entries and, in an index of passages, to passages.
///
/// The conformance is unchecked because the compiler cannot verify that the bytes of a mapped file are never
/// written and live as long as the file object, which is stored with the pointers to them.
struct IndexRows: @unchecked Sendable {
    private enum Source {
        case memory(entryRows: [UInt32], ids: [UUID], ordinals: [UInt32])
        case mapped(
            SectionFile, entryRows: UnsafeBufferPointer<UInt32>, ids: UnsafeBufferPointer<uuid_t>,
            ordinals: UnsafeBufferPointer<UInt32>?)
    }

    private let source: Source
    let count: Int

    /// Creates rows in memory.
    ///
    /// - Parameters:
    ///   - ordinals: The ordinal of each row's passage; empty if rows are entries.
    init(entryRows: [UInt32], ids: [UUID], ordinals: [UInt32] = []) {
        precondition(entryRows.count == ids.count && (ordinals.isEmpty || ids.count == ordinals.count))
        source = .memory(entryRows: entryRows, ids: ids, ordinals: ordinals)
        count = ids.count
    }

    /// Maps the rows of an index file and verifies their checksums.
    init(_ file: SectionFile, count: Int, hasOrdinals: Bool = true) throws {
        for name in ["entryRows", "ids"] + (hasOrdinals ? ["ordinals"] : []) { try file.verify(name) }
        source = .mapped(
            file, entryRows: try file.section("entryRows", of: UInt32.self, count: count),
            ids: try file.section("ids", of: uuid_t.self, count: count),
            ordinals: hasOrdinals ? try file.section("ordinals", of: UInt32.self, count: count) : nil)
        self.count = count
    }

    func entryRow(_ row: Int) -> UInt32 {
        switch source {
        case .memory(let entryRows, _, _): entryRows[row]
        case .mapped(_, let entryRows, _, _): UInt32(littleEndian: entryRows[row])
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

    func id(_ row: Int) -> UUID {
        switch source {
        case .memory(_, let ids, _): ids[row]
        case .mapped(_, _, let ids, _): UUID(uuid: ids[row])
        }
    }

    /// Returns the ordinal of a row's passage; 0 if rows are entries.
    func ordinal(_ row: Int) -> Int {
        switch source {
        case .memory(_, _, let ordinals): ordinals.isEmpty ? 0 : Int(ordinals[row])
        case .mapped(_, _, _, let ordinals): ordinals.map { Int(UInt32(littleEndian: $0[row])) } ?? 0
        }
    }
}

extension VectorPage {
    /// Removes vectors that contain numbers that are not finite, because no similarity with them can be
    /// computed. The package's own stores refuse such vectors, but other providers may contain some.
    ///
    /// - Returns: The number of removed vectors.
    mutating func removeIncomparable() -> Int {
        let kept = rows.indices.filter { row in
            vectors.withRow(row) { vector in
                // The sum is not finite if any of the numbers is not finite.
                vector.reduce(Float(0)) { $0 + abs($1) }.isFinite
            }
        }
        guard kept.count < rows.count else { return 0 }
        let count = rows.count - kept.count
        self = VectorPage(
            rows: kept.map { rows[$0] }, ids: kept.map { ids[$0] }, ordinals: kept.map { ordinals[$0] },
            vectors: vectors.selecting(kept), next: next)
        return count
    }
}
