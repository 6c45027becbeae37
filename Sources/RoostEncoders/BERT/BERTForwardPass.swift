import CRoostKernels
import RoostVectors

/// The forward pass of BERT (Devlin et al. 2019) over concatenated sequences, without padding.
///
/// Tokens are arranged in panels of 32 (`roost_panels.h`): T tokens occupy P panels, and a buffer of n
/// features has the shape (P, n, 32). Every kernel processes tokens in the lanes of vector registers, so the
/// weights are used directly from the mapped file, without being rearranged. Only attention combines tokens,
/// and only within a sequence, so the other sequences of the batch affect at most the last bits of a
/// sequence's result. Tests compare the results with a straightforward implementation, `BERTReference`.
///
/// In the shapes, d is the hidden size and f the intermediate size of the model.
struct BERTForwardPass: Sendable {
    let configuration: BERTConfiguration
    let weights: BERTWeights
    var kernels: PanelKernels
    /// The token after which the second text of a sequence begins; `nil` if sequences have one text.
    var separator: Int32?

    struct Batch {
        private(set) var ids: [Int32] = []
        /// The range of each sequence in `ids`.
        private(set) var sequences: [Range<Int>] = []

        mutating func append(_ sequence: [Int32]) {
            sequences.append(ids.count..<ids.count + sequence.count)
            ids += sequence
        }
    }

    /// Writes the pooled vector of each sequence.
    func run(_ batch: Batch, memory: BERTMemory, team: ThreadTeam, into output: UnsafeMutablePointer<Float>) {
        let (d, f, t) = (configuration.hiddenSize, configuration.intermediateSize, batch.ids.count)
        let hidden = memory.hidden  // (P, d, 32) output of the previous layer
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
            // hidden = norm(hidden + gelu(hidden · W₁ + b₁) · W₂ + b₂), a few panels at a time.
            for first in stride(from: 0, to: t, by: Self.innerTokens) {
                let (panels, count) = (hidden + first * d, min(Self.innerTokens, t - first))
                apply(
                    layer.intermediate, operand(panels, d, count, memory), count, team, into: inner, width: f,
                    activation: ROOST_GELU)
                apply(
                    layer.output, operand(inner, f, count, memory), count, team, into: panels, width: d,
                    residual: panels)
                normalize(panels, layer.outputNorm, count)
            }
        }
        pool(batch, hidden, into: output)
    }

    /// The number of tokens that pass through the intermediate layer together. The activations of this layer
    /// are four times as large as those of the others; for this number of tokens, they stay in the cache
    /// between the two matrix products.
    static let innerTokens = 4 * PanelKernels.tokens

    // MARK: Steps

    /// Computes hidden = word + position + type; lanes beyond the last token are set to 0.
    private func embed(_ batch: Batch, into hidden: UnsafeMutablePointer<Float>) {
        let (d, lanes) = (configuration.hiddenSize, PanelKernels.tokens)
        if let last = batch.ids.indices.last {
            (hidden + last / lanes * lanes * d).update(repeating: 0, count: d * lanes)
        }
        for sequence in batch.sequences {
            var type = weights.types
            for (position, token) in sequence.enumerated() {
                let column = hidden + token / lanes * lanes * d + token % lanes
                let word = weights.words + Int(batch.ids[token]) * d
                let offset = weights.positions + position * d
                for feature in 0..<d {
                    column[feature * lanes] = word[feature] + offset[feature] + type[feature]
                }
                if batch.ids[token] == separator { type = weights.types + d }
            }
        }
    }

    /// The input of a linear layer, in one of three layouts.
    private enum Operand {
        case panels(UnsafePointer<Float>)
        /// One row for each token, for up to `PanelKernels.fewTokens` tokens.
        case rows(UnsafePointer<Float>)
        case bytes(roost_quantized_panels)
    }

    /// Returns the input of a linear layer in the layout of its fastest kernel, converting the panels if
    /// necessary.
    private func operand(
        _ panels: UnsafePointer<Float>, _ features: Int, _ t: Int, _ memory: BERTMemory
    ) -> Operand {
        if weights.isQuantized {
            kernels.table.quantize(panels, features, t, memory.quantized)
            return .bytes(memory.quantized)
        }
        guard t <= PanelKernels.fewTokens, features % 16 == 0 else { return .panels(panels) }
        kernels.table.rows(panels, features, t, memory.rows)
        return .rows(memory.rows)
    }

    /// The number of weight rows in one unit of parallel work. It is a multiple of the number of rows that
    /// every kernel processes together.
    private static let rowsPerUnit = 16

    /// Computes y (P, outputs of `layer`, 32) = activation(W x + b + residual), with the rows divided among
    /// the team.
    private func apply(
        _ layer: BERTWeights.Linear, _ x: Operand, _ t: Int, _ team: ThreadTeam,
        into y: UnsafeMutablePointer<Float>, width: Int, residual: UnsafePointer<Float>? = nil,
        activation: roost_activation = ROOST_IDENTITY
    ) {
        let rows = layer.float.outputs
        // There are two parts for each thread, so a thread that finishes early can take another part.
        let unit = Self.rowsPerUnit
        let parts = team.threads == 1 ? 1 : min(2 * team.threads, max(1, rows / unit))
        let size = (rows / parts + unit - 1) / unit * unit
        let call = LinearCall(
            layer: layer, input: x, tokens: t, output: y, stride: width * PanelKernels.tokens,
            residual: residual, activation: activation, kernels: kernels)
        team.forEach(parts) { part in
            let first = min(rows, part * size)
            call(first, (part == parts - 1 ? rows : min(rows, first + size)) - first)
        }
    }

    /// Unchecked because the compiler cannot verify that the parts write different rows.
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
                withUnsafePointer(to: layer.float) {
                    kernels.table.linear_few($0, first, count, x, tokens, output, residual, activation)
                }
            case .panels(let x):
                withUnsafePointer(to: layer.float) {
                    kernels.table.linear($0, first, count, x, tokens, output, stride, residual, activation)
                }
            case .bytes(let x):
                guard let int8 = layer.int8 else {
                    preconditionFailure("quantized input for a layer that is not quantized")
                }
                withUnsafePointer(to: int8) {
                    kernels.table.linear_int8(
                        $0, first, count, x, tokens, output, stride, residual, activation)
                }
            }
        }
    }

    /// Computes context = softmax(Q · Kᵀ / √h) · V for each sequence and head, where h is the size of a head.
    private func attend(
        _ batch: Batch, _ qkv: UnsafePointer<Float>, _ memory: BERTMemory, _ team: ThreadTeam,
        into context: UnsafeMutablePointer<Float>
    ) {
        let (d, heads) = (configuration.hiddenSize, configuration.heads)
        let parts = team.threads == 1 ? 1 : min(memory.attentionThreads, heads)
        let (input, output) = (SharedReads(qkv), DisjointWrites(context))
        let (kernels, sequences) = (kernels, batch.sequences)
        team.forEach(parts) { part in
            for head in stride(from: part, to: heads, by: parts) {
                for sequence in sequences {
                    kernels.table.attend(
                        input.pointer, d, d / heads, head, sequence.lowerBound, sequence.count,
                        output.pointer, memory.attention(part))
                }
            }
        }
    }

    private func normalize(_ x: UnsafeMutablePointer<Float>, _ norm: BERTWeights.Norm, _ t: Int) {
        kernels.table.layer_norm(
            x, norm.gamma, norm.beta, configuration.layerNormEpsilon, configuration.hiddenSize, t)
    }

    /// Computes output (sequences, d): the mean of the tokens of each sequence, or its first token.
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

/// The kernels of `roost_panels.h` for one instruction set. That header documents the parameters.
///
/// Unchecked because the compiler cannot verify that the table is a constant of the C library.
struct PanelKernels: @unchecked Sendable {
    static let tokens = Int(ROOST_PANEL_TOKENS)
    static let fewTokens = 16

    /// The fastest kernels that this processor supports.
    static let best = PanelKernels(table: roost_panels_best().pointee)

    let table: roost_panel_kernels
}
