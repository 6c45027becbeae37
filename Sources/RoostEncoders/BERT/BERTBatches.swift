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

    /// The number of threads that compute at the same time.
    var cores = ProcessInfo.processInfo.activeProcessorCount

    /// Returns the pooled vectors: (sequences, d).
    ///
    /// Several groups are computed on separate threads, so that other tasks run meanwhile; one call at a time
    /// does so in a process, because it uses all cores. A single group takes milliseconds and begins on the
    /// calling thread.
    ///
    /// - Throws: `CancellationError` if the task is canceled. Cancellation is checked before each group.
    func vectors() async throws -> Matrix {
        let progress = Progress()
        let vectors = try await withTaskCancellationHandler {
            guard groups.count > 1 else { return matrix { runOnlyGroup(into: $0, progress) } }
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

    /// The state of a computation, which its threads share.
    private final class Progress: Sendable {
        let isCancelled = Atomic<Bool>(false)
        /// The index of the next group.
        let next = Atomic<Int>(0)
    }

    private func matrix(_ body: (DisjointWrites<Float>) -> Void) -> Matrix {
        Matrix(rows: sequences.count, columns: pass.configuration.hiddenSize) { output in
            body(DisjointWrites(output))
        }
    }

    /// The stack size of a thread in bytes.
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

    private func runOnlyGroup(into output: DisjointWrites<Float>, _ progress: Progress) {
        guard let group = groups.first, !progress.isCancelled.load(ordering: .relaxed) else { return }
        let memory = memory(for: group, attentionThreads: cores)
        ThreadTeam.run(threads: cores) { run(group, memory, $0, into: output) }
    }

    /// Runs all groups, on the calling thread and one new thread for each further core.
    private func runGroups(into output: DisjointWrites<Float>, _ progress: Progress) {
        let helpers = DispatchGroup()
        for _ in 1..<min(cores, groups.count) {
            helpers.enter()
            Self.startThread {
                runNextGroups(into: output, progress)
                helpers.leave()
            }
        }
        runNextGroups(into: output, progress)
        helpers.wait()
    }

    /// Runs groups that no thread has begun, until there are none.
    private func runNextGroups(into output: DisjointWrites<Float>, _ progress: Progress) {
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
            let buffers = memory ?? self.memory(for: group, attentionThreads: 1)
            memory = buffers
            ThreadTeam.run(threads: 1) { run(group, buffers, $0, into: output) }
        }
    }

    /// Returns the number of tokens in a group and the number of tokens in its longest sequence.
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
