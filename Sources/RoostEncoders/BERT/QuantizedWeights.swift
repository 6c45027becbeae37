import CRoostKernels
import RoostVectors

/// Matrices of a model in 8 bits, made from those of the file when the model is opened.
///
/// Each row of a matrix has a scale of its own, and activations are rounded for each token as they come
/// ("dynamic quantization"), so nothing is calibrated on texts.
///
/// Unchecked because the compiler cannot see that the memory is not written after it was filled.
final class QuantizedWeights: @unchecked Sendable {
    /// One for each of the given matrices.
    let layers: [roost_linear_int8_layer]
    private let bytes: UnsafeMutablePointer<Int8>
    private let numbers: UnsafeMutablePointer<Float>

    /// - Complexity: one pass over the matrices, on all cores.
    init(_ matrices: [roost_linear_layer]) {
        let bytes = UnsafeMutablePointer<Int8>.allocate(
            capacity: matrices.reduce(64) { $0 + $1.outputs * $1.inputs })
        let numbers = UnsafeMutablePointer<Float>.allocate(
            capacity: matrices.reduce(64) { $0 + 2 * $1.outputs })
        (self.bytes, self.numbers) = (bytes, numbers)
        var (byte, number) = (0, 0)
        var layers: [roost_linear_int8_layer] = []
        var work: [Work] = []
        for matrix in matrices {
            let scale = numbers + number
            let sum = scale + matrix.outputs
            layers.append(
                roost_linear_int8_layer(
                    weight: bytes + byte, scale: scale, sum: sum, bias: matrix.bias, outputs: matrix.outputs,
                    inputs: matrix.inputs))
            work.append(Work(matrix: matrix, bytes: bytes + byte, scale: scale, sum: sum))
            byte += matrix.outputs * matrix.inputs
            number += 2 * matrix.outputs
        }
        self.layers = layers
        Parallel.forEachBlock(of: work.count, size: 1) { [work] block in
            for index in block { work[index].run() }
        }
    }

    /// Unchecked because the compiler cannot see that each writes to a place of its own.
    private struct Work: @unchecked Sendable {
        let matrix: roost_linear_layer
        let bytes: UnsafeMutablePointer<Int8>
        let scale: UnsafeMutablePointer<Float>
        let sum: UnsafeMutablePointer<Float>

        func run() {
            roost_quantize_rows(matrix.weight, matrix.outputs, matrix.inputs, bytes, scale, sum)
        }
    }

    deinit {
        bytes.deallocate()
        numbers.deallocate()
    }
}
