import CRoostKernels
import RoostModel

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

    /// A layer normalization.
    struct Norm {
        var gamma: UnsafePointer<Float>
        var beta: UnsafePointer<Float>
    }

    /// An encoder layer.
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
    ///
    /// - Throws: `EmbedderError` that names the missing or unsupported tensor.
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

    /// Returns the weights with the matrices of the layers quantized to 8 bits.
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
