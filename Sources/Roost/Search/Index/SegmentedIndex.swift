import RoostModel
import RoostVectors

/// An index of passages that can be updated: a main segment, and newer segments with the passages of entries
/// that have changed since.
///
/// A segment is never rebuilt. If an entry is changed or removed, its rows in older segments get tombstones,
/// and its new passages go into a new segment. So all valid passages of an entry are in one segment.
struct SegmentedIndex: Sendable {
    /// The main segment, followed by the newer ones.
    private(set) var segments: [PassageSegment] = []

    /// Creates an index without passages.
    init() {}

    /// Creates an index with a main segment only.
    init(main: PassageSegment) { segments = [main] }

    /// The number of valid passages.
    var count: Int { segments.reduce(0) { $0 + $1.count } }

    /// Marks the passages of some entries as no longer valid.
    mutating func bury(_ ids: Set<Entry.ID>) {
        for index in segments.indices { segments[index].bury(ids) }
    }

    /// Appends a newer segment.
    mutating func append(_ segment: PassageSegment) { segments.append(segment) }

    /// Removes all segments but the first.
    ///
    /// - Returns: The entries of the removed segments. Their passages must be appended again.
    mutating func removeNewerSegments() -> Set<Entry.ID> {
        var ids = Set<Entry.ID>()
        for segment in segments.dropFirst() { ids.formUnion(segment.entries) }
        segments.removeSubrange(1...)
        return ids
    }

    /// Returns, for each query, the best passage of each of the `k` nearest entries, best first. If scores
    /// are equal, the lower id comes first.
    ///
    /// - Parameters:
    ///   - queries: A matrix with one row per query.
    ///   - k: The maximum number of entries per query.
    ///   - entryRows: The storage's rows of the entries that may be found; `nil` for all.
    ///   - isExact: Whether all vectors are compared even if there is a graph.
    /// - Throws: ``RoostError`` with `.spaceMismatch` if the queries have another dimension;
    ///   `CancellationError`; the errors of `FlatIndex` and `GraphIndex` for corrupt files.
    func search(
        _ queries: Matrix, k: Int, among entryRows: RowSet?, isExact: Bool
    ) async throws -> [[PassageContents.Hit]] {
        var hits = [[PassageContents.Hit]](repeating: [], count: queries.rows)
        guard k > 0 else { return hits }
        // All passages of an entry are in one segment, so the best entries overall are among the best of each
        // segment.
        for segment in segments {
            let found = try await segment.search(queries, k: k, among: entryRows, isExact: isExact)
            for query in hits.indices { hits[query] += found[query] }
        }
        return hits.map { found in
            Array(found.sorted { ($1.score, $0.entry) < ($0.score, $1.entry) }.prefix(k))
        }
    }
}

extension SegmentedIndex {
    /// Returns the distribution of the cosines of random pairs of passages.
    ///
    /// - Complexity: O(passages).
    func pairStatistics() -> PairStatistics {
        var sample = PassageSample<(segment: Int, row: Int)>()
        for (number, segment) in segments.enumerated() {
            segment.forEachPassage { sample.add($0, $1, (number, $2)) }
        }
        return PairStatistics(
            of: sample.finish().map {
                PairStatistics.SampledPassage(
                    entry: $0.entry, vector: segments[$0.row.segment].vector($0.row.row))
            })
    }
}
