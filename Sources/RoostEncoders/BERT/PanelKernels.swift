import CRoostKernels

/// The kernels of `roost_panels.h` for one instruction set. That header documents the parameters.
///
/// Unchecked because the compiler cannot verify that the table is a constant of the C library.
struct PanelKernels: @unchecked Sendable {
    static let tokens = Int(ROOST_PANEL_TOKENS)
    static let fewTokens = 8

    /// The fastest kernels that this processor supports.
    static let best = PanelKernels(table: roost_panels_best().pointee)

    private let table: roost_panel_kernels

    private init(table: roost_panel_kernels) { self.table = table }

    /// Creates the kernels for a named instruction set.
    ///
    /// - Returns: `nil` if this processor does not support the instruction set.
    init?(named name: String) {
        guard let found = roost_panels_named(name) else { return nil }
        table = found.pointee
    }

    var name: String { String(cString: table.name) }

    func linear(
        _ layer: roost_linear_layer, _ first: Int, _ count: Int, _ x: UnsafePointer<Float>, _ tokens: Int,
        _ y: UnsafeMutablePointer<Float>, _ stride: Int, _ residual: UnsafePointer<Float>?,
        _ activation: roost_activation
    ) {
        withUnsafePointer(to: layer) {
            table.linear($0, first, count, x, tokens, y, stride, residual, activation)
        }
    }

    func linear(
        _ layer: roost_linear_int8_layer, _ first: Int, _ count: Int, _ x: roost_quantized_panels,
        _ tokens: Int, _ y: UnsafeMutablePointer<Float>, _ stride: Int, _ residual: UnsafePointer<Float>?,
        _ activation: roost_activation
    ) {
        withUnsafePointer(to: layer) {
            table.linear_int8($0, first, count, x, tokens, y, stride, residual, activation)
        }
    }

    func rows(_ x: UnsafePointer<Float>, _ features: Int, _ rows: UnsafeMutablePointer<Float>) {
        table.rows(x, features, rows)
    }

    func linearFew(
        _ layer: roost_linear_layer, _ first: Int, _ count: Int, _ x: UnsafePointer<Float>,
        _ y: UnsafeMutablePointer<Float>, _ residual: UnsafePointer<Float>?, _ activation: roost_activation
    ) {
        withUnsafePointer(to: layer) { table.linear_few($0, first, count, x, y, residual, activation) }
    }

    func quantize(_ x: UnsafePointer<Float>, _ features: Int, _ tokens: Int, _ into: roost_quantized_panels) {
        table.quantize(x, features, tokens, into)
    }

    func layerNorm(
        _ x: UnsafeMutablePointer<Float>, _ gamma: UnsafePointer<Float>, _ beta: UnsafePointer<Float>,
        _ epsilon: Float, _ features: Int, _ tokens: Int
    ) {
        table.layer_norm(x, gamma, beta, epsilon, features, tokens)
    }

    func attend(
        _ qkv: UnsafePointer<Float>, _ width: Int, _ headSize: Int, _ head: Int, _ first: Int, _ count: Int,
        _ context: UnsafeMutablePointer<Float>, _ scratch: UnsafeMutablePointer<Float>
    ) {
        table.attend(qkv, width, headSize, head, first, count, context, scratch)
    }
}
