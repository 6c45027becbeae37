import CRoostKernels
import Foundation
import RoostVectors
import Testing

@testable import RoostEncoders

/// Compares the kernels of every instruction set that this processor supports with plain loops.
@Suite struct PanelKernelTests {
    static let kernels = ["avx512vnni", "avx512", "avxvnni", "avx2", "portable"].filter {
        PanelKernels(named: $0) != nil
    }
    static let lanes = PanelKernels.tokens

    /// Random numbers in panels for `count` tokens with `features` numbers each, followed by padding that
    /// kernels may read.
    struct Panels {
        let features: Int
        let count: Int
        var numbers: [Float]

        init(_ features: Int, _ count: Int, seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            (self.features, self.count) = (features, count)
            let panels = (count + lanes - 1) / lanes
            numbers = (0..<panels * features * lanes + 64).map { _ in Float(generator.nextNormal()) }
        }

        func index(_ feature: Int, _ token: Int) -> Int {
            token / lanes * features * lanes + feature * lanes + token % lanes
        }

        subscript(feature: Int, token: Int) -> Float { numbers[index(feature, token)] }
    }

    func random(_ count: Int, seed: UInt64) -> [Float] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in Float(generator.nextNormal()) }
    }

    static func gelu(_ x: Double) -> Double { 0.5 * x * (1 + erf(x / 2.0.squareRoot())) }

    @Test(
        arguments: kernels,
        [(1, 16, 16), (8, 48, 31), (9, 400, 17), (33, 384, 50), (100, 1552, 16), (64, 12, 7)])
    func `a linear layer computes the matrix product`(
        name: String, size: (tokens: Int, inputs: Int, outputs: Int)
    )
        throws
    {
        let kernels = try #require(PanelKernels(named: name))
        let (weight, bias) = (random(size.inputs * size.outputs + 64, seed: 1), random(size.outputs, seed: 2))
        let x = Panels(size.inputs, size.tokens, seed: 3)
        for activation in [ROOST_IDENTITY, ROOST_GELU] {
            let before = Panels(size.outputs, size.tokens, seed: 4)
            var (complete, parts, few) = (before, before, before)
            weight.withUnsafeBufferPointer { weight in
                bias.withUnsafeBufferPointer { bias in
                    let layer = roost_linear_layer(
                        weight: weight.baseAddress, bias: bias.baseAddress, outputs: size.outputs,
                        inputs: size.inputs)
                    let stride = size.outputs * Self.lanes
                    // The output overwrites the residual, as in the forward pass.
                    complete.numbers.withUnsafeMutableBufferPointer {
                        kernels.table.linear(
                            [layer], 0, size.outputs, x.numbers, size.tokens, $0.baseAddress!, stride,
                            $0.baseAddress,
                            activation)
                    }
                    parts.numbers.withUnsafeMutableBufferPointer {
                        for first in Swift.stride(from: 0, to: size.outputs, by: 13) {
                            kernels.table.linear(
                                [layer], first, min(13, size.outputs - first), x.numbers, size.tokens,
                                $0.baseAddress!, stride, $0.baseAddress, activation)
                        }
                    }
                    if size.tokens <= PanelKernels.fewTokens, size.inputs % 16 == 0 {
                        var rows = [Float](repeating: 0, count: PanelKernels.fewTokens * size.inputs)
                        kernels.table.rows(x.numbers, size.inputs, size.tokens, &rows)
                        few.numbers.withUnsafeMutableBufferPointer {
                            kernels.table.linear_few(
                                [layer], 0, size.outputs, rows, size.tokens, $0.baseAddress!, $0.baseAddress,
                                activation)
                        }
                    }
                }
            }
            for token in 0..<size.tokens {
                for row in 0..<size.outputs {
                    var sum = Double(bias[row]) + Double(before[row, token])
                    for input in 0..<size.inputs {
                        sum += Double(weight[row * size.inputs + input]) * Double(x[input, token])
                    }
                    let expected = Float(activation == ROOST_GELU ? Self.gelu(sum) : sum)
                    let tolerance = 1e-5 * Float(size.inputs).squareRoot() * max(1, abs(expected))
                    try #require(
                        abs(complete[row, token] - expected) <= tolerance, "row \(row) of token \(token)")
                    try #require(parts[row, token] == complete[row, token])
                    if size.tokens <= PanelKernels.fewTokens, size.inputs % 16 == 0 {
                        try #require(abs(few[row, token] - expected) <= tolerance)
                    }
                }
            }
        }
    }

    @Test(arguments: kernels, [(1, 16, 16), (33, 384, 50), (70, 1536, 11)])
    func `8-bit layers approximate the exact ones`(
        name: String, size: (tokens: Int, inputs: Int, outputs: Int)
    )
        throws
    {
        let kernels = try #require(PanelKernels(named: name))
        let (weight, bias) = (random(size.inputs * size.outputs, seed: 1), random(size.outputs, seed: 2))
        let x = Panels(size.inputs, size.tokens, seed: 3)
        var y = Panels(size.outputs, size.tokens, seed: 4)
        var bytes = [UInt8](repeating: 0, count: x.numbers.count)
        var scales = [Float](repeating: 0, count: 2 * (size.tokens + Self.lanes))
        let quantized = weight.withUnsafeBufferPointer { weight in
            bias.withUnsafeBufferPointer { bias in
                let layer = roost_linear_layer(
                    weight: weight.baseAddress, bias: bias.baseAddress, outputs: size.outputs,
                    inputs: size.inputs)
                let quantized = QuantizedWeights([layer])
                bytes.withUnsafeMutableBufferPointer { bytes in
                    scales.withUnsafeMutableBufferPointer { scales in
                        let panels = roost_quantized_panels(
                            bytes: bytes.baseAddress, scale: scales.baseAddress,
                            minimum: scales.baseAddress! + size.tokens + Self.lanes)
                        kernels.table.quantize(x.numbers, size.inputs, size.tokens, panels)
                        kernels.table.linear_int8(
                            [quantized.layers[0]], 0, size.outputs, panels, size.tokens, &y.numbers,
                            size.outputs * Self.lanes, nil, ROOST_IDENTITY)
                    }
                }
                return quantized
            }
        }
        // Compares with exact sums over the quantized numbers, so only quantization may cause differences.
        let layer = quantized.layers[0]
        let minimum = scales[(size.tokens + Self.lanes)...]
        for token in 0..<size.tokens {
            let (panel, lane) = (token / Self.lanes, token % Self.lanes)
            for row in 0..<size.outputs {
                var sum = Double(bias[row])
                for input in 0..<size.inputs {
                    let index =
                        panel * size.inputs * Self.lanes + input / 4 * 4 * Self.lanes + lane * 4 + input % 4
                    let a =
                        Double(bytes[index]) * Double(scales[token])
                        + Double(minimum[minimum.startIndex + token])
                    try #require(abs(a - Double(x[input, token])) <= 0.51 * Double(scales[token]))
                    sum += a * Double(layer.weight[row * size.inputs + input]) * Double(layer.scale[row])
                }
                try #require(
                    abs(Double(y[row, token]) - sum) <= 1e-3 * max(1, abs(sum)),
                    "row \(row) of token \(token)")
            }
        }
    }

    @Test(arguments: kernels, [1, 16, 33, 70])
    func `layer norm computes mean 0 and deviation 1 before its weights`(name: String, tokens: Int) throws {
        let kernels = try #require(PanelKernels(named: name))
        let (gamma, beta) = (random(48, seed: 1), random(48, seed: 2))
        let before = Panels(48, tokens, seed: 3)
        var x = before
        kernels.table.layer_norm(&x.numbers, gamma, beta, 1e-5, 48, tokens)
        for token in 0..<tokens {
            let values = (0..<48).map { Double(before[$0, token]) }
            let mean = values.reduce(0, +) / 48
            let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 48
            for row in 0..<48 {
                let standard = (values[row] - mean) / (variance + 1e-5).squareRoot()
                let expected = standard * Double(gamma[row]) + Double(beta[row])
                try #require(abs(Double(x[row, token]) - expected) <= 1e-5)
            }
        }
    }

    @Test(arguments: kernels, [0..<1, 0..<33, 5..<22, 30..<35, 31..<100])
    func `attention is a softmax over the keys and does not change other tokens`(
        name: String, tokens: Range<Int>
    ) throws {
        let kernels = try #require(PanelKernels(named: name))
        let (width, head, size) = (24, 1, 8)
        let qkv = Panels(3 * width, 110, seed: 1)
        let before = Panels(width, 110, seed: 2)
        var context = before
        var scratch = [Float](repeating: .nan, count: roost_attention_scratch(size, tokens.count) + 64)
        kernels.table.attend(
            qkv.numbers, width, size, head, tokens.lowerBound, tokens.count, &context.numbers, &scratch)
        for token in 0..<110 {
            for row in 0..<width where !tokens.contains(token) || row / size != head {
                try #require(context[row, token] == before[row, token])
            }
        }
        for token in tokens {
            let scores = tokens.map { other in
                (head * size..<(head + 1) * size).reduce(0.0) {
                    $0 + Double(qkv[$1, token]) * Double(qkv[width + $1, other])
                } / Double(size).squareRoot()
            }
            let powers = scores.map { exp($0 - scores.max()!) }
            for row in head * size..<(head + 1) * size {
                let sum = zip(tokens, powers).reduce(0.0) { $0 + $1.1 * Double(qkv[2 * width + row, $1.0]) }
                try #require(abs(Double(context[row, token]) - sum / powers.reduce(0, +)) <= 1e-5)
            }
        }
    }
}

extension PanelKernels {
    /// Creates the kernels for a named instruction set; `nil` if this processor does not support it.
    init?(named name: String) {
        guard let found = roost_panels_named(name) else { return nil }
        self.init(table: found.pointee)
    }
}
