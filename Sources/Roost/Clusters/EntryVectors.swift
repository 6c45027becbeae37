import Foundation
import RoostFiles
import RoostModel
import RoostVectors

/// The embeddings of entries, in an order that is determined by the embeddings alone.
///
/// Clusterers visit rows in order, so the order affects their result. Ids are derived from paths, and rows
/// are stored in the order of ingestion; a result that depended on either could change when a folder is
/// moved.
struct EntryVectors: Sendable {
    /// The ids, in lexicographic order of the embeddings. Entries with equal embeddings are ordered by the
    /// text of their ids.
    let ids: [Entry.ID]
    let vectors: Matrix
    /// The storage's row of each entry.
    let rows: [UInt32]

    /// Reads the embeddings of entries. Those without an embedding are omitted.
    ///
    /// - Parameters:
    ///   - capacity: The number of entries to reserve memory for.
    ///   - isSelected: Whether to read an entry, by its id and row.
    init(
        _ snapshot: any StorageSnapshot, without boilerplate: BoilerplateVectors = BoilerplateVectors(),
        capacity: Int, where isSelected: (Entry.ID, UInt32) -> Bool = { _, _ in true }
    ) async throws {
        var ids: [Entry.ID] = []
        var rows: [UInt32] = []
        var elements: [Float] = []
        var dimension = 0
        try await boilerplate.forEachBlock(of: snapshot, where: isSelected) { block, places, vectors in
            if dimension == 0 {
                dimension = vectors.columns
                elements.reserveCapacity(capacity * dimension)
            }
            ids += block
            rows += places
            elements += vectors.elements
        }
        let order = Self.order(of: ids, elements, dimension)
        Self.permute(&elements, order, dimension)
        self.init(
            ids: order.map { ids[$0] },
            vectors: Matrix(rows: ids.count, columns: dimension, elements: elements),
            rows: order.map { rows[$0] })
    }

    private init(ids: [Entry.ID], vectors: Matrix, rows: [UInt32]) {
        (self.ids, self.vectors, self.rows) = (ids, vectors, rows)
    }

    func selecting(_ rows: [Int]) -> EntryVectors {
        guard rows != Array(ids.indices) else { return self }
        return EntryVectors(
            ids: rows.map { ids[$0] }, vectors: vectors.selecting(rows), rows: rows.map { self.rows[$0] })
    }

    /// The SHA-256 digest of the ids and vectors. See `ClusteringRun/dataDigest`.
    var digest: String {
        let hash = SHA256()
        for row in ids.indices {
            withUnsafeBytes(of: ids[row].uuid) { hash.update($0) }
            vectors.withRow(row) { hash.update(UnsafeRawBufferPointer($0)) }
        }
        return Hexadecimal.text(hash.finalize())
    }

    private static func order(of ids: [Entry.ID], _ elements: [Float], _ columns: Int) -> [Int] {
        elements.withUnsafeBufferPointer { elements in
            ids.indices.sorted { first, second in
                for column in 0..<columns {
                    let (a, b) = (elements[first * columns + column], elements[second * columns + column])
                    if a != b { return a < b }
                }
                return ids[first] < ids[second]
            }
        }
    }

    /// Moves row `order[i]` to row i for all i. This is done in place, because a second copy of a large
    /// matrix might not fit in memory.
    private static func permute(_ elements: inout [Float], _ order: [Int], _ columns: Int) {
        guard columns > 0 else { return }
        var isDone = [Bool](repeating: false, count: order.count)
        elements.withUnsafeMutableBufferPointer { elements in
            guard let base = elements.baseAddress else { return }
            // Follow each cycle of the permutation.
            for first in order.indices where !isDone[first] && order[first] != first {
                let saved = Array(UnsafeBufferPointer(start: base + first * columns, count: columns))
                var row = first
                while order[row] != first {
                    (base + row * columns).update(from: base + order[row] * columns, count: columns)
                    isDone[row] = true
                    row = order[row]
                }
                for column in 0..<columns { base[row * columns + column] = saved[column] }
                isDone[row] = true
            }
        }
    }
}
