import CRoostKernels
import Foundation
import RoostVectors

/// Two vectors whose inner product reaches the threshold of a search for near-duplicates.
///
/// The order is by descending similarity, then by the indices.
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

/// A division of the similarities from a threshold to 1 into intervals of equal width.
struct SimilarityScale: Sendable {
    let threshold: Float
    let intervals: Int

    /// Returns the interval of a similarity of at least the threshold; the last one has the highest.
    func interval(of similarity: Float) -> Int {
        let share = (similarity - threshold) / (1 - threshold)
        return max(0, min(intervals - 1, Int(share * Float(intervals))))
    }

    /// Returns a lower bound of the similarities in an interval.
    func minimum(of interval: Int) -> Float {
        threshold + (1 - threshold) * Float(interval) / Float(intervals)
    }

    /// Returns ranges of intervals, highest first, each with at most `limit` pairs or of one interval.
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

/// The different rows of a matrix, in the order of their bytes, with all copies of each.
struct DistinctRows {
    /// All rows, by their bytes and then by their index.
    private let order: [UInt32]
    /// The index in `order` of the first copy of each different row, and the number of rows.
    private let starts: [Int]

    init(_ vectors: Matrix) {
        let length = vectors.columns * MemoryLayout<Float>.stride
        (order, starts) = vectors.elements.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, length > 0 else { return ([], [0]) }
            // Most comparisons are decided by the first element, so that it is kept next to the row.
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

    /// The number of different rows.
    var count: Int { starts.count - 1 }

    /// The first copy of each different row.
    var firsts: [UInt32] { starts.dropLast().map { order[$0] } }

    /// Returns the rows that equal the different row with an index.
    func copies(of index: Int) -> ArraySlice<UInt32> { order[starts[index]..<starts[index + 1]] }
}

/// Groups of vectors that are merged only if every pair of the merged group reaches a threshold.
struct CompleteLinkage {
    private let vectors: Matrix
    /// The row of each vector in `vectors`.
    private let rows: [UInt32]
    private let threshold: Float
    /// The group of each vector.
    private var groupOf: [UInt32]
    /// The vectors of each group that has been merged; every other group has one vector.
    private var members: [UInt32: [UInt32]] = [:]
    /// Pairs of groups that have a pair of vectors below the threshold, and so can never be merged.
    private var refused: Set<UInt64> = []
    /// The maximum size of `refused`, which only saves time.
    private static let refusedLimit = 1 << 20

    init(_ vectors: Matrix, rows: [UInt32], threshold: Float) {
        self.vectors = vectors
        self.rows = rows
        self.threshold = threshold
        groupOf = (0..<UInt32(rows.count)).map { $0 }
    }

    /// All groups, each in ascending order.
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
