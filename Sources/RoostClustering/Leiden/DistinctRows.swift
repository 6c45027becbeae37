import RoostVectors

/// The distinct nonzero rows of a matrix. Copies of one text would otherwise be each other's nearest
/// neighbors and hide the neighbors that matter.
struct DistinctRows {
    /// The first row of each set of equal rows, ascending.
    private(set) var rows: [Int] = []
    /// For each row of the matrix, the index in ``rows`` of the row that it equals; `nil` for a zero row.
    private(set) var indices: [Int?] = []

    /// The number of rows of the matrix that equal each distinct row.
    var copies: [Int] {
        var counts = [Int](repeating: 0, count: rows.count)
        for case let index? in indices { counts[index] += 1 }
        return counts
    }

    /// Finds the distinct rows of a matrix.
    ///
    /// - Complexity: O(n · d).
    init(of vectors: Matrix) {
        indices.reserveCapacity(vectors.rows)
        var known: [Int: [Int]] = [:]
        for row in 0..<vectors.rows {
            vectors.withRow(row) { values in
                guard values.contains(where: { $0 != 0 }) else {
                    indices.append(nil)
                    return
                }
                var hasher = Hasher()
                hasher.combine(bytes: UnsafeRawBufferPointer(values))
                let hash = hasher.finalize()
                let same = known[hash]?.first { index in
                    vectors.withRow(rows[index]) { $0.elementsEqual(values) }
                }
                if let same {
                    indices.append(same)
                } else {
                    known[hash, default: []].append(rows.count)
                    indices.append(rows.count)
                    rows.append(row)
                }
            }
        }
    }
}
