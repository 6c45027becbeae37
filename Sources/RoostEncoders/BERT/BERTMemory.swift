import CRoostKernels

/// The buffers that one batch goes through a model in: one allocation, used again by the next batch.
///
/// Unchecked because the compiler cannot see that one batch at a time uses it, whose threads write to
/// different places.
final class BERTMemory: @unchecked Sendable {
    let hidden: UnsafeMutablePointer<Float>
    let qkv: UnsafeMutablePointer<Float>
    let context: UnsafeMutablePointer<Float>
    let inner: UnsafeMutablePointer<Float>
    /// A few tokens' features as rows.
    let rows: UnsafeMutablePointer<Float>
    let quantized: roost_quantized_panels
    /// How many threads can attend at a time.
    let attentionParts: Int
    /// The most tokens that a batch may have, and the longest sequence of it.
    let capacity: (tokens: Int, longest: Int)

    private let attentionStart: UnsafeMutablePointer<Float>
    private let attentionSize: Int
    private let memory: UnsafeMutableRawPointer

    init(_ configuration: BERTConfiguration, tokens: Int, longest: Int, attentionParts: Int, quantizes: Bool)
    {
        let lanes = PanelKernels.tokens
        let across = (tokens + lanes - 1) / lanes * lanes
        let (d, f) = (configuration.hiddenSize, configuration.intermediateSize)
        // Vectors may be read past the end of a row: by less than a panel's, which each piece has to spare.
        var size = 0
        func piece(_ numbers: Int) -> Int {
            defer { size += (numbers + 2 * lanes + 15) / 16 * 16 }
            return size
        }
        let attentionSize = roost_attention_scratch(d / configuration.heads, longest)
        let places = [piece(across * d), piece(across * 3 * d), piece(across * d), piece(across * f)]
        let fewRows = piece(PanelKernels.fewTokens * max(d, f))
        let scales = [piece(across), piece(across)]
        let bytes = quantizes ? piece(across * max(d, f) / 4) : 0
        let attention = (0..<attentionParts).map { _ in piece(attentionSize) }
        memory = .allocate(byteCount: size * 4, alignment: 64)
        // Lanes beyond the last token are computed with: what lies there must be numbers.
        let start = memory.initializeMemory(as: Float.self, repeating: 0, count: size)
        hidden = start + places[0]
        qkv = start + places[1]
        context = start + places[2]
        inner = start + places[3]
        rows = start + fewRows
        quantized = roost_quantized_panels(
            bytes: UnsafeMutableRawPointer(start + bytes).assumingMemoryBound(to: UInt8.self),
            scale: start + scales[0], minimum: start + scales[1])
        attentionStart = start + (attention.first ?? 0)
        self.attentionSize = attention.count > 1 ? attention[1] - attention[0] : 0
        self.attentionParts = attentionParts
        capacity = (tokens, longest)
    }

    deinit { memory.deallocate() }

    /// Scratch memory of one of the threads that attend.
    func attention(_ part: Int) -> UnsafeMutablePointer<Float> { attentionStart + part * attentionSize }
}
