import RoostVectors

/// The different rows of a matrix that have a direction: copies of one text say no more than it.
struct DistinctRows {
    /// The first of each, ascending.
    private(set) var rows: [Int] = []
    /// For each row of the matrix the place in ``rows`` of the one that it equals; `nil` where it is all
    /// zeros.
    private(set) var places: [Int?] = []

    /// How many rows of the matrix each stands for.
    var copies: [Int] {
        var counts = [Int](repeating: 0, count: rows.count)
        for case let place? in places { counts[place] += 1 }
        return counts
    }

    /// - Complexity: O(n · d).
    init(of vectors: Matrix) {
        places.reserveCapacity(vectors.rows)
        var known: [Int: [Int]] = [:]
        for row in 0..<vectors.rows {
            vectors.withRow(row) { values in
                guard values.contains(where: { $0 != 0 }) else {
                    places.append(nil)
                    return
                }
                var hasher = Hasher()
                hasher.combine(bytes: UnsafeRawBufferPointer(values))
                let hash = hasher.finalize()
                let same = known[hash]?.first { place in
                    vectors.withRow(rows[place]) { $0.elementsEqual(values) }
                }
                if let same {
                    places.append(same)
                } else {
                    known[hash, default: []].append(rows.count)
                    places.append(rows.count)
                    rows.append(row)
                }
            }
        }
    }
}
