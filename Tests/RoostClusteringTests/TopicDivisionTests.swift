import RoostVectors
import Testing

@testable import RoostClustering

/// Tests of topics inside groups, and of sets of rows that remain recognizable.
@Suite struct TopicDivisionTests {
    /// Returns rows near the given centers, `count` for each.
    private func points(_ centers: [[Float]], count: Int, noise: Float, seed: UInt64) -> [[Float]] {
        var generator = SeededGenerator(seed: seed)
        return centers.flatMap { center in
            (0..<count).map { _ in normalized(center.map { $0 + noise * Float(generator.nextNormal()) }) }
        }
    }

    /// Returns a unit vector in the plane of two axes out of 32.
    private func axis(_ first: Int, _ second: Int, _ share: Float) -> [Float] {
        var vector = [Float](repeating: 0, count: 32)
        vector[first] = 1
        vector[second] = share
        return normalized(vector)
    }

    private func topics(_ partition: Partition, _ rows: Range<Int>) -> [Int?] {
        let labels = rows.map { partition.labels[$0].group }
        var numbers: [Int?: Int] = [:]
        return labels.map { label in
            if numbers[label] == nil { numbers[label] = numbers.count }
            return numbers[label]
        }
    }

    @Test func `the topics of a group do not depend on other groups`() throws {
        let subjects = (1...4).map { axis(0, $0, 0.7) }
        let divided = points(subjects, count: 25, noise: 0.05, seed: 1)
        let plain = points([axis(20, 21, 1)], count: 80, noise: 0.3, seed: 2)
        let alone = Matrix(divided, columns: 32)
        let union = Matrix(divided + plain, columns: 32)
        let single = try Partition(groups: Array(repeating: 0, count: 100), of: alone).dividing(alone)
        #expect(single.topics == [1, 2, 3, 4] && single.parents == [nil, 0, 0, 0, 0])
        #expect(topics(single, 0..<100) == (0..<100).map { $0 / 25 })
        let both = try Partition(
            groups: Array(repeating: 0, count: 100) + Array(repeating: 1, count: 80), of: union
        ).dividing(union)
        #expect(topics(both, 0..<100) == topics(single, 0..<100))
        // Points without structure stay undivided.
        #expect((100..<180).allSatisfy { both.labels[$0] == .group(1) })
        try both.check(for: union)
    }

    @Test func `topics of a previous run are kept, and new rows join the nearest`() throws {
        let subjects = (1...2).map { axis(0, $0, 0.7) }
        let vectors = Matrix(points(subjects, count: 20, noise: 0.05, seed: 3), columns: 32)
        // Two rows of each subject are new. The topics are not those that a new run would find.
        let previous = (0..<40).map { row -> Int? in row % 20 < 2 ? nil : row / 20 == 0 ? 7 : row % 2 + 8 }
        let partition = try Partition(groups: Array(repeating: 0, count: 40), of: vectors)
            .dividing(vectors, keeping: previous)
        #expect(partition.topics.count == 3)
        #expect(partition.labels[0] == partition.labels[5] && partition.labels[1] == partition.labels[5])
        #expect(partition.labels[22] != partition.labels[23])
        let none = try Partition(groups: Array(repeating: 0, count: 40), of: vectors)
            .dividing(vectors, keeping: Array(repeating: nil, count: 40))
        #expect(none.topics.isEmpty)
    }

    @Test func `a set of rows remains recognizable`() throws {
        let vectors = Matrix(
            points((1...4).map { axis(0, $0, 0.7) }, count: 20, noise: 0.05, seed: 4), columns: 32)
        // Groups 0 (rows 0 to 59, topics 2 and 3) and 1 (rows 60 to 79).
        var partition = Partition(
            groups: (0..<80).map { $0 < 30 ? 2 : $0 < 60 ? 3 : 1 }, of: vectors, parents: [nil, nil, 0, 0])
        partition.topics = [2, 3]
        let known = Array(repeating: 1.0, count: 80)
        // The first set is the second group, and the second, which is most of it, becomes one of its topics.
        var kept = partition.keeping([Array(60..<80), Array(65..<80)], weights: known, of: vectors)
        #expect(kept.partition.topics.count == 4 && kept.parts == [20, 15])
        // A set inside a larger group becomes a group of its own.
        kept = partition.keeping([Array(20..<40)], weights: known, of: vectors)
        #expect(kept.partition.count == 5 && kept.parts == [20])
        let group = try #require(kept.partition.labels[20].group)
        #expect((0..<80).filter { kept.partition.labels[$0].group == group } == Array(20..<40))
        #expect(kept.partition.parents[group] == nil && !kept.partition.topics.contains(group))
        #expect(kept.partition.topics.count == 2)
        try kept.partition.check(for: vectors)
        // Of a set in several groups, the largest part does.
        kept = partition.keeping([Array(0..<12) + Array(60..<70)], weights: known, of: vectors)
        #expect(kept.parts == [12] && kept.partition.count == 5)
        // A cluster may grow by rows that were in none.
        kept = partition.keeping([Array(60..<68)], weights: (0..<80).map { $0 < 70 ? 1 : 0 }, of: vectors)
        #expect(kept.partition == partition && kept.parts == [8])
        // The other rows of the group stand for many more entries.
        kept = partition.keeping(
            [Array(60..<75)], weights: (0..<80).map { $0 < 75 ? 1 : 10 }, of: vectors)
        #expect(kept.partition.count == 5 && kept.parts == [15])
        // A topic without rows ends.
        kept = partition.keeping([Array(0..<29), Array(30..<60)], weights: known, of: vectors)
        #expect(kept.partition.topics.count == 2 && kept.parts == [29, 30])
    }
}
