import Testing

@testable import RoostVectors

/// Our own products against those of BLAS, which is installed where the tests run.
@Suite struct PortableProductsTests {
    private struct Shape: CustomStringConvertible {
        let m: Int, n: Int, k: Int
        var isFirstTransposed = false, isSecondTransposed = false
        var alpha: Float = 1, beta: Float = 0
        var description: String {
            "\(m) x \(n) x \(k), \(isFirstTransposed), \(isSecondTransposed), \(alpha), \(beta)"
        }
    }

    private static let shapes: [Shape] = {
        let sizes = [(1, 1, 1), (3, 5, 7), (17, 64, 33), (9, 65, 128), (70, 130, 384), (4, 3, 0)]
        return sizes.flatMap { m, n, k in
            [false, true].flatMap { first in
                [false, true].flatMap { second in
                    [(Float(1), Float(0)), (-2, 0.5)].map { alpha, beta in
                        Shape(
                            m: m, n: n, k: k, isFirstTransposed: first, isSecondTransposed: second,
                            alpha: alpha,
                            beta: beta)
                    }
                }
            }
        }
    }()

    private typealias Product = (
        BLAS.Operand, BLAS.Operand, UnsafeMutablePointer<Float>, _ stride: Int, Shape
    ) -> Void

    /// Returns the memory of the result, whose rows have two more numbers than the matrix.
    private static func result(_ shape: Shape, initial: Float, _ product: Product) -> [Float] {
        var generator = SeededGenerator(seed: 7)
        func numbers(_ rows: Int, _ stride: Int) -> [Float] {
            (0..<max(rows * stride, 1)).map { _ in Float(generator.nextNormal()) }
        }
        let (m, n, k) = (shape.m, shape.n, shape.k)
        let firstStride = (shape.isFirstTransposed ? m : k) + 3
        let secondStride = (shape.isSecondTransposed ? k : n) + 1
        let a = numbers(shape.isFirstTransposed ? k : m, firstStride)
        let b = numbers(shape.isSecondTransposed ? n : k, secondStride)
        var c = [Float](repeating: initial, count: m * (n + 2))
        a.withUnsafeBufferPointer { a in
            b.withUnsafeBufferPointer { b in
                c.withUnsafeMutableBufferPointer { c in
                    product(
                        BLAS.Operand(
                            a.baseAddress!, stride: firstStride, transposed: shape.isFirstTransposed),
                        BLAS.Operand(
                            b.baseAddress!, stride: secondStride, transposed: shape.isSecondTransposed),
                        c.baseAddress!, n + 2, shape)
                }
            }
        }
        return c
    }

    private static func portable(_ shape: Shape, initial: Float = 0.25) -> [Float] {
        result(shape, initial: initial) { a, b, c, stride, shape in
            PortableProducts.gemm(
                a, b, into: c, stride: stride, m: shape.m, n: shape.n, k: shape.k, alpha: shape.alpha,
                beta: shape.beta)
        }
    }

    @Test func `products agree with BLAS and leave the numbers between the rows unchanged`() {
        for shape in Self.shapes {
            let expected = Self.result(shape, initial: 0.25) { a, b, c, stride, shape in
                BLAS.gemm(
                    a, b, into: c, stride: stride, m: shape.m, n: shape.n, k: shape.k, alpha: shape.alpha,
                    beta: shape.beta)
            }
            let actual = Self.portable(shape)
            let tolerance = 1e-5 * Float(shape.k + 1).squareRoot() * 10
            for (index, pair) in zip(actual, expected).enumerated() {
                #expect(abs(pair.0 - pair.1) <= tolerance, "\(shape), number \(index)")
            }
            for row in 0..<shape.m {
                #expect(actual[row * (shape.n + 2) + shape.n] == 0.25, "\(shape)")
            }
        }
    }

    @Test func `a result that is not added to may be uninitialized`() {
        let numbers = Self.portable(Shape(m: 3, n: 5, k: 7), initial: .nan)
        #expect((0..<3).allSatisfy { row in (0..<5).allSatisfy { numbers[row * 7 + $0].isFinite } })
    }
}
