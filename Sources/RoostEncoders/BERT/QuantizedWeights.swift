import CRoostKernels
import RoostVectors

/// The matrices of a model, quantized to 8 bits from the weights in the file when the model is opened.
///
/// Each row of a matrix has its own scale, and activations are quantized separately for each token at run
/// time ("dynamic quantization"), so no calibration with sample texts is needed.
///
/// Unchecked because the compiler cannot verify that the memory is not written after initialization.
final class QuantizedWeights: @unchecked Sendable {
    /// The quantized layers, in the order of the given matrices.
    let layers: [roost_linear_int8_layer]
    private let bytes: UnsafeMutablePointer<Int8>
    private let numbers: UnsafeMutablePointer<Float>

    /// The number of unused elements at the end, because kernels may read up to one vector register beyond
    /// the last element.
    private static let padding = 64

    /// Quantizes matrices.
    ///
    /// - Complexity: One pass over the matrices, on all cores.
    init(_ matrices: [roost_linear_layer]) {
        let bytes = UnsafeMutablePointer<Int8>.allocate(
            capacity: matrices.reduce(Self.padding) { $0 + $1.outputs * $1.inputs })
        let numbers = UnsafeMutablePointer<Float>.allocate(
            capacity: matrices.reduce(Self.padding) { $0 + 2 * $1.outputs })
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

    /// Unchecked because the compiler cannot verify that the instances write to disjoint memory.
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
