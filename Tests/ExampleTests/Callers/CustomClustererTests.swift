import Foundation
import Roost
import Testing

private struct FixedClusterer: Clusterer {
    let algorithm = "fixed"
    let partition: @Sendable (Matrix) -> Partition

    func cluster(_ vectors: Matrix) async throws -> Partition { partition(vectors) }
}

/// Tests of clusterers: of the caller's own ones, and of parameters and vectors out of range.
struct CustomClustererTests {
    private func store() async throws -> KnowledgeStore {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        for word in ["swift", "loaf", "keel", "oven", "roof", "rudder"] {
            try await store.add("the \(word) and the \(word)s")
        }
        return store
    }

    /// Returns a partition with two groups of which the first rows are in the first.
    private static func valid(_ vectors: Matrix) -> Partition {
        let numbers = [Float](repeating: 0.5, count: vectors.rows)
        return Partition(
            labels: (0..<vectors.rows).map { .group($0 < 3 ? 0 : 1) }, centroids: vectors.selecting([0, 3]),
            similarities: numbers, confidences: numbers)
    }

    private typealias Change = @Sendable (inout Partition) -> Void

    private static let changes: [(name: String, change: Change)] = [
        ("too few labels", { $0.labels.removeLast() }), ("too many labels", { $0.labels.append(.group(0)) }),
        ("a negative group", { $0.labels[0] = .group(-1) }),
        ("an unknown group", { $0.labels[0] = .group(2) }),
        ("too few similarities", { $0.similarities = [] }), ("too few confidences", { $0.confidences = [] }),
        ("too few parents", { $0.parents = [] }), ("too many parents", { $0.parents.append(nil) }),
        ("an unknown parent", { $0.parents[0] = 7 }), ("a negative parent", { $0.parents[0] = -1 }),
        ("a group that is its own parent", { $0.parents[0] = 0 }),
        ("a cycle of parents", { $0.parents = [1, 0] }), ("a parent with rows", { $0.parents[0] = 1 }),
        ("groups without centroids", { ($0.centroids, $0.parents) = (Matrix(rows: 0, columns: 0), []) }),
        ("too few stabilities", { $0.stabilities = [1] }),
        ("centroids of another dimension", { $0.centroids = Matrix(rows: 2, columns: 3) }),
        ("too many centroids", { $0.centroids = Matrix(rows: 3, columns: $0.centroids.columns) }),
        ("a centroid that is not finite", { $0.centroids[0, 0] = .nan }),
        ("a similarity that is not finite", { $0.similarities[0] = .infinity }),
        ("a fact that is not finite", { $0.facts["x"] = .nan }),
    ]

    @Test(arguments: changes.indices) func `an invalid partition is reported`(index: Int) async throws {
        let store = try await store()
        _ = try await store.recluster(with: FixedClusterer(partition: Self.valid))
        let before = try await store.storage.fetchClusters()
        let (name, change) = Self.changes[index]
        let clusterer = FixedClusterer { vectors in
            var partition = Self.valid(vectors)
            change(&partition)
            return partition
        }
        let error = await #expect(throws: ClusteringError.self, "\(name)") {
            try await store.recluster(with: clusterer)
        }
        #expect(error?.code == .invalidPartition, "\(name)")
        #expect(try await store.storage.fetchClusters() == before, "\(name)")
    }

    @Test func `a partition can be made from groups only`() async throws {
        let vectors = Matrix([[1, 0], [0.6, 0.8], [0, 1], [0, -1], [0, 0], [-1, 0]], columns: 2)
        let partition = Partition(groups: [0, 0, 1, nil, 1, 3], of: vectors, facts: ["x": 2])
        #expect(
            partition.labels == [
                .group(0), .group(0), .group(1), .outlier(.distant), .outlier(.zeroVector), .group(3),
            ])
        #expect(partition.count == 4 && partition.parents == [nil, nil, nil, nil])
        let half = Float(0.2).squareRoot()
        let expected: [[Float]] = [[2 * half, half], [0, 1], [0, 0], [-1, 0]]
        for (group, centroid) in expected.enumerated() {
            for (found, value) in zip(partition.centroids.row(group), centroid) {
                #expect(abs(found - value) < 1e-6)
            }
        }
        // The nearest centroid of the fourth row is one whose cosine is 0.
        let similarities: [Float] = [2 * half, 2 * half, 1, 0, 0, 1]
        #expect(zip(partition.similarities, similarities).allSatisfy { abs($0 - $1) < 1e-6 })
        #expect(partition.confidences[3] == 0 && abs(partition.confidences[0] - 2 * half) < 1e-6)
        #expect(partition.facts == ["x": 2])
        #expect(Partition(groups: [], of: Matrix(rows: 0, columns: 2)).count == 0)
        let store = try await store()
        let clusterer = FixedClusterer { Partition(groups: (0..<$0.rows).map { $0 % 2 }, of: $0) }
        #expect(try await store.recluster(with: clusterer).clusters.map(\.members.count) == [3, 3])
    }

    @Test func `parameters and vectors out of range are reported`() async throws {
        let vectors = Matrix(rows: 12, columns: 2, elements: (0..<24).map { Float($0 % 5) / 5 + 0.1 })
        func code(_ clusterer: any Clusterer, _ vectors: Matrix) async -> ClusteringError.Code? {
            do {
                _ = try await clusterer.cluster(vectors)
                return nil
            } catch {
                return (error as? ClusteringError)?.code
            }
        }
        var kmeans = SphericalKMeans(clusters: 2)
        kmeans.restarts = 0
        #expect(await code(kmeans, vectors) == .invalidParameter)
        #expect(await code(SphericalKMeans(clusters: 2, maximumIterations: -1), vectors) == .invalidParameter)
        #expect(await code(SphericalKMeans(clusters: .min), vectors) == .invalidCount)
        #expect(await code(SphericalKMeans(clusters: .max), vectors) == .tooManyClusters)
        #expect(await code(LeidenClusterer(maximumOutliers: .nan), vectors) == .invalidParameter)
        #expect(await code(LeidenClusterer(resolution: .infinity), vectors) == .invalidParameter)
        let clusterers: [any Clusterer] = [SphericalKMeans(clusters: 2), LeidenClusterer()]
        for clusterer in clusterers {
            for value in [Float.nan, .infinity] {
                var faulty = vectors
                faulty[3, 1] = value
                #expect(await code(clusterer, faulty) == .notFinite)
            }
            #expect(await code(clusterer, Matrix(rows: 3, columns: 2)) == .noVectors)
            #expect(await code(clusterer, Matrix(rows: 0, columns: 0)) == .noVectors)
        }
    }

    @Test func `options out of range are rejected`() async throws {
        let store = try await store()
        await #expect(throws: RoostError.self) { try await store.recluster(maximumOutliers: .nan) }
        await #expect(throws: ClusteringError.self) { try await store.recluster(clusters: .max) }
    }

    /// Any program can write clusters whose parents form a cycle.
    @Test(.timeLimit(.minutes(1))) func `clusters are edited although parents form a cycle`() async throws {
        let store = try await store()
        let report = try await store.recluster(with: FixedClusterer(partition: Self.valid))
        let (first, second) = (report.clusters[0], report.clusters[1])
        var parents = [Cluster(label: "p"), Cluster(label: "q")]
        (parents[0].parent, parents[1].parent) = (parents[1].id, parents[0].id)
        for parent in parents { try await store.storage.updateCluster(parent) }
        for var cluster in [first, second] {
            cluster.parent = parents[0].id
            try await store.storage.updateCluster(cluster)
        }
        try await store.clusters.label(first.id, as: "birds")
        let parts = try await store.clusters.split(first.id)
        #expect(parts.count == 2)
        try await store.clusters.delete(second.id)
        #expect(try await store.clusters.export().clusters.isEmpty == false)
    }
}
