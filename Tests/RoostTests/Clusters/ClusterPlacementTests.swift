import Foundation
import Testing

@testable import Roost

/// Tests of the assignment of entries to the clusters of the last run.
struct ClusterPlacementTests {
    private let stamp = Stamp(
        store: UUID(), epoch: UUID(), revision: .zero, entryCount: 0, clusterCount: 0)

    @Test(
        arguments: [
            .equals("x"), .differs("x"), .isOneOf([]), .isLess("1"), .isAtMost("1"), .isGreater("1"),
            .isAtLeast("1"), .hasPrefix(""), .exists, .isMissing,
        ] as [EntryCondition.Test])
    func `the recorded conditions of a run are read back`(test: EntryCondition.Test) throws {
        let conditions = [
            EntryCondition(.metadata("k"), test), EntryCondition(.source, test), EntryCondition(.tag, test),
        ]
        var run = ClusteringRun(algorithm: "test", seed: 0, stamp: stamp)
        #expect(run.conditions == [])
        run.parameters[ClusteringRun.conditionsKey] = ClusteringRun.recorded(conditions)
        let copy = try JSONDecoder().decode(ClusteringRun.self, from: JSONEncoder().encode(run))
        #expect(copy.conditions == conditions)
        run.parameters[ClusteringRun.conditionsKey] = ["kind=message"]
        #expect(run.conditions == nil)
    }

    private func entry(_ vector: [Float], kind: String = "message") -> Entry {
        var entry = Entry(content: "text", metadata: ["kind": .string(kind)])
        entry.embeddings = vector
        return entry
    }

    private func placement(_ conditions: [EntryCondition] = []) -> ClusterPlacement {
        let clusters = [[Float(1), 0], [0, 1]].map { centroid in
            var cluster = Cluster(label: "c", centroid: centroid)
            cluster.assignmentThreshold = 0.9
            return cluster
        }
        var run = ClusteringRun(algorithm: "test", seed: 0, stamp: stamp)
        if !conditions.isEmpty {
            run.parameters[ClusteringRun.conditionsKey] = ClusteringRun.recorded(conditions)
        }
        return ClusterPlacement(clusters, run: run)
    }

    @Test func `entries join the nearest cluster, or lose their assignment if none is near enough`() {
        let (near, far, stored) = (entry([1, 0]), entry([0.7, 0.7]), entry([0.7, 0.7]))
        let unchanged = entry([0, 1])
        let outcome = placement().outcome(
            for: [near, far, stored, unchanged], changedTexts: [near.id, far.id, stored.id],
            stored: [stored.id, unchanged.id], current: [])
        #expect(outcome.assignments.map(\.entry) == [near.id])
        #expect(outcome.assignments.first?.similarity == 1)
        #expect(outcome.unassignments == [stored.id])
    }

    @Test func `an entry that begins or ceases to meet the conditions joins or leaves a cluster`() {
        let placement = placement([EntryCondition(.metadata("kind"), .equals("message"))])
        let (message, note) = (entry([1, 0]), entry([1, 0], kind: "note"))
        let assigned = Assignment(entry: note.id, target: .cluster(UUID()))
        let outcome = placement.outcome(
            for: [message, note], changedTexts: [], stored: [message.id, note.id], current: [assigned])
        #expect(outcome.assignments.map(\.entry) == [message.id])
        #expect(outcome.unassignments == [note.id])
    }
}
