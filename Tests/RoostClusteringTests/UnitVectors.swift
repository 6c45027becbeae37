import RoostVectors

/// Returns pseudorandom unit vectors, which are the same for the same seed.
func unitVectors(_ count: Int, _ dimension: Int, seed: UInt64) -> Matrix {
    var generator = SeededGenerator(seed: seed)
    let elements = (0..<count * dimension).map { _ in Float(generator.nextNormal()) }
    var matrix = Matrix(rows: count, columns: dimension, elements: elements)
    matrix.normalizeRows()
    return matrix
}

/// Returns `k` groups of vectors around random directions, one row of each in turn.
func groups(_ k: Int, of size: Int, spread: Float = 0.7, seed: UInt64 = 1) -> (points: Matrix, truth: [Int]) {
    let centers = unitVectors(k, 64, seed: seed)
    var noise = unitVectors(k * size, 64, seed: seed + 1)
    for row in 0..<k * size {
        for column in 0..<64 {
            noise[row, column] = spread * noise[row, column] + centers[row % k, column]
        }
    }
    noise.normalizeRows()
    return (noise, (0..<k * size).map { $0 % k })
}

func match(_ labels: [Partition.Label], _ truth: [Int]) -> Bool {
    let pairs = Set(zip(labels, truth).map { [$0.group ?? -1, $1] })
    return pairs.count == Set(truth).count && Set(pairs.map { $0[0] }).count == pairs.count
}
