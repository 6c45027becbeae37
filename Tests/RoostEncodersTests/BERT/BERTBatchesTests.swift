import Foundation
import RoostModel
import RoostVectors
import Synchronization
import Testing

@testable import RoostEncoders

@Suite(
    .enabled(
        if: Reference.model != nil, "the model all-MiniLM-L6-v2 is not installed; Scripts/model installs it"))
struct BERTBatchesTests {
    let model: BERTEmbedder

    private final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }
        func increment() { value.withLock { $0 += 1 } }
    }

    init() throws { model = try #require(Reference.model) }

    @Test(arguments: 1...3) func `every number of cores computes all groups`(cores: Int) async throws {
        let texts = (0..<12).map { "note \($0) about the swifts above the roof" }
        let expected = try await model.embed(texts, as: .document).vectors
        var batches = BERTBatches(
            pass: model.pass, sequences: texts.map { model.tokenIDs(of: $0) },
            groups: stride(from: 0, to: 12, by: 4).map { $0..<$0 + 4 })
        batches.cores = cores
        var vectors = try await batches.vectors()
        vectors.normalizeRows()
        for row in 0..<texts.count {
            let difference = zip(vectors.row(row), expected.row(row)).map { abs($0 - $1) }.max() ?? 1
            #expect(difference < 1e-4, "row \(row)")
        }
    }

    @Test func `other tasks run while long texts are embedded`() async throws {
        // Without separate threads, as many computations as cores would occupy all threads of tasks. The
        // computations take much longer than the test, which cancels them.
        let sequence = model.tokenIDs(of: String(repeating: "swifts above the roof ", count: 30))
        let batches = BERTBatches(
            pass: model.pass, sequences: Array(repeating: sequence, count: 20_000),
            groups: stride(from: 0, to: 20_000, by: 2).map { $0..<$0 + 2 })
        let finished = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0...batches.cores {
                group.addTask {
                    _ = try? await batches.vectors()
                    finished.increment()
                }
            }
            for _ in 0..<10 { try? await Task.sleep(for: .milliseconds(5)) }
            let count = await Task.detached { finished.count }.value
            #expect(count == 0)
            group.cancelAll()
        }
        #expect(finished.count == batches.cores + 1)
    }
}
