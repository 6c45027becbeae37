public import RoostModel
import RoostVectors

struct DuplicateFinder {
    let storage: any StorageProvider

    /// The amount by which rounding can make the inner product of a unit vector with itself less than 1.
    private static let roundingError: Float = 1e-6

    @concurrent
    func groups(threshold: Float, matching filter: EntryFilter) async throws -> [DuplicateGroup] {
        guard threshold > 0, threshold <= 1 else {
            throw RoostError(
                .badInput,
                "cannot find duplicates: the threshold must be above 0 and at most 1, not \(threshold)")
        }
        let snapshot = try await storage.snapshot()
        let filter = try await filter.expandingParentCluster(in: snapshot)
        let allowed = filter.matchesAll ? nil : try await snapshot.rows(matching: filter)
        var (ids, elements, dimension) = ([Entry.ID](), [Float](), 0)
        for try await page in snapshot.vectorPages(of: .entries) {
            let page = page.comparable
            for index in page.rows.indices where allowed?.contains(page.rows[index]) ?? true {
                ids.append(page.ids[index])
                elements += page.vectors.row(index)
                dimension = page.vectors.columns
            }
        }
        let vectors = Matrix(rows: ids.count, columns: dimension, elements: elements)
        let groups = try await NearGroups().find(vectors, threshold: min(threshold, 1 - Self.roundingError))
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

/// A group of near-duplicate entries. The similarity of any two of them reaches the threshold of the search.
public struct DuplicateGroup: Sendable, Hashable {
    /// Two or more entries, oldest first.
    public var entries: [Entry.ID]
    /// The cosine similarity of each entry with the first one.
    public var scores: [Float]
}
