import Foundation
import RoostVectors
import Synchronization

/// Takes groups of sequences through a model on all cores: a group a core where there are several, and all
/// cores on one group where there is one.
struct BERTBatches: Sendable {
    let pass: BERTForwardPass
    let sequences: [[Int32]]
    /// Ranges of `sequences`, ascending and without gaps.
    let groups: [Range<Int>]

    private static let cores = ProcessInfo.processInfo.activeProcessorCount

    /// The pooled vector of each sequence: (sequences, d).
    ///
    /// - Throws: `CancellationError` where the task has been cancelled, which is looked at before each group.
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

    /// What the workers, which are not of the task, can see.
    private final class Flag: Sendable {
        let value = Atomic<Bool>(false)
    }

    private func work(into output: DisjointWrites<Float>, until isCancelled: Flag) {
        let workers = min(Self.cores, groups.count)
        guard workers > 1 else {
            guard let group = groups.first, !isCancelled.value.load(ordering: .relaxed) else { return }
            let memory = memory(for: group, parts: Self.cores)
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
                let needed = size(of: group)
                if let current = memory?.capacity,
                    current.tokens < needed.tokens || current.longest < needed.longest
                {
                    memory = nil
                }
                let buffers = memory ?? self.memory(for: group, parts: 1)
                memory = buffers
                ThreadTeam.run(threads: 1) { run(group, buffers, $0, into: output) }
            }
        }
    }

    private func size(of group: Range<Int>) -> (tokens: Int, longest: Int) {
        let lengths = sequences[group].map(\.count)
        return (lengths.reduce(0, +), lengths.max() ?? 0)
    }

    private func memory(for group: Range<Int>, parts: Int) -> BERTMemory {
        let (tokens, longest) = size(of: group)
        return BERTMemory(
            pass.configuration, tokens: tokens, longest: longest, attentionParts: parts,
            quantizes: pass.weights.isQuantized)
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
