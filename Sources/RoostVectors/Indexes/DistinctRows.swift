import Foundation

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

    /// The index of the first copy of each distinct row.
    var firsts: [UInt32] { starts.dropLast().map { order[$0] } }

    /// Returns the indices of all copies of the distinct row with the given number.
    func copies(of index: Int) -> ArraySlice<UInt32> { order[starts[index]..<starts[index + 1]] }
}
