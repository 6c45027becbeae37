import RoostClustering
import RoostModel
import Synchronization
import Testing

@testable import Roost

/// Tests of the progress that clustering runs report.
struct ReclusterProgressTests {
    /// Runs a function with a store, and returns what it reported.
    private static func progress(
        _ run: (KnowledgeStore, @escaping @Sendable (ReclusterProgress) -> Void) async throws -> Void
    ) async throws -> [ReclusterProgress] {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        for number in 0..<10 {
            try await store.add("tomato soil garden water seeds plant \(number)")
            try await store.add("engine piston gearbox oil brake motor \(number)")
        }
        let reported = Mutex<[ReclusterProgress]>([])
        try await run(store) { progress in reported.withLock { $0.append(progress) } }
        return reported.withLock(\.self)
    }

    private static func check(_ reported: [ReclusterProgress]) {
        let shares = reported.map(\.share)
        #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 < $1 }, "\(shares)")
        #expect(shares.first == 0 && shares.last == 1)
        let steps = reported.map(\.step)
        let order = ClusteringStep.allCases.filter(steps.contains)
        #expect(steps.reduce(into: []) { if $0.last != $1 { $0.append($1) } } == order)
    }

    @Test(arguments: [false, true])
    func `a run reports all steps in order`(isDryRun: Bool) async throws {
        let reported = try await Self.progress { store, report in
            _ = try await store.recluster(isDryRun: isDryRun, progress: report)
        }
        Self.check(reported)
        #expect(Set(reported.map(\.step)) == Set(ClusteringStep.allCases))
    }

    @Test func `runs with a number of clusters, and continued ones, report their steps`() async throws {
        let counted = try await Self.progress { store, report in
            _ = try await store.recluster(clusters: 2, progress: report)
        }
        Self.check(counted)
        let continued = try await Self.progress { store, report in
            _ = try await store.recluster()
            _ = try await store.recluster(progress: report)
        }
        Self.check(continued)
    }
}
