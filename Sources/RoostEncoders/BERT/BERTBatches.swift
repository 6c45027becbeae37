import Foundation
import RoostVectors
import Synchronization

/// Runs a model over groups of sequences on all cores: several groups in parallel, one on each core, or a
/// single group split among all cores.
struct BERTBatches: Sendable {
    let pass: BERTForwardPass
    let sequences: [[Int32]]
    /// Adjacent ascending ranges that cover `sequences`.
    let groups: [Range<Int>]

    private static let cores = ProcessInfo.processInfo.activeProcessorCount

    /// Returns the pooled vectors: (sequences, d).
    ///
    /// - Throws: `CancellationError` if the task is canceled. Cancellation is checked before each group.
    func vectors() async throws -> Matrix {
        let isCancelled = Flag()
        let vectors = await withTaskCancellationHandler {
            Matrix(rows: sequences.count, columns: pass.configuration.hiddenSize) { output in
                work(into: DisjointWrites(output), until: isCancelled)
            }
        } onCancel: {
            isCancelled.value.store(true, ordering: .relaxed)
        }
        try Task.checkCancellation()
        return vectors
    }

    /// A cancellation flag for the worker threads, which do not run in the task.
    private final class Flag: Sendable {
        let value = Atomic<Bool>(false)
    }

    private func work(into output: DisjointWrites<Float>, until isCancelled: Flag) {
        let workers = min(Self.cores, groups.count)
        guard workers > 1 else {
            guard let group = groups.first, !isCancelled.value.load(ordering: .relaxed) else { return }
            let memory = memory(for: group, attentionThreads: Self.cores)
            ThreadTeam.run(threads: Self.cores) { run(group, memory, $0, into: output) }
            return
        }
        let next = Atomic<Int>(0)
        Parallel.forEachBlock(of: workers, size: 1) { _ in
            var memory: BERTMemory?
            while !isCancelled.value.load(ordering: .relaxed) {
                let index = next.add(1, ordering: .relaxed).oldValue
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
