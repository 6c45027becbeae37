import CRoostKernels
import RoostVectors

/// The forward pass of BERT (Devlin et al. 2019) over sequences laid end to end, without padding.
///
/// Tokens lie side by side in panels of 32 (`roost_panels.h`): T tokens take P panels, and a buffer of n
/// features is (P, n, 32). Every pass works on tokens in the lanes of a vector, so the weights are used where
/// the file is mapped, and a token's numbers depend on what lies beside it in their last bits at most: only
/// attention looks from one token to another, and it stays inside its sequence. `BERTReference` is the same
/// in plain steps.
///
/// d is the width of the model, f that of its inner layer.
struct BERTForwardPass: Sendable {
    let configuration: BERTConfiguration
    let weights: BERTWeights
    var kernels: PanelKernels

    /// Sequences of token ids, special ones included, end to end.
    struct Batch {
        private(set) var ids: [Int32] = []
        /// Where each sequence lies in `ids`.
        private(set) var sequences: [Range<Int>] = []

        mutating func append(_ sequence: [Int32]) {
            sequences.append(ids.count..<ids.count + sequence.count)
            ids += sequence
        }

        var longest: Int { sequences.map(\.count).max() ?? 0 }
    }

    /// Writes the pooled vector of each sequence.
    ///
    /// - Parameters:
    ///   - memory: buffers for at least as many tokens.
    ///   - output: (sequences, d).
    func run(
        _ batch: Batch, memory: BERTMemory, team: ThreadTeam, into output: UnsafeMutablePointer<Float>
    ) {
        let (d, f, t) = (configuration.hiddenSize, configuration.intermediateSize, batch.ids.count)
        let hidden = memory.hidden  // (P, d, 32) what the layer before gave
        let qkv = memory.qkv  // (P, 3 d, 32) queries, keys and values
        let context = memory.context  // (P, d, 32)
        let inner = memory.inner  // (P, f, 32)

        embed(batch, into: hidden)
        normalize(hidden, weights.embeddingNorm, t)
        for layer in weights.layers {
            // Self-attention.
            let input = operand(hidden, d, t, memory)
            for (index, linear) in [layer.query, layer.key, layer.value].enumerated() {
                apply(linear, input, t, team, into: qkv + index * d * PanelKernels.tokens, width: 3 * d)
            }
            attend(batch, qkv, memory, team, into: context)
            // hidden = norm(hidden + context · W + b)
            apply(
                layer.attentionOutput, operand(context, d, t, memory), t, team, into: hidden, width: d,
                residual: hidden)
            normalize(hidden, layer.attentionNorm, t)
            // hidden = norm(hidden + gelu(hidden · W₁ + b₁) · W₂ + b₂), some panels at a time.
            for first in stride(from: 0, to: t, by: Self.innerTokens) {
                let (part, count) = (hidden + first * d, min(Self.innerTokens, t - first))
                apply(
                    layer.intermediate, operand(part, d, count, memory), count, team, into: inner, width: f,
                    activation: ROOST_GELU)
                apply(
                    layer.output, operand(inner, f, count, memory), count, team, into: part, width: d,
                    residual: part)
                normalize(part, layer.outputNorm, count)
            }
        }
        pool(batch, hidden, into: output)
    }

    /// Tokens that go through the inner layer together: its numbers are four times as many, and stay in the
    /// cache between the two matrices.
    static let innerTokens = 4 * PanelKernels.tokens

    // MARK: Steps

    /// hidden = word + position + type; lanes beyond the last token are 0.
    private func embed(_ batch: Batch, into hidden: UnsafeMutablePointer<Float>) {
        let (d, lanes) = (configuration.hiddenSize, PanelKernels.tokens)
        if let last = batch.ids.indices.last {
            (hidden + last / lanes * lanes * d).update(repeating: 0, count: d * lanes)
        }
        for sequence in batch.sequences {
            for (position, token) in sequence.enumerated() {
                let column = hidden + token / lanes * lanes * d + token % lanes
                let word = weights.words + Int(batch.ids[token]) * d
                let place = weights.positions + position * d
                for feature in 0..<d {
                    column[feature * lanes] = word[feature] + place[feature] + weights.types[feature]
                }
            }
        }
    }

    /// What a linear layer takes in: the panels themselves, the few tokens of a short text as rows, or the
    /// panels' numbers in 8 bits.
    private enum Operand {
        case panels(UnsafePointer<Float>)
        case rows(UnsafePointer<Float>)
        case bytes(roost_quantized_panels)
    }

    private func operand(
        _ panels: UnsafePointer<Float>, _ features: Int, _ t: Int, _ memory: BERTMemory
    ) -> Operand {
        if weights.isQuantized {
            kernels.quantize(panels, features, t, memory.quantized)
            return .bytes(memory.quantized)
        }
        guard t <= PanelKernels.fewTokens, features % 16 == 0 else { return .panels(panels) }
        kernels.rows(panels, features, memory.rows)
        return .rows(memory.rows)
    }

    /// y (P, outputs of `layer`, 32) = activation(W x + b + residual), its rows split among the team.
    ///
    /// - Parameter width: features of a panel of `y` and `residual`.
    private func apply(
        _ layer: BERTWeights.Linear, _ x: Operand, _ t: Int, _ team: ThreadTeam,
        into y: UnsafeMutablePointer<Float>, width: Int, residual: UnsafePointer<Float>? = nil,
        activation: roost_activation = ROOST_IDENTITY
    ) {
        let rows = layer.float.outputs
        // Parts are multiples of the rows that a kernel takes at a time.
        let parts = team.threads == 1 ? 1 : min(2 * team.threads, max(1, rows / 16))
        let size = (rows / parts + 15) / 16 * 16
        let call = LinearCall(
            layer: layer, input: x, tokens: t, output: y, stride: width * PanelKernels.tokens,
            residual: residual, activation: activation, kernels: kernels)
        team.forEach(parts) { part in
            let first = min(rows, part * size)
            call(first, (part == parts - 1 ? rows : min(rows, first + size)) - first)
        }
    }

    /// Unchecked because the compiler cannot see that the parts write different rows.
    private struct LinearCall: @unchecked Sendable {
        let layer: BERTWeights.Linear
        let input: Operand
        let tokens: Int
        let output: UnsafeMutablePointer<Float>
        let stride: Int
        let residual: UnsafePointer<Float>?
        let activation: roost_activation
        let kernels: PanelKernels

        func callAsFunction(_ first: Int, _ count: Int) {
            guard count > 0 else { return }
            switch input {
            case .rows(let x):
                kernels.linearFew(layer.float, first, count, x, output, residual, activation)
            case .panels(let x):
                kernels.linear(layer.float, first, count, x, tokens, output, stride, residual, activation)
            case .bytes(let x):
                guard let int8 = layer.int8 else { preconditionFailure("weights without 8-bit numbers") }
                kernels.linear(int8, first, count, x, tokens, output, stride, residual, activation)
            }
        }
    }

    /// context = for each sequence and head: softmax(Q · Kᵀ / √h) · V.
    private func attend(
        _ batch: Batch, _ qkv: UnsafePointer<Float>, _ memory: BERTMemory, _ team: ThreadTeam,
        into context: UnsafeMutablePointer<Float>
    ) {
        let (d, heads) = (configuration.hiddenSize, configuration.heads)
        let parts = team.threads == 1 ? 1 : min(memory.attentionParts, heads)
        let (input, output) = (SharedReads(qkv), DisjointWrites(context))
        let (kernels, sequences) = (kernels, batch.sequences)
        team.forEach(parts) { part in
            for head in stride(from: part, to: heads, by: parts) {
                for sequence in sequences {
                    kernels.attend(
                        input.pointer, d, d / heads, head, sequence.lowerBound, sequence.count,
                        output.pointer, memory.attention(part))
                }
            }
        }
    }

    private func normalize(_ x: UnsafeMutablePointer<Float>, _ norm: BERTWeights.Norm, _ t: Int) {
        kernels.layerNorm(
            x, norm.gamma, norm.beta, configuration.layerNormEpsilon, configuration.hiddenSize, t)
    }

    /// output (sequences, d): the mean of a sequence's tokens, or its first one.
    private func pool(
        _ batch: Batch, _ hidden: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>
    ) {
        let (d, lanes) = (configuration.hiddenSize, PanelKernels.tokens)
        for (index, sequence) in batch.sequences.enumerated() {
            let vector = output + index * d
            vector.update(repeating: 0, count: d)
            let tokens = configuration.pooling == .mean ? sequence : sequence.prefix(1)
            for token in tokens {
                let column = hidden + token / lanes * lanes * d + token % lanes
                for feature in 0..<d { vector[feature] += column[feature * lanes] }
            }
            let count = Float(tokens.count)
            for feature in 0..<d { vector[feature] /= count }
        }
    }
}
