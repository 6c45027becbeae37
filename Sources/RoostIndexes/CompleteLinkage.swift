import CRoostKernels
import Foundation
import RoostVectors

/// A pair of vectors whose inner product reaches the threshold of a near-duplicate search.
///
/// Pairs are ordered by descending similarity, and pairs of equal similarity by their indices.
struct SimilarPair: Comparable {
    var similarity: Float
    /// The lower index.
    var first: UInt32
    /// The higher index.
    var second: UInt32

    static func < (a: Self, b: Self) -> Bool {
        (b.similarity, a.first, a.second) < (a.similarity, b.first, b.second)
    }
}

/// Divides the range of similarities from a threshold to 1 into intervals of equal width.
struct SimilarityScale: Sendable {
    let threshold: Float
    let intervals: Int

    /// Returns the interval of a similarity that is at least the threshold. The last interval has the highest
    /// similarities.
    func interval(of similarity: Float) -> Int {
        let share = (similarity - threshold) / (1 - threshold)
        return max(0, min(intervals - 1, Int(share * Float(intervals))))
    }

    /// Returns a lower bound of the similarities in an interval.
    func minimum(of interval: Int) -> Float {
        threshold + (1 - threshold) * Float(interval) / Float(intervals)
    }

    /// Groups the intervals into ranges, those of the highest similarities first. A range contains at most
    /// `limit` pairs, unless it consists of a single interval.
    ///
    /// - Parameter counts: The number of pairs in each interval.
    func bands(_ counts: [Int], limit: Int) -> [Range<Int>] {
        var bands: [Range<Int>] = []
        var (upper, sum) = (intervals, 0)
        for interval in (0..<intervals).reversed() {
            if sum > 0, sum + counts[interval] > limit {
                bands.append(interval + 1..<upper)
                (upper, sum) = (interval + 1, 0)
            }
            sum += counts[interval]
        }
        return sum > 0 ? bands + [0..<upper] : bands
    }
}

/// The distinct rows of a matrix, sorted by their bytes, and all copies of each.
struct DistinctRows {
    /// The indices of all rows, sorted by the rows' bytes, and equal rows by index.
    private let order: [UInt32]
    /// For each distinct row, the index of its first copy in `order`; then, as the last element, the number
    /// of all rows.
    private let starts: [Int]

    init(_ vectors: Matrix) {
        let length = vectors.columns * MemoryLayout<Float>.stride
        (order, starts) = vectors.elements.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, length > 0 else { return ([], [0]) }
            // Most comparisons are decided by the first component of the row, so it is stored next to the
            // row's index.
            var rows = (0..<UInt32(vectors.rows)).map { row in
                (key: (base + Int(row) * length).loadUnaligned(as: Float.self).bitPattern, row: row)
            }
            func compare(_ a: UInt32, _ b: UInt32) -> Int32 {
                memcmp(base + Int(a) * length, base + Int(b) * length, length)
            }
            rows.sort { a, b in
                if a.key != b.key { return a.key < b.key }
                let order = compare(a.row, b.row)
                return order == 0 ? a.row < b.row : order < 0
            }
            var starts: [Int] = []
            for index in rows.indices
            where index == 0 || rows[index].key != rows[index - 1].key
                || compare(rows[index].row, rows[index - 1].row) != 0
            {
                starts.append(index)
            }
            return (rows.map(\.row), starts + [rows.count])
        }
    }

    /// The number of distinct rows.
    var count: Int { starts.count - 1 }

    /// The index of the first copy of each distinct row.
    var firsts: [UInt32] { starts.dropLast().map { order[$0] } }

    /// Returns the indices of all copies of the distinct row with the given number.
    func copies(of index: Int) -> ArraySlice<UInt32> { order[starts[index]..<starts[index + 1]] }
}

/// Groups of vectors that are merged only if every pair of the merged group reaches a threshold.
struct CompleteLinkage {
    private let vectors: Matrix
    /// For each vector to group, its row in `vectors`.
    private let rows: [UInt32]
    private let threshold: Float
    /// For each vector, the number of its group.
    private var groupOf: [UInt32]
    /// The vectors of each merged group. Groups that are not listed have one vector.
    private var members: [UInt32: [UInt32]] = [:]
    /// Pairs of groups that can never be merged, because the similarity of some pair of their vectors is
    /// below the threshold.
    private var refused: Set<UInt64> = []
    /// The maximum number of pairs in `refused`. Pairs beyond the limit are not stored and may be compared
    /// again.
    private static let refusedLimit = 1 << 20

    init(_ vectors: Matrix, rows: [UInt32], threshold: Float) {
        self.vectors = vectors
        self.rows = rows
        self.threshold = threshold
        groupOf = (0..<UInt32(rows.count)).map { $0 }
    }

    /// All groups, each as an ascending list of its vectors.
    var groups: [[UInt32]] {
        (0..<UInt32(rows.count)).compactMap { index in
            groupOf[Int(index)] == index ? members[index, default: [index]].sorted() : nil
        }
    }

    /// Whether the inner product of a vector with itself reaches the threshold.
    func isSimilarToItself(_ index: UInt32) -> Bool { similarity(index, index) >= threshold }

    /// Merges the groups of two vectors if all pairs of the two groups reach the threshold.
    ///
    /// - Throws: `CancellationError`.
    mutating func visit(_ first: UInt32, _ second: UInt32) throws {
        var (large, small) = (groupOf[Int(first)], groupOf[Int(second)])
        guard large != small else { return }
        let key = UInt64(min(large, small)) << 32 | UInt64(max(large, small))
        guard !refused.contains(key) else { return }
        try Task.checkCancellation()
        var (all, others) = (members[large] ?? [large], members[small] ?? [small])
        for a in all where !others.allSatisfy({ similarity(a, $0) >= threshold }) {
            if refused.count >= Self.refusedLimit { refused.removeAll(keepingCapacity: true) }
            refused.insert(key)
            return
        }
        if (all.count, small) < (others.count, large) {
            swap(&large, &small)
            swap(&all, &others)
        }
        members[large] = nil
        members[small] = nil
        for index in others { groupOf[Int(index)] = large }
        all += others
        members[large] = all
    }

    private func similarity(_ first: UInt32, _ second: UInt32) -> Float {
        vectors.elements.withUnsafeBufferPointer { elements in
            guard let base = elements.baseAddress else { return 0 }
            let d = vectors.columns
            return roost_dot(base + Int(rows[Int(first)]) * d, base + Int(rows[Int(second)]) * d, d)
        }
    }
}
