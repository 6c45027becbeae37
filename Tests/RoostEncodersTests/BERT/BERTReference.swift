import CRoostKernels
import Foundation
import RoostVectors

@testable import RoostEncoders

extension BERTEmbedder {
    /// A straightforward implementation of the same model.
    var reference: BERTReference { BERTReference(configuration: configuration, weights: pass.weights) }
}

/// A straightforward implementation of the forward pass of BERT (Devlin et al. 2019) for one sequence. Tests
/// compare `BERTForwardPass` with it. Every buffer is row-major Float32 with one row for each token.
///
/// In the shapes, n is the number of tokens, d the hidden size, f the intermediate size and h the size of a head.
struct BERTReference {
    let configuration: BERTConfiguration
    let weights: BERTWeights

    /// Returns the outputs of the embedding layer and of each encoder layer: (layers + 1) matrices of (n, d).
    func hiddenStates(of ids: [Int32]) -> [[Float]] {
        let (n, d, f) = (ids.count, configuration.hiddenSize, configuration.intermediateSize)
        var hidden = embed(ids)  // (n, d)
        var states = [hidden]
        for layer in weights.layers {
            let query = linear(hidden, layer.query, n, d, d)  // (n, d)
            let key = linear(hidden, layer.key, n, d, d)  // (n, d)
            let value = linear(hidden, layer.value, n, d, d)  // (n, d)
            let context = attend(query, key, value, n)  // (n, d)
            let attended = linear(context, layer.attentionOutput, n, d, d)  // (n, d)
            hidden = normalize(sum(attended, hidden), layer.attentionNorm)
            let inner = linear(hidden, layer.intermediate, n, f, d).map(gelu)  // (n, f)
            let outer = linear(inner, layer.output, n, d, f)  // (n, d)
            hidden = normalize(sum(outer, hidden), layer.outputNorm)
            states.append(hidden)
        }
        return states
    }

    /// Returns the pooled vector of the last hidden states (n, d), which is either their mean or the first of them.
    func pooled(_ states: [Float]) -> [Float] {
        let d = configuration.hiddenSize
        let rows = configuration.pooling == .mean ? states.count / d : 1
        return (0..<d).map { column in
            (0..<rows).reduce(Float(0)) { $0 + states[$1 * d + column] } / Float(rows)
        }
    }

    /// Returns norm(word + position + type): (n, d).
    private func embed(_ ids: [Int32]) -> [Float] {
        let d = configuration.hiddenSize
        var rows: [Float] = []
        for (position, id) in ids.enumerated() {
            for column in 0..<d {
                let word = weights.words[Int(id) * d + column]
                rows.append(word + weights.positions[position * d + column] + weights.types[column])
            }
        }
        return normalize(rows, weights.embeddingNorm)
    }

    /// Returns x (n, in) · Wᵀ + b: (n, out).
    private func linear(_ x: [Float], _ layer: BERTWeights.Linear, _ n: Int, _ out: Int, _ input: Int)
        -> [Float]
    {
        let bias = UnsafeBufferPointer(start: layer.float.bias, count: out)
        var y = [Float](repeating: 0, count: n * out)
        for index in y.indices { y[index] = bias[index % out] }
        y.withUnsafeMutableBufferPointer { y in
            x.withUnsafeBufferPointer { x in
                guard let y = y.baseAddress, let x = x.baseAddress else { return }
                BLAS.gemm(
                    .init(x, stride: input), .init(layer.float.weight, stride: input, transposed: true),
                    into: y, stride: out, m: n, n: out, k: input, beta: 1)
            }
        }
        return y
    }

    /// Returns softmax(Q · Kᵀ / √h) · V for each head: (n, d).
    private func attend(_ query: [Float], _ key: [Float], _ value: [Float], _ n: Int) -> [Float] {
        let d = configuration.hiddenSize
        let h = d / configuration.heads
        var context = [Float](repeating: 0, count: n * d)
        for head in 0..<configuration.heads {
            for token in 0..<n {
                let scores = (0..<n).map { other in
                    (head * h..<(head + 1) * h).reduce(Float(0)) {
                        $0 + query[token * d + $1] * key[other * d + $1]
                    } / Float(h).squareRoot()
                }
                let maximum = scores.max() ?? 0
                let powers = scores.map { exp($0 - maximum) }
                let total = powers.reduce(0, +)
                for other in 0..<n {
                    for column in head * h..<(head + 1) * h {
                        context[token * d + column] += powers[other] / total * value[other * d + column]
                    }
                }
            }
        }
        return context
    }

    /// Returns the layer normalization of each row (Ba, Kiros & Hinton 2016).
    private func normalize(_ x: [Float], _ norm: BERTWeights.Norm) -> [Float] {
        let d = configuration.hiddenSize
        var y = x
        for row in 0..<x.count / d {
            let values = x[row * d..<(row + 1) * d]
            let mean = values.reduce(0, +) / Float(d)
            let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(d)
            let deviation = (variance + configuration.layerNormEpsilon).squareRoot()
            for column in 0..<d {
                let standard = (x[row * d + column] - mean) / deviation
                y[row * d + column] = standard * norm.gamma[column] + norm.beta[column]
            }
        }
        return y
    }

    private func gelu(_ x: Float) -> Float { 0.5 * x * (1 + erf(x / Float(2).squareRoot())) }

    private func sum(_ a: [Float], _ b: [Float]) -> [Float] { zip(a, b).map(+) }
}
