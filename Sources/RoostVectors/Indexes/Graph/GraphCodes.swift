import CRoostKernels

/// An encoding of vectors in 4 bits per component.
///
/// The mean is subtracted, the difference is rotated at random (random signs and Hadamard transforms, as in
/// RaBitQ and QuIP#) so that all components have about the same variance, and all components are quantized
/// with the same step. The integer products of an 8-bit query with the codes order the rows nearly as the
/// inner products of the vectors do.
struct GraphCodes: Sendable, Hashable {
    let dimension: Int
    /// (dimension): the mean of all vectors.
    let mean: [Float]
    /// Half of the quantization step: a code stands for an odd multiple of it, from -15 to 15.
    let scale: Float
    let seed: UInt64
    /// (2, width): the factors, 1 or -1, by which components are multiplied before each of the two
    /// transforms.
    private let signs: [Float]

    /// The number of components of one Hadamard transform. Their 4-bit codes fill one cache line of 64 bytes.
    private static let block = 128

    /// The dimension, rounded up to a multiple of the size of a Hadamard transform.
    var width: Int { Self.width(dimension) }
    var stride: Int { width / 2 }

    private static func width(_ dimension: Int) -> Int { (dimension + block - 1) / block * block }

    init(dimension: Int, mean: [Float], scale: Float, seed: UInt64) {
        precondition(mean.count == dimension)
        (self.dimension, self.mean, self.scale, self.seed) = (dimension, mean, scale, seed)
        var generator = SeededGenerator(seed: seed)
        signs = (0..<2 * Self.width(dimension)).map { _ in generator.next() & 1 == 0 ? 1 : -1 }
    }

    /// The minimum number of vectors that are sampled to estimate the mean and the quantization step, if
    /// there are as many. The sample has at most twice this number of vectors.
    private static let minimumSample = 20_000
    /// The value of ``scale`` for components with a standard deviation of 1. After the rotation, the
    /// components are approximately normally distributed. For 16 levels, the uniform step with the least mean
    /// squared error is then 0.3352 standard deviations (Max 1960), and the scale is half of that.
    private static let scaleOfUnitDeviation = 0.1676

    init(fitting vectors: VectorRows, seed: UInt64) {
        let (n, d) = (vectors.count, vectors.dimension)
        // Excludes vectors with numbers that are not finite, because they would make the estimates of the
        // mean and the variance useless.
        let sample = Swift.stride(from: 0, to: n, by: max(1, n / Self.minimumSample)).filter { row in
            vectors.withRow(row) { row in row.allSatisfy { $0.isFinite } }
        }
        var mean = [Double](repeating: 0, count: d)
        for row in sample {
            vectors.withRow(row) { for column in 0..<d { mean[column] += Double($0[column]) } }
        }
        let taken = Double(max(1, sample.count))
        for column in 0..<d { mean[column] /= taken }
        var square = 0.0
        for row in sample {
            vectors.withRow(row) {
                for column in 0..<d {
                    let difference = Double($0[column]) - mean[column]
                    square += difference * difference
                }
            }
        }
        let deviation = (square / taken / Double(Self.width(d))).squareRoot()
        self.init(
            dimension: d, mean: mean.map { Float($0) },
            scale: deviation > 0 ? Float(deviation * Self.scaleOfUnitDeviation) : 1, seed: seed)
    }

    /// Rotates a vector. Inner products of rotated vectors equal those of the original vectors.
    private func rotate(_ vector: UnsafePointer<Float>, centered: Bool, into: UnsafeMutablePointer<Float>) {
        let (d, width) = (dimension, width)
        for column in 0..<d { into[column] = centered ? vector[column] - mean[column] : vector[column] }
        for column in d..<width { into[column] = 0 }
        let (size, blocks) = (Self.block, width / Self.block)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { other in
            signs.withUnsafeBufferPointer { signs in
                for column in 0..<width { into[column] *= signs[column] }
                roost_hadamard(into, blocks)
                // Reads interleaved components, so each block of the second transform mixes all blocks of the
                // first.
                for block in 0..<blocks {
                    for column in 0..<size {
                        let position = column * blocks + block
                        other[position] = into[block * size + column] * signs[width + position]
                    }
                }
            }
            into.update(from: other.baseAddress!, count: width)
        }
        roost_hadamard(into, blocks)
    }

    func write(_ vector: UnsafePointer<Float>, row: UnsafeMutablePointer<UInt8>) {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { rotated in
            let rotated = rotated.baseAddress!
            rotate(vector, centered: true, into: rotated)
            func code(_ value: Float) -> UInt8 {
                let level = (value / (2 * scale)).rounded(.down) + 8
                // There is no code for NaN, so it is encoded as the level next to zero.
                return level.isNaN ? 8 : UInt8(max(0, min(15, level)))
            }
            for column in 0..<stride {
                row[column] = code(rotated[column]) | code(rotated[stride + column]) << 4
            }
        }
    }

    /// Encodes one vector as a query of `width` signed bytes. The mean is not subtracted.
    ///
    /// - Returns: The sum of the bytes, which is needed to compute products with rows.
    func write(_ vector: UnsafePointer<Float>, query: UnsafeMutablePointer<Int8>) -> Int32 {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { rotated in
            let rotated = rotated.baseAddress!
            rotate(vector, centered: false, into: rotated)
            var largest: Float = 0
            for column in 0..<width { largest = max(largest, abs(rotated[column])) }
            let inverse = 127 / largest
            // If the vector is so small that the inverse overflows, the query is set to zero.
            let factor = largest > 0 && inverse.isFinite ? inverse : 0
            var sum: Int32 = 0
            for column in 0..<width {
                let value = (rotated[column] * factor).rounded(.toNearestOrEven)
                let byte = value.isNaN ? 0 : Int8(max(-127, min(127, value)))
                query[column] = byte
                sum += Int32(byte)
            }
            return sum
        }
    }
}
