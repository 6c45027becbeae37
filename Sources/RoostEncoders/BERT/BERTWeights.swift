import CRoostKernels
import RoostModel
import RoostVectors

/// Pointers to the tensors of a BERT model in its mapped file. The matrix of a linear layer has the shape
/// (out, in), as in PyTorch.
///
/// Unchecked because the compiler cannot verify that the mapped bytes are never written, and that `file`
/// keeps them alive as long as the pointers.
struct BERTWeights: @unchecked Sendable {
    /// A linear layer. If the model is quantized, the layer also has 8-bit weights.
    struct Linear {
        var float: roost_linear_layer
        var int8: roost_linear_int8_layer?
    }

    struct Norm {
        var gamma: UnsafePointer<Float>
        var beta: UnsafePointer<Float>
    }

    struct Layer {
        var query: Linear
        var key: Linear
        var value: Linear
        var attentionOutput: Linear
        var attentionNorm: Norm
        var intermediate: Linear
        var output: Linear
        var outputNorm: Norm
    }

    let words: UnsafePointer<Float>
    /// The vectors of the positions in a sequence, beginning with that of the first token.
    let positions: UnsafePointer<Float>
    let types: UnsafePointer<Float>
    let embeddingNorm: Norm
    private(set) var layers: [Layer]
    /// Whether the layers have 8-bit weights. If they do, the forward pass uses them.
    var isQuantized: Bool { layers.first?.query.int8 != nil }
    private let file: Safetensors
    private var int8: QuantizedWeights?

    /// Locates the tensors and checks their shapes.
    init(_ file: Safetensors, _ configuration: BERTConfiguration) throws {
        let prefix =
            ["bert.", "roberta."].first { prefix in file.tensors.keys.contains { $0.hasPrefix(prefix) } }
            ?? ""
        let (d, f) = (configuration.hiddenSize, configuration.intermediateSize)
        func linear(_ name: String, _ output: Int, _ input: Int) throws -> Linear {
            let weight = try file.floats("\(prefix)\(name).weight", shape: [output, input])
            let bias = try file.floats("\(prefix)\(name).bias", shape: [output])
            return Linear(
                float: roost_linear_layer(weight: weight, bias: bias, outputs: output, inputs: input))
        }
        func norm(_ name: String) throws -> Norm {
            Norm(
                gamma: try file.floats("\(prefix)\(name).weight", shape: [d]),
                beta: try file.floats("\(prefix)\(name).bias", shape: [d]))
        }
        let embeddings = "\(prefix)embeddings."
        words = try file.floats(
            "\(embeddings)word_embeddings.weight", shape: [configuration.vocabularySize, d])
        positions =
            try file.floats("\(embeddings)position_embeddings.weight", shape: [configuration.positions, d])
            + configuration.firstPosition * d
        types = try file.floats("\(embeddings)token_type_embeddings.weight", shape: [configuration.types, d])
        embeddingNorm = try norm("embeddings.LayerNorm")
        layers = try (0..<configuration.layers).map { index in
            let layer = "encoder.layer.\(index)."
            return Layer(
                query: try linear("\(layer)attention.self.query", d, d),
                key: try linear("\(layer)attention.self.key", d, d),
                value: try linear("\(layer)attention.self.value", d, d),
                attentionOutput: try linear("\(layer)attention.output.dense", d, d),
                attentionNorm: try norm("\(layer)attention.output.LayerNorm"),
                intermediate: try linear("\(layer)intermediate.dense", f, d),
                output: try linear("\(layer)output.dense", d, f),
                outputNorm: try norm("\(layer)output.LayerNorm"))
        }
        self.file = file
    }

    func quantized() -> BERTWeights {
        var weights = self
        let matrices: [WritableKeyPath<Layer, Linear>] = [
            \.query, \.key, \.value, \.attentionOutput, \.intermediate, \.output,
        ]
        let quantized = QuantizedWeights(
            layers.flatMap { layer in matrices.map { layer[keyPath: $0].float } })
        for index in layers.indices {
            for (offset, matrix) in matrices.enumerated() {
                weights.layers[index][keyPath: matrix].int8 =
                    quantized.layers[index * matrices.count + offset]
            }
        }
        weights.int8 = quantized
        return weights
    }
}

/// The matrices of a model, quantized to 8 bits from the weights in the file when the model is opened.
///
/// Each row of a matrix has its own scale, and activations are quantized separately for each token at run
/// time ("dynamic quantization"), so no calibration with sample texts is needed.
///
/// Unchecked because the compiler cannot verify that the memory is not written after initialization.
final class QuantizedWeights: @unchecked Sendable {
    let layers: [roost_linear_int8_layer]
    private let bytes: UnsafeMutablePointer<Int8>
    private let numbers: UnsafeMutablePointer<Float>

    /// The number of unused elements at the end, because kernels may read up to one vector register beyond
    /// the last element.
    private static let padding = 64

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

        func run() { roost_quantize_rows(matrix.weight, matrix.outputs, matrix.inputs, bytes, scale, sum) }
    }

    deinit {
        bytes.deallocate()
        numbers.deallocate()
    }
}
