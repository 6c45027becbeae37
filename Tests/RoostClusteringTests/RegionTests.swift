import RoostVectors
import Testing

@testable import RoostClustering

/// Collections that have nearly no neighbors in each other are clustered as if each were alone.
@Suite struct RegionTests {
    /// A collection of `k` groups that overlap. Its vectors are orthogonal to those of the other collection.
    private static func collection(_ k: Int, of size: Int, isFirst: Bool) -> Matrix {
        let (points, _) = groups(k, of: size, spread: 2, seed: isFirst ? 1 : 5)
        let rows = (0..<points.rows).map { row in
            let (zeros, values) = ([Float](repeating: 0, count: 64), points.row(row))
            return isFirst ? values + zeros : zeros + values
        }
        return Matrix(rows, columns: 128)
    }

    private static func joined(_ first: Matrix, _ second: Matrix) -> Matrix {
        Matrix(rows: first.rows + second.rows, columns: 128, elements: first.elements + second.elements)
    }

    /// The groups of the rows, numbered in the order of their first rows; nil for an outlier.
    private func numbered(_ labels: some Sequence<Partition.Label>) -> [Int?] {
        var numbers: [Int: Int] = [:]
        return labels.map { label in
            label.group.map { group in
                numbers[group] = numbers[group] ?? numbers.count
                return numbers[group] ?? 0
            }
        }
    }

    @Test func `two unrelated collections have the groups and topics of each alone`() async throws {
        let first = Self.collection(4, of: 100, isFirst: true)
        let second = Self.collection(16, of: 40, isFirst: false)
        var clusterer = LeidenClusterer()
        clusterer.dividesGroups = true
        let both = try await clusterer.cluster(Self.joined(first, second))
        try both.check(for: Self.joined(first, second))
        let alone = [try await clusterer.cluster(first), try await clusterer.cluster(second)]
        #expect(numbered(both.labels.prefix(first.rows)) == numbered(alone[0].labels))
        #expect(numbered(both.labels.dropFirst(first.rows)) == numbered(alone[1].labels))
        #expect(both.topics.count == alone[0].topics.count + alone[1].topics.count)
        let scales = [LeidenClusterer.Start.Scale].all(in: both.facts).map(\.resolution)
        #expect(Set(scales) == Set(alone.compactMap { $0.facts["resolution"] }))
    }

    @Test func `a run continues both collections, each with its scale`() async throws {
        let first = Self.collection(4, of: 100, isFirst: true)
        let all = Self.joined(first, Self.collection(16, of: 40, isFirst: false))
        let before = try await LeidenClusterer().cluster(all)
        var clusterer = LeidenClusterer()
        clusterer.start = LeidenClusterer.Start(
            groups: before.labels.map(\.group), scales: .all(in: before.facts))
        clusterer.start?.groups[7] = nil
        let after = try await clusterer.cluster(all)
        #expect(after.facts["gap"] == nil)
        #expect(numbered(after.labels) == numbered(before.labels))
        #expect(
            [LeidenClusterer.Start.Scale].all(in: after.facts).map(\.fullRunCount).sorted() == [400, 640])
        // A person has merged a group of each collection, which stay together.
        let merged = [before.labels[0].group, before.labels[400].group]
        clusterer.start?.groups = before.labels.map { $0.group == merged[1] ? merged[0] : $0.group }
        #expect(
            numbered(try await clusterer.cluster(all).labels)
                == numbered(
                    before.labels.map { $0.group == merged[1] ? before.labels[0] : $0 }))
        // Only the collection that has changed by more than a fifth is clustered again.
        clusterer.start?.scales[1].fullRunCount = 1000
        #expect(try await clusterer.cluster(all).facts["gap"] != nil)
        // A damaged record, or that of another number of collections, is not continued.
        clusterer.start?.scales[1].resolution = .nan
        #expect(try await clusterer.cluster(all) == before)
        clusterer.start?.scales.removeLast()
        #expect(try await clusterer.cluster(all) == before)
    }

    @Test func `collections become the parents of more groups than a flat list shows`() async throws {
        let all = Self.joined(
            Self.collection(16, of: 40, isFirst: true),
            Self.collection(16, of: 40, isFirst: false))
        let partition = try await LeidenClusterer().cluster(all)
        let top = partition.parents.indices.filter { partition.parents[$0] == nil }
        #expect(top.count == 2 && partition.parents.count == 34)
        let parents = partition.labels.map { $0.group.flatMap { partition.parents[$0] } }
        let found = [parents.prefix(640), parents.dropFirst(640)].map { Set($0.compactMap(\.self)) }
        #expect(found.allSatisfy { $0.count == 1 } && found[0] != found[1])
    }

    @Test func `a collection without parts stays one group`() async throws {
        let all = Self.joined(
            Self.collection(1, of: 500, isFirst: true), Self.collection(4, of: 150, isFirst: false))
        let labels = try await LeidenClusterer(maximumOutliers: 0).cluster(all).labels.map(\.group)
        #expect(Set(labels.prefix(500)).count == 1)
    }
}
