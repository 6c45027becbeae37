import CRoostKernels
import RoostVectors

/// The forward pass of BERT (Devlin et al. 2019) over sequences laid end to end: no padding anywhere, since
/// only attention looks from one token to another, and it stays inside its sequence.
///
/// T is the number of tokens of all sequences, d the width of the model, f that of its inner layer, h the
/// width of a head. Every buffer is row-major Float32. BLAS does the products; `CRoostKernels` what lies
/// between them.
struct BERTForwardPass {
    let configuration: BERTConfiguration
    let weights: BERTWeights

    /// Sequences of token ids, special ones included, end to end.
    struct Batch {
        var ids: [Int32] = []
        /// Where each sequence lies in `ids`.
        var sequences: [Range<Int>] = []

        mutating func append(_ sequence: [Int32]) {
            sequences.append(ids.count..<ids.count + sequence.count)
            ids += sequence
        }
    }

    /// Writes the pooled unit vector of each sequence.
    ///
    /// - Parameter output: (sequences, d).
    func run(_ batch: Batch, into output: UnsafeMutablePointer<Float>) {
        let (t, d, f) = (batch.ids.count, configuration.hiddenSize, configuration.intermediateSize)
        let longest = batch.sequences.map(\.count).max() ?? 0
        let sizes = [t * d, t * d, t * d, t * d, t * d, t * f, longest * longest]
        withUnsafeTemporaryAllocation(of: Float.self, capacity: sizes.reduce(0, +)) { memory in
            var offset = 0
            let buffers = sizes.map { size in
                defer { offset += size }
                return memory.baseAddress! + offset
            }
            let hidden = buffers[0]  // (T, d) what the layer before gave
            let query = buffers[1]  // (T, d)
            let key = buffers[2]  // (T, d)
            let value = buffers[3]  // (T, d)
            let context = buffers[4]  // (T, d)
            let inner = buffers[5]  // (T, f)
            let scores = buffers[6]  // (n, n) for one head of one sequence of n tokens

            embed(batch, into: hidden)
            for layer in weights.layers {
                // Self-attention.
                linear(hidden, layer.query, into: query, t, d, d)
                linear(hidden, layer.key, into: key, t, d, d)
                linear(hidden, layer.value, into: value, t, d, d)
                roost_add_bias(query, layer.query.bias, t, d)
                roost_add_bias(key, layer.key.bias, t, d)
                roost_add_bias(value, layer.value.bias, t, d)
                for sequence in batch.sequences {
                    attend(sequence, query: query, key: key, value: value, scores: scores, into: context)
                }
                // context · W + b, plus the residual, normalised; query is free to take it.
                linear(context, layer.attentionOutput, into: query, t, d, d)
                normalize(query, layer.attentionOutput.bias, residual: hidden, layer.attentionNorm, t)
                // The inner layer and back.
                linear(query, layer.intermediate, into: inner, t, f, d)
                roost_add_bias_gelu(inner, layer.intermediate.bias, t, f)
                linear(inner, layer.output, into: hidden, t, d, f)
                normalize(hidden, layer.output.bias, residual: query, layer.outputNorm, t)
            }
            pool(batch, hidden, into: output)
        }
    }

    /// hidden (T, d) = norm(word + position + type).
    private func embed(_ batch: Batch, into hidden: UnsafeMutablePointer<Float>) {
        let d = configuration.hiddenSize
        for sequence in batch.sequences {
            for (position, token) in sequence.enumerated() {
                let row = hidden + token * d
                let word = weights.words + Int(batch.ids[token]) * d
                let place = weights.positions + position * d
                for column in 0..<d { row[column] = word[column] + place[column] + weights.types[column] }
            }
        }
        let norm = weights.embeddingNorm
        roost_layer_norm(
            hidden, nil, nil, norm.gamma, norm.beta, configuration.layerNormEpsilon, batch.ids.count, d)
    }

    /// output (T, out) = input (T, in) · weightᵀ, without the bias.
    private func linear(
        _ input: UnsafePointer<Float>, _ layer: BERTWeights.Linear, into output: UnsafeMutablePointer<Float>,
        _ t: Int, _ outputWidth: Int, _ inputWidth: Int
    ) {
        BLAS.gemm(
            .init(input, stride: inputWidth), .init(layer.weight, stride: inputWidth, transposed: true),
            into: output, stride: outputWidth, m: t, n: outputWidth, k: inputWidth)
    }

    /// x (T, d) = norm(x + bias + residual).
    private func normalize(
        _ x: UnsafeMutablePointer<Float>, _ bias: UnsafePointer<Float>, residual: UnsafePointer<Float>,
        _ norm: BERTWeights.Norm, _ t: Int
    ) {
        roost_layer_norm(
            x, bias, residual, norm.gamma, norm.beta, configuration.layerNormEpsilon, t,
            configuration.hiddenSize)
    }

    /// context (n, d) of one sequence: for each head softmax(Q · Kᵀ / √h) · V.
    private func attend(
        _ sequence: Range<Int>, query: UnsafePointer<Float>, key: UnsafePointer<Float>,
        value: UnsafePointer<Float>, scores: UnsafeMutablePointer<Float>,
        into context: UnsafeMutablePointer<Float>
    ) {
        let (n, d) = (sequence.count, configuration.hiddenSize)
        let h = d / configuration.heads
        let scale = 1 / Float(h).squareRoot()
        for head in 0..<configuration.heads {
            let start = sequence.lowerBound * d + head * h
            BLAS.gemm(
                .init(query + start, stride: d), .init(key + start, stride: d, transposed: true),
                into: scores, stride: n, m: n, n: n, k: h)
            roost_softmax(scores, scale, n, n, n)
            BLAS.gemm(
                .init(scores, stride: n), .init(value + start, stride: d),
                into: context + start, stride: d, m: n, n: h, k: n)
        }
    }

    /// output (sequences, d): the mean of a sequence's rows, or its first row, at unit length.
    private func pool(
        _ batch: Batch, _ hidden: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>
    ) {
        let d = configuration.hiddenSize
        for (index, sequence) in batch.sequences.enumerated() {
            let vector = UnsafeMutableBufferPointer(start: output + index * d, count: d)
            vector.initialize(repeating: 0)
            let rows = configuration.pooling == .mean ? sequence.count : 1
            roost_sum_rows(hidden + sequence.lowerBound * d, output + index * d, rows, d)
            RoostVectors.normalize(vector)
        }
    }
}
