import CRoostKernels

/// The buffers for the forward pass of one batch, in a single allocation that later batches reuse.
///
/// Unchecked because the compiler cannot verify that only one batch at a time uses the buffers, and that the
/// threads of a batch write to different elements.
final class BERTMemory: @unchecked Sendable {
    let hidden: UnsafeMutablePointer<Float>
    let qkv: UnsafeMutablePointer<Float>
    let context: UnsafeMutablePointer<Float>
    let inner: UnsafeMutablePointer<Float>
    /// The features of up to `PanelKernels.fewTokens` tokens, with one row for each token.
    let rows: UnsafeMutablePointer<Float>
    let quantized: roost_quantized_panels
    /// The number of threads that can compute attention at the same time.
    let attentionThreads: Int
    /// The maximum number of tokens in a batch and in a single sequence.
    let capacity: (tokens: Int, maximumLength: Int)

    private let attentionStart: UnsafeMutablePointer<Float>
    private let attentionSize: Int
    private let memory: UnsafeMutableRawPointer

    init(
        _ configuration: BERTConfiguration, tokens: Int, maximumLength: Int, attentionThreads: Int,
        quantizes: Bool
    ) {
        let lanes = PanelKernels.tokens
        let across = (tokens + lanes - 1) / lanes * lanes
        let (d, f) = (configuration.hiddenSize, configuration.intermediateSize)
        // Kernels may read beyond the end of a row by less than the size of a panel, so each buffer has
        // padding.
        var size = 0
        func reserve(_ numbers: Int) -> Int {
            defer { size += (numbers + 2 * lanes + 15) / 16 * 16 }
            return size
        }
        let attentionSize = roost_attention_scratch(d / configuration.heads, maximumLength)
        let offsets = [
            reserve(across * d), reserve(across * 3 * d), reserve(across * d), reserve(across * f),
        ]
        let fewRows = reserve(PanelKernels.fewTokens * max(d, f))
        let scales = [reserve(across), reserve(across)]
        let bytes = quantizes ? reserve(across * max(d, f) / 4) : 0
        let attention = (0..<attentionThreads).map { _ in reserve(attentionSize) }
        memory = .allocate(byteCount: size * 4, alignment: 64)
        // The kernels also process the lanes beyond the last token, so these must contain finite numbers.
        let start = memory.initializeMemory(as: Float.self, repeating: 0, count: size)
        hidden = start + offsets[0]
        qkv = start + offsets[1]
        context = start + offsets[2]
        inner = start + offsets[3]
        rows = start + fewRows
        quantized = roost_quantized_panels(
            bytes: UnsafeMutableRawPointer(start + bytes).assumingMemoryBound(to: UInt8.self),
            scale: start + scales[0], minimum: start + scales[1])
        attentionStart = start + (attention.first ?? 0)
        self.attentionSize = attention.count > 1 ? attention[1] - attention[0] : 0
        self.attentionThreads = attentionThreads
        capacity = (tokens, maximumLength)
    }

    deinit { memory.deallocate() }

    /// Returns the scratch memory of one of the threads that compute attention.
    func attention(_ thread: Int) -> UnsafeMutablePointer<Float> { attentionStart + thread * attentionSize }
}
