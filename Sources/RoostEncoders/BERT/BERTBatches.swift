import CRoostKernels
import Dispatch
import Foundation
import RoostFiles
import RoostVectors
import Synchronization

/// Runs a model over groups of sequences on all cores: several groups in parallel, one on each core, or a
/// single group split among all cores.
struct BERTBatches: Sendable {
    let pass: BERTForwardPass
    let sequences: [[Int32]]
    /// Adjacent ascending ranges that cover `sequences`.
    let groups: [Range<Int>]

    var cores = ProcessInfo.processInfo.activeProcessorCount

    /// Returns the pooled vectors: (sequences, d).
    ///
    /// Several groups are computed on separate threads, so that other tasks run meanwhile; one call at a time
    /// does so in a process, because it uses all cores. A single group takes milliseconds and begins on the
    /// calling thread.
    func vectors() async throws -> Matrix {
        let progress = Progress()
        let vectors = try await withTaskCancellationHandler {
            guard groups.count > 1 else {
                return matrix { runNextGroups(into: $0, progress, threads: cores) }
            }
            return try await Self.queue.run {
                await withCheckedContinuation { continuation in
                    Self.startThread {
                        continuation.resume(returning: matrix { runGroups(into: $0, progress) })
                    }
                }
            }
        } onCancel: {
            progress.isCancelled.store(true, ordering: .relaxed)
        }
        try Task.checkCancellation()
        return vectors
    }

    /// The calls that compute several groups. Without it, each of many calls would start separate threads and
    /// allocate separate memory.
    private static let queue = TaskQueue()

    private final class Progress: Sendable {
        let isCancelled = Atomic<Bool>(false)
        let next = Atomic<Int>(0)
    }

    private func matrix(_ body: (DisjointWrites<Float>) -> Void) -> Matrix {
        var matrix = Matrix(rows: sequences.count, columns: pass.configuration.hiddenSize)
        matrix.withUnsafeMutableElements { elements in
            if let base = elements.baseAddress { body(DisjointWrites(base)) }
        }
        return matrix
    }

    private static let stackSize = 4 << 20

    /// Runs a function on a new thread. The threads of Dispatch are also those of Swift's tasks, so a long
    /// computation in them would stop all tasks of the process.
    private static func startThread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.stackSize = stackSize
        thread.name = "roost.embedding"
        thread.qualityOfService = .userInitiated
        thread.start()
    }

    /// Runs all groups, on the calling thread and one new thread for each further core.
    private func runGroups(into output: DisjointWrites<Float>, _ progress: Progress) {
        let helpers = DispatchGroup()
        for _ in 1..<min(cores, groups.count) {
            helpers.enter()
            Self.startThread {
                runNextGroups(into: output, progress, threads: 1)
                helpers.leave()
            }
        }
        runNextGroups(into: output, progress, threads: 1)
        helpers.wait()
    }

    /// Runs groups that no thread has begun, each with a number of threads.
    private func runNextGroups(into output: DisjointWrites<Float>, _ progress: Progress, threads: Int) {
        var memory: BERTMemory?
        while !progress.isCancelled.load(ordering: .relaxed) {
            let index = progress.next.add(1, ordering: .relaxed).oldValue
            guard index < groups.count else { return }
            let group = groups[index]
            let required = size(of: group)
            if let current = memory?.capacity,
                current.tokens < required.tokens || current.maximumLength < required.maximumLength
            {
                memory = nil
            }
            let buffers = memory ?? self.memory(for: group, attentionThreads: threads)
            memory = buffers
            ThreadTeam.run(threads: threads) { run(group, buffers, $0, into: output) }
        }
    }

    private func size(of group: Range<Int>) -> (tokens: Int, maximumLength: Int) {
        let lengths = sequences[group].map(\.count)
        return (lengths.reduce(0, +), lengths.max() ?? 0)
    }

    private func memory(for group: Range<Int>, attentionThreads: Int) -> BERTMemory {
        let (tokens, maximumLength) = size(of: group)
        return BERTMemory(
            pass.configuration, tokens: tokens, maximumLength: maximumLength,
            attentionThreads: attentionThreads, quantizes: pass.weights.isQuantized)
    }

    private func run(
        _ group: Range<Int>, _ memory: BERTMemory, _ team: ThreadTeam, into output: DisjointWrites<Float>
    ) {
        var batch = BERTForwardPass.Batch()
        for index in group { batch.append(sequences[index]) }
        pass.run(
            batch, memory: memory, team: team,
            into: output.pointer + group.lowerBound * pass.configuration.hiddenSize)
    }
}

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
