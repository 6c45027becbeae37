import Foundation
import RoostModel
import RoostVectors
import Testing

@testable import RoostClustering

@Suite struct ClusterLineageTests {
    static let ids = (0..<400).map { _ in UUID() }

    /// Returns the lineage and the stability of a change from old clusters to new groups.
    func lineage(_ old: [Range<Int>], _ new: [[Range<Int>]]) -> (ClusterLineage, Double?) {
        let previous = old.map { Cluster(label: "\($0)", members: Array(Self.ids[$0])) }
        let groups = new.map { $0.flatMap { Array(Self.ids[$0]) } }
        let overlap = ClusterOverlap(groups, previous)
        let identities = ClusterIdentity.match(overlap, to: previous).map { $0?.id ?? UUID() }
        let trace = ClusterLineage.trace(Array(groups.indices), identities, overlap, from: previous)
        let clusters = groups.indices.map { group in
            var cluster = Cluster(id: identities[group], label: "now \(group)", members: groups[group])
            cluster.origins = trace.origins[group]
            return cluster
        }
        return (ClusterLineage(of: clusters, vanished: trace.vanished), trace.stability)
    }

    func descriptions(_ lineage: ClusterLineage) -> [String] {
        lineage.events.map { event in
            "\(event.kind): \(event.before.map(\.label)) \(event.after.map(\.label))"
        }
    }

    @Test func `unchanged clusters have no events`() {
        let (lineage, stability) = lineage([0..<50, 50..<80], [[50..<80], [0..<50]])
        #expect(lineage.events == [])
        #expect(lineage.continued.map(\.kept) == [50, 30])
        #expect(stability == 1)
    }

    @Test func `births, splits and merges name the clusters before and after`() {
        let (found, stability) = lineage(
            [0..<60, 60..<102, 102..<140, 140..<170, 170..<180],
            [[0..<40], [40..<60], [60..<140], [140..<172], [300..<350]])
        #expect(
            descriptions(found) == [
                "birth: [] [\"now 4\"]", "split: [\"0..<60\"] [\"now 0\", \"now 1\"]",
                "merge: [\"60..<102\", \"102..<140\"] [\"now 2\"]",
                // All of the second cluster's remaining members, two of ten, are in the new cluster.
                "merge: [\"140..<170\", \"170..<180\"] [\"now 3\"]",
            ])
        #expect(found.continued.map(\.size) == [80, 40, 32])
        // Of the 172 remaining members, 40 + 42 + 30 stayed in their cluster.
        #expect(stability == 112.0 / 172)
    }

    @Test
    func
        `a small part that leaves a large cluster is a split, and a small cluster that joins one is a merge`()
    {
        let (found, _) = lineage([0..<200, 200..<206], [[0..<190, 200..<206], [190..<200]])
        #expect(
            descriptions(found) == [
                "split: [\"0..<200\"] [\"now 0\", \"now 1\"]",
                "merge: [\"0..<200\", \"200..<206\"] [\"now 0\"]",
            ])
    }

    @Test
    func `a cluster whose members are scattered has died, and the event names the clusters that have them`() {
        let new = (0..<5).map { [$0 * 60..<$0 * 60 + 50, 300 + 2 * $0..<302 + 2 * $0] }
        let old = (0..<5).map { $0 * 60..<$0 * 60 + 50 } + [300..<310]
        let (found, _) = lineage(old, new)
        #expect(descriptions(found).count == 1)
        #expect(descriptions(found)[0].hasPrefix("death: [\"300..<310\"] [\"now"))
        #expect(found.events[0].after.count == 5)
    }

    @Test func `a cluster of which no member is left has vanished`() {
        let (found, stability) = lineage([0..<20, 20..<40], [[0..<20]])
        #expect(descriptions(found) == ["death: [\"20..<40\"] []"])
        #expect(stability == 1)
        let (none, unknown) = lineage([0..<20], [[50..<70]])
        #expect(descriptions(none) == ["birth: [] [\"now 0\"]", "death: [\"0..<20\"] []"])
        #expect(unknown == nil)
    }

    @Test func `silhouettes, separations and assignment thresholds agree with their definitions`() throws {
        let vectors = unitVectors(60, 6, seed: 5)
        let partition = try partition(vectors, groups: 4)
        let quality = ClusterQuality(partition, vectors)
        let groups = partition.labels.map { $0.group ?? -1 }
        func distance(_ a: Int, _ b: Int) -> Float { 1 - innerProduct(vectors.row(a), vectors.row(b)) }
        var all: [[Float]] = Array(repeating: [], count: 4)
        for row in 0..<60 {
            func mean(_ group: Int) -> Float {
                let others = groups.indices.filter { groups[$0] == group && $0 != row }
                return others.reduce(0) { $0 + distance(row, $1) } / Float(others.count)
            }
            let inside = mean(groups[row])
            let outside = (0..<4).filter { $0 != groups[row] }.map(mean).min() ?? 0
            all[groups[row]].append((outside - inside) / max(inside, outside))
        }
        for group in 0..<4 {
            let expected = all[group].reduce(0, +) / Float(all[group].count)
            #expect(abs((try #require(quality.silhouettes[group])) - expected) < 1e-4)
            let nearest = (0..<4).filter { $0 != group }
                .map { innerProduct(partition.centroids.row(group), partition.centroids.row($0)) }.max()
            #expect(abs((try #require(quality.separations[group])) - (1 - (nearest ?? 0))) < 1e-5)
            let threshold = try #require(quality.assignmentThresholds[group])
            let similarities = groups.indices.filter { groups[$0] == group }.map {
                partition.similarities[$0]
            }
            #expect(similarities.count { $0 >= threshold } * 20 >= similarities.count * 19)
        }
        let overall = all.joined().reduce(0, +) / 60
        #expect(abs((try #require(quality.silhouette)) - Double(overall)) < 1e-4)
        #expect(ClusterQuality(try self.partition(vectors, groups: 1), vectors).silhouette == nil)
    }

    private func partition(_ vectors: Matrix, groups: Int) throws -> Partition {
        var centroids = Matrix(rows: groups, columns: vectors.columns)
        for row in 0..<vectors.rows {
            for column in 0..<vectors.columns { centroids[row % groups, column] += vectors[row, column] }
        }
        centroids.normalizeRows()
        return Partition(
            labels: (0..<vectors.rows).map { .group($0 % groups) }, centroids: centroids,
            similarities: (0..<vectors.rows).map { row in
                innerProduct(vectors.row(row), centroids.row(row % groups))
            }, confidences: Array(repeating: 1, count: vectors.rows))
    }
}
