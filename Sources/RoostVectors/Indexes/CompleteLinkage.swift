import CRoostKernels
import Foundation

/// Groups of vectors that are merged only if every pair of the merged group reaches a threshold.
struct CompleteLinkage {
    private let vectors: Matrix
    private let rows: [UInt32]
    private let threshold: Float
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
        (self.vectors, self.rows, self.threshold) = (vectors, rows, threshold)
        groupOf = (0..<UInt32(rows.count)).map { $0 }
    }

    var groups: [[UInt32]] {
        (0..<UInt32(rows.count)).compactMap { index in
            groupOf[Int(index)] == index ? members[index, default: [index]].sorted() : nil
        }
    }

    func isSimilarToItself(_ index: UInt32) -> Bool { similarity(index, index) >= threshold }

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

    var count: Int { starts.count - 1 }

    var firsts: [UInt32] { starts.dropLast().map { order[$0] } }

    func copies(of index: Int) -> ArraySlice<UInt32> { order[starts[index]..<starts[index + 1]] }
}
