import RoostVectors

func unitVectors(_ count: Int, _ dimension: Int, seed: UInt64) -> Matrix {
    var generator = SeededGenerator(seed: seed)
    let elements = (0..<count * dimension).map { _ in Float(generator.nextNormal()) }
    var matrix = Matrix(rows: count, columns: dimension, elements: elements)
    matrix.normalizeRows()
    return matrix
}
