import Foundation
import RoostModel
import Testing

@testable import RoostPostgres

/// Tests of the counts in the head row of a store.
@Suite(TestServer.isRequired) struct HeadCountTests {
    private static func entry(_ vector: [Float] = [1, 0]) -> Entry {
        Entry(content: "a swift", embeddings: vector)
    }

    @Test func `an entry that a batch removes twice is counted once`() async throws {
        let provider = try await PostgresFixture().provider()
        let (first, second) = (Self.entry(), Self.entry())
        _ = try await provider.commit(WriteBatch(upserts: [first, second]))
        _ = try await provider.commit(WriteBatch(removals: [first.id, first.id]))
        let snapshot = try await provider.snapshot()
        #expect(snapshot.stamp.entryCount == 1)
        // The remaining vector still determines the dimension.
        await #expect(throws: StorageError.self) {
            _ = try await provider.commit(WriteBatch(upserts: [Self.entry([1, 0, 0])]))
        }
        try await provider.close()
    }

    @Test func `removing an assignment keeps the number of clusters`() async throws {
        let provider = try await PostgresFixture().provider()
        let entry = Self.entry()
        let cluster = Cluster(label: "birds", centroid: [1, 0])
        _ = try await provider.commit(WriteBatch(upserts: [entry], clusters: [cluster]))
        let assignment = Assignment(entry: entry.id, target: .cluster(cluster.id))
        _ = try await provider.commit(WriteBatch(assignments: [assignment]))
        _ = try await provider.commit(WriteBatch(unassignments: [entry.id]))
        let stamp = try await provider.snapshot().stamp
        #expect(stamp.clusterCount == 1)
        try await provider.close()
    }

    @Test func `a vector that exceeds the maximum of PostgreSQL is refused`() async throws {
        let provider = try await PostgresFixture().provider()
        let vector = [1] + [Float](repeating: 0, count: 40_000)
        let error = await #expect(throws: StorageError.self) {
            _ = try await provider.commit(WriteBatch(upserts: [Self.entry(vector)]))
        }
        #expect(error?.code == .unsupported)
        #expect(try await provider.snapshot().stamp.entryCount == 0)
        try await provider.close()
    }
}
