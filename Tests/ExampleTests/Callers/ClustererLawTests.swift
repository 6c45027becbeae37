import Roost
import RoostTestKit
import Synchronization
import Testing

private final class LawlessClusterer: Clusterer {
    private struct Failure: Error {}

    let law: ClustererLaw
    let algorithm = "lawless"
    private let calls = Mutex(0)

    init(_ law: ClustererLaw) { self.law = law }

    func cluster(_ vectors: Matrix) async throws -> Partition {
        let call = calls.withLock { calls in
            calls += 1
            return calls
        }
        switch law {
        case .partitionsDescribeVectors:
            return Partition(
                labels: [], centroids: Matrix(rows: 0, columns: 0), similarities: [], confidences: [])
        case .similaritiesAreCosines:
            var partition = Partition(groups: Array(repeating: 0, count: vectors.rows), of: vectors)
            partition.similarities = partition.similarities.map { $0 - 1 }
            return partition
        case .labelsAreReproducible:
            return Partition(groups: (0..<vectors.rows).map { call > 1 && $0 == 0 ? nil : 0 }, of: vectors)
        case .unusualVectorsArePartitionedOrRefused: throw Failure()
        }
    }
}

struct ClustererLawTests {
    @Test(arguments: ClustererLaw.allCases)
    func `the clusterer obeys the law`(law: ClustererLaw) async throws {
        try await law.check(ComponentClusterer())
        try await law.check(LeidenClusterer())
        try await law.check(SphericalKMeans(clusters: 1))
        try await law.check(SphericalKMeans(clusters: 3))
    }

    @Test(arguments: ClustererLaw.allCases) func `violations of a law are reported`(law: ClustererLaw) async {
        await #expect(throws: LawViolation.self) { try await law.check(LawlessClusterer(law)) }
    }
}
