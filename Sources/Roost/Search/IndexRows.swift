import Foundation
import RoostFiles
import RoostIndexes
import RoostModel

/// What the rows of an index stand for: the entry of each, and which of its passages where they are of
/// passages.
///
/// Unchecked because the compiler cannot see that a mapped file's bytes are never written and live as long as
/// the file, which is kept with them.
struct IndexRows: @unchecked Sendable {
    private enum Source {
        case memory(entryRows: [UInt32], ids: [UUID], ordinals: [UInt32])
        case mapped(
            SectionFile, entryRows: UnsafeBufferPointer<UInt32>, ids: UnsafeBufferPointer<uuid_t>,
            ordinals: UnsafeBufferPointer<UInt32>?)
    }

    private let source: Source
    let count: Int

    /// - Parameter ordinals: empty for rows that are whole entries.
    init(entryRows: [UInt32], ids: [UUID], ordinals: [UInt32] = []) {
        precondition(entryRows.count == ids.count && (ordinals.isEmpty || ids.count == ordinals.count))
        source = .memory(entryRows: entryRows, ids: ids, ordinals: ordinals)
        count = ids.count
    }

    /// - Throws: ``SectionFile/Unusable``.
    init(_ file: SectionFile, count: Int, hasOrdinals: Bool = true) throws {
        for name in ["entryRows", "ids"] + (hasOrdinals ? ["ordinals"] : []) { try file.verify(name) }
        source = .mapped(
            file, entryRows: try file.section("entryRows", of: UInt32.self, count: count),
            ids: try file.section("ids", of: uuid_t.self, count: count),
            ordinals: hasOrdinals ? try file.section("ordinals", of: UInt32.self, count: count) : nil)
        self.count = count
    }

    /// The row that the storage gives a row's entry.
    func entryRow(_ row: Int) -> UInt32 {
        switch source {
        case .memory(let entryRows, _, _): entryRows[row]
        case .mapped(_, let entryRows, _, _): UInt32(littleEndian: entryRows[row])
        }
    }

    func id(_ row: Int) -> UUID {
        switch source {
        case .memory(_, let ids, _): ids[row]
        case .mapped(_, _, let ids, _): UUID(uuid: ids[row])
        }
    }

    func ordinal(_ row: Int) -> Int {
        switch source {
        case .memory(_, _, let ordinals): ordinals.isEmpty ? 0 : Int(ordinals[row])
        case .mapped(_, _, _, let ordinals): ordinals.map { Int(UInt32(littleEndian: $0[row])) } ?? 0
        }
    }
}

extension VectorPage {
    /// Takes out vectors with numbers that are not finite, which can be compared with nothing; a store
    /// refuses them, one of somebody's own may have some.
    ///
    /// - Returns: how many they were.
    mutating func removeIncomparable() -> Int {
        let kept = rows.indices.filter { row in
            vectors.withRow(row) { vector in
                // One number that is not finite makes all of them so.
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
