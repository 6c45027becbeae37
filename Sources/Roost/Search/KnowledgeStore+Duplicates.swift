public import Foundation
import RoostIndexes
public import RoostModel
import RoostVectors

/// Entries that are nearly the same.
public struct DuplicateGroup: Sendable, Hashable {
    /// The oldest in the store first; two or more.
    public var entries: [Entry.ID]
    /// For each entry the cosine of its embeddings with those of the first.
    public var scores: [Float]
}

extension KnowledgeStore {
    /// Groups of entries that are nearly the same: each has a cosine of at least `threshold` with some other
    /// of its group.
    ///
    /// Up to 16,384 entries all are compared; among more, nearly all such pairs are found (``NearGroups``).
    ///
    /// - Parameters:
    ///   - threshold: the least cosine of two entries' embeddings, above 0.
    ///   - filter: which entries are looked at.
    /// - Returns: the largest groups first, of equal ones the oldest.
    /// - Throws: ``RoostError`` with `.badInput` for a threshold that is no cosine above 0; ``StorageError``;
    ///   `CancellationError`.
    /// - Complexity: O(n log n); all embeddings are in memory.
    @concurrent
    public func duplicates(
        threshold: Float = 0.95, matching filter: EntryFilter = .all
    ) async throws -> [DuplicateGroup] {
        guard threshold > 0, threshold <= 1 else {
            throw RoostError(.badInput, "entries are duplicates from a cosine above 0 and up to 1")
        }
        let snapshot = try await storage.snapshot()
        let allowed = filter.matchesAll ? nil : try await snapshot.rows(matching: filter)
        var (ids, elements, dimension) = ([Entry.ID](), [Float](), 0)
        var row: UInt32?
        repeat {
            try Task.checkCancellation()
            let page = try await snapshot.vectors(of: .entries, after: row, limit: 4096)
            for index in page.rows.indices where allowed?.contains(page.rows[index]) ?? true {
                ids.append(page.ids[index])
                elements += page.vectors.row(index)
                dimension = page.vectors.columns
            }
            row = page.next
        } while row != nil
        let vectors = Matrix(rows: ids.count, columns: dimension, elements: elements)
        // Equal texts have the same vector, whose product with itself may be a little below 1.
        let least = min(threshold, 1 - 1e-6)
        let groups = try await NearGroups().find(vectors, threshold: least)
        return groups.map { rows in
            let first = vectors.row(Int(rows[0]))
            return DuplicateGroup(
                entries: rows.map { ids[Int($0)] },
                scores: rows.map { innerProduct(first, vectors.row(Int($0))) })
        }.enumerated().sorted {
            ($1.element.entries.count, $0.offset) < ($0.element.entries.count, $1.offset)
        }.map(\.element)
    }
}
