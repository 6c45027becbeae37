import CRoostKernels
import Foundation
import RoostVectors
import Testing

/// The kernels against the same formulas in Double, at sizes around the widths of vector units.
struct KernelTests {
    static let sizes = [1, 7, 8, 15, 16, 31, 33, 384]

    func values(_ count: Int, seed: UInt64 = 1) -> [Float] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in Float(4 * generator.nextNormal()) }
    }

    @Test(arguments: sizes) func `gelu is x Φ(x)`(size: Int) {
        var x = values(size)
        let bias = values(size, seed: 2)
        let expected = zip(x, bias).map { x, b in
            let v = Double(x + b)
            return 0.5 * v * (1 + erf(v / 2.0.squareRoot()))
        }
        roost_add_bias_gelu(&x, bias, 1, size)
        for (found, wanted) in zip(x, expected) { #expect(abs(Double(found) - wanted) < 2e-6) }
    }

    @Test(arguments: sizes) func `softmax sums to one`(size: Int) {
        let x = values(2 * size)
        var found = x
        roost_softmax(&found, 0.5, 2, size, size)
        for row in 0..<2 {
            let scaled = x[row * size..<(row + 1) * size].map { exp(0.5 * Double($0)) }
            let sum = scaled.reduce(0, +)
            for column in 0..<size {
                #expect(abs(Double(found[row * size + column]) - scaled[column] / sum) < 1e-6)
            }
        }
    }

    @Test func `softmax bears large and small numbers`() {
        var x: [Float] = [1e4, -1e4, 1e4, 0]
        roost_softmax(&x, 1, 1, 4, 4)
        #expect(x[0] == 0.5 && x[2] == 0.5 && x[1] < 1e-30 && x[3] < 1e-30)
    }

    @Test(arguments: sizes) func `layer norm has mean 0 and variance 1`(size: Int) {
        let (x, residual) = (values(size), values(size, seed: 3))
        var found = x
        let (gamma, beta) = (values(size, seed: 4), values(size, seed: 5))
        roost_layer_norm(&found, nil, residual, gamma, beta, 1e-12, 1, size)
        let sums = zip(x, residual).map { Double($0) + Double($1) }
        let mean = sums.reduce(0, +) / Double(size)
        let variance = sums.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(size)
        for column in 0..<size where size > 1 {
            let wanted = (sums[column] - mean) / (variance + 1e-12).squareRoot() * Double(gamma[column])
            #expect(abs(Double(found[column]) - wanted - Double(beta[column])) < 1e-4)
        }
    }
}
