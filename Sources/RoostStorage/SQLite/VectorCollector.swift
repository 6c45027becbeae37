import Foundation
import GRDB
import RoostModel
import RoostVectors

/// Builds a page of vectors from result rows, and checks that no entry lacks any of its vectors.
struct VectorCollector {
    let kind: VectorPage.Kind
    private var rows: [UInt32] = []
    private var ids: [UUID] = []
    private var ordinals: [UInt32] = []
    private var elements: [Float] = []
    private var dimension: Int?
    /// The number of passages of the current entry that have not been read yet.
    private var missing = 0

    init(kind: VectorPage.Kind) { self.kind = kind }

    mutating func add(_ row: Row) throws {
        try Checksum.check(row, 4, "a vector")
        let number = try Column.row(row.value(0))
        if rows.last != number {
            try checkComplete()
            missing = try row.value(6)
            guard missing >= 0 else {
                throw Column.damaged("an entry with a number of passages that is out of range")
            }
        }
        let ordinal = try row.value(2) as UInt32?
        if kind == .passages, ordinal != nil { missing -= 1 }
        rows.append(number)
        ids.append(try row.withUnsafeData(atIndex: 1) { try Column.uuid($0 ?? Data()) })
        ordinals.append(ordinal ?? 0)
        let start = elements.count
        try row.withUnsafeData(atIndex: 3) { try Column.append($0 ?? Data(), to: &elements) }
        let found = elements.count - start
        guard try found == row.value(5), found == dimension ?? found else {
            throw Column.damaged("a vector with the unexpected dimension \(found)")
        }
        dimension = found
    }

    private func checkComplete() throws {
        guard missing == 0 else { throw Column.damaged("an entry that lacks a vector") }
    }

    func page(next: UInt32?) throws -> VectorPage {
        try checkComplete()
        return VectorPage(
            rows: rows, ids: ids, ordinals: ordinals,
            vectors: Matrix(rows: rows.count, columns: dimension ?? 0, elements: elements), next: next)
    }
}
