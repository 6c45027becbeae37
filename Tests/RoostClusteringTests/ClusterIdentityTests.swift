import Foundation
import RoostModel
import RoostVectors
import Testing

@testable import RoostClustering

extension ClusterOverlap {
    /// Counts the entries that groups without parents share with clusters.
    init(_ groups: [[Entry.ID]], _ previous: [Cluster]) {
        let pairs = groups.enumerated().flatMap { group, members in members.map { ($0, group) } }
        let groupOf = Dictionary(uniqueKeysWithValues: pairs)
        var counts: [Cluster.ID: [Int?: Int]] = [:]
        for cluster in previous {
            for member in cluster.members {
                counts[cluster.id, default: [:]][groupOf[member], default: 0] += 1
            }
        }
        self.init(counts, of: previous, groups.map(\.count), groups.map { _ in nil })
    }
}

@Suite struct ClusterIdentityTests {
    static let ids = (0..<200).map { _ in UUID() }

    func cluster(_ members: Range<Int>) -> Cluster {
        Cluster(label: "\(members)", members: Array(Self.ids[members]))
    }

    func labels(_ groups: [[Int]], _ previous: [Cluster]) -> [String?] {
        let overlap = ClusterOverlap(groups.map { $0.map { Self.ids[$0] } }, previous)
        return ClusterIdentity.match(overlap, to: previous).map { $0?.label }
    }

    @Test
    func `the larger part of a split cluster and the larger of two merged clusters keep their identity`() {
        let old = [cluster(0..<60), cluster(60..<100), cluster(100..<130)]
        #expect(
            labels([Array(0..<20), Array(20..<60), Array(60..<130)], old) == [nil, "0..<60", "60..<100"])
        // The cluster is split into three parts, each smaller than half of it.
        #expect(labels([Array(0..<18), Array(18..<42), Array(42..<60)], old) == [nil, "0..<60", nil])
        #expect(labels([Array(130..<150)], old) == [nil])
        #expect(labels([], old) == [])
    }

    @Test func `each cluster continues in one group, chosen so that most members keep their cluster`() {
        // A greedy match would give the first cluster the group that the second one needs.
        let old = [cluster(0..<100), cluster(100..<150)]
        let groups = [Array(0..<50) + Array(100..<145), Array(50..<100)]
        #expect(labels(groups, old) == ["100..<150", "0..<100"])
    }

    @Test func `a labeled cluster continues even if a larger one could`() {
        var old = [cluster(0..<100), cluster(100..<150)]
        #expect(labels([Array(0..<150)], old) == ["0..<100"])
        old[1].isLabelPinned = true
        #expect(labels([Array(0..<150)], old) == ["100..<150"])
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `every labeled cluster continues in a group, whatever a run finds`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        let count = random(6...80)
        var (previous, sets) = ([Cluster](), [Range<Int>]())
        func add(_ rows: Range<Int>, in parent: Cluster.ID?, level: Int) {
            var cluster = Cluster(label: "\(rows)")
            (cluster.parent, cluster.isLabelPinned) = (parent, random(0...1) == 0)
            let number = previous.count
            previous.append(cluster)
            sets.append(rows)
            let middle = rows.lowerBound + random(1...rows.count) - 1
            let parts = [rows.lowerBound..<middle, middle..<rows.upperBound].filter { !$0.isEmpty }
            if level < 3, parent == nil || random(0...1) == 0 {
                for part in parts { add(part, in: cluster.id, level: level + 1) }
            } else {
                previous[number].members = Array(Self.ids[rows])
            }
        }
        add(0..<count / 2, in: nil, level: 0)
        add(count / 2..<count, in: nil, level: 0)
        // Up to three groups, each with two topics or none, of runs of rows.
        let (width, groups) = (random(1...count), random(1...3))
        let divided = random(0...groups)
        var partition = Partition(
            groups: (0..<count).map { row in
                if random(0...9) == 0 { return nil }
                let group = row / width % groups
                return group < divided ? groups + 2 * group + row / 3 % 2 : group
            }, of: unitVectors(count, 4, seed: seed),
            parents: (0..<3 * groups).map { group in
                (groups..<groups + 2 * divided).contains(group) ? (group - groups) / 2 : nil
            })
        partition.topics = Set(groups..<3 * groups)
        let labeled = previous.indices.filter { previous[$0].isLabelPinned }
            .sorted { sets[$1].count < sets[$0].count }
        partition =
            partition.keeping(
                labeled.map { Array(sets[$0]) }, weights: Array(repeating: 1, count: count),
                of: unitVectors(count, 4, seed: seed)
            ).partition
        try partition.check(for: unitVectors(count, 4, seed: seed))
        var (counts, sizes) = ([Cluster.ID: [Int?: Int]](), [Int](repeating: 0, count: partition.count))
        for (row, label) in partition.labels.enumerated() {
            if let group = label.group { sizes[group] += 1 }
            for cluster in previous where cluster.members.contains(Self.ids[row]) {
                counts[cluster.id, default: [:]][label.group, default: 0] += 1
            }
        }
        let overlap = ClusterOverlap(counts, of: previous, sizes, partition.parents)
        let continued = Set(ClusterIdentity.match(overlap, to: previous).compactMap { $0?.id })
        #expect(labeled.allSatisfy { continued.contains(previous[$0].id) })
    }

    @Test func `the assignment has the maximum weight`() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let (rows, columns) = (1 + generator.nextIndex(below: 5), 1 + generator.nextIndex(below: 5))
            let weights = (0..<rows).map { _ in
                (0..<columns).map { _ in Double(generator.nextIndex(below: 9)) }
            }
            func best(_ row: Int, _ free: Set<Int>) -> Double {
                guard row < rows else { return 0 }
                return free.reduce(best(row + 1, free)) {
                    max($0, weights[row][$1] + best(row + 1, free.subtracting([$1])))
                }
            }
            let found = ClusterIdentity.assignment(weights)
            let taken = found.compactMap(\.self)
            #expect(Set(taken).count == taken.count)
            let sum = found.indices.reduce(0.0) { sum, row in
                sum + (found[row].map { column in weights[row][column] } ?? 0)
            }
            #expect(sum == best(0, Set(0..<columns)))
        }
    }
}
