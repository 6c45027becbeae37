import CRoostKernels
import RoostVectors

/// How vectors are rounded to 4 bits: the mean is taken away, what is left is turned so that all directions
/// are alike (random signs and Hadamard transforms, as RaBitQ and QuIP# do), and one step serves all numbers.
///
/// Integer products of a query in 8 bits with rows of codes order rows nearly as inner products do.
struct GraphCodes: Sendable, Hashable {
    /// How many numbers a vector has.
    let dimension: Int
    /// (dimension): the mean of all vectors.
    let mean: [Float]
    /// Half of what one step of a code stands for: codes are odd numbers from -15 to 15 of it.
    let scale: Float
    let seed: UInt64
    /// (2, width): 1 or -1, before each of the two transforms.
    private let signs: [Float]

    /// The dimension, filled up so that a row of codes is whole cache lines.
    var width: Int { (dimension + 127) / 128 * 128 }
    /// Bytes of a row.
    var stride: Int { width / 2 }

    init(dimension: Int, mean: [Float], scale: Float, seed: UInt64) {
        precondition(mean.count == dimension)
        self.dimension = dimension
        self.mean = mean
        self.scale = scale
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        let width = (dimension + 127) / 128 * 128
        signs = (0..<2 * width).map { _ in generator.next() & 1 == 0 ? 1 : -1 }
    }

    /// Learns mean and step from vectors.
    ///
    init(fitting vectors: VectorRows, seed: UInt64) {
        let (n, d) = (vectors.count, vectors.dimension)
        // A sample says enough of both; what is not finite says nothing.
        let sample = Swift.stride(from: 0, to: n, by: max(1, n / 20_000)).filter { row in
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
        // Turned, the numbers are about normally distributed; the step that loses least of such in 16 levels
        // is a third of the deviation (Max 1960).
        let deviation = (square / taken / Double((d + 127) / 128 * 128)).squareRoot()
        self.init(
            dimension: d, mean: mean.map { Float($0) },
            scale: deviation > 0 ? Float(deviation * 0.1676) : 1, seed: seed)
    }

    /// Turns a vector: its inner products with others that were turned stay.
    ///
    /// - Parameter into: `width` numbers; may hold anything.
    private func turn(_ vector: UnsafePointer<Float>, centered: Bool, into: UnsafeMutablePointer<Float>) {
        let (d, width) = (dimension, width)
        for column in 0..<d { into[column] = centered ? vector[column] - mean[column] : vector[column] }
        for column in d..<width { into[column] = 0 }
        let blocks = width / 128
        withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { other in
            signs.withUnsafeBufferPointer { signs in
                for column in 0..<width { into[column] *= signs[column] }
                roost_hadamard(into, blocks)
                // Each block of the second transform has numbers of all blocks of the first.
                for block in 0..<blocks {
                    for column in 0..<128 {
                        let place = column * blocks + block
                        other[place] = into[block * 128 + column] * signs[width + place]
                    }
                }
            }
            into.update(from: other.baseAddress!, count: width)
        }
        roost_hadamard(into, blocks)
    }

    /// Rounds one vector as a row: `stride` bytes.
    func write(_ vector: UnsafePointer<Float>, row: UnsafeMutablePointer<UInt8>) {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { turned in
            let turned = turned.baseAddress!
            turn(vector, centered: true, into: turned)
            func code(_ value: Float) -> UInt8 {
                let level = (value / (2 * scale)).rounded(.down) + 8
                // Also of what is not a number, which no code stands for.
                return level.isNaN ? 8 : UInt8(max(0, min(15, level)))
            }
            for column in 0..<stride {
                row[column] = code(turned[column]) | code(turned[stride + column]) << 4
            }
        }
    }

    /// Rounds one vector as a query: `width` signed bytes.
    ///
    /// - Returns: the sum of the bytes.
    func write(_ vector: UnsafePointer<Float>, query: UnsafeMutablePointer<Int8>) -> Int32 {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { turned in
            let turned = turned.baseAddress!
            turn(vector, centered: false, into: turned)
            var largest: Float = 0
            for column in 0..<width { largest = max(largest, abs(turned[column])) }
            let inverse = 127 / largest
            // What is too small for its inverse to be a number is as good as nothing.
            let factor = largest > 0 && inverse.isFinite ? inverse : 0
            var sum: Int32 = 0
            for column in 0..<width {
                let value = (turned[column] * factor).rounded(.toNearestOrEven)
                let byte = value.isNaN ? 0 : Int8(max(-127, min(127, value)))
                query[column] = byte
                sum += Int32(byte)
            }
            return sum
        }
    }
}
