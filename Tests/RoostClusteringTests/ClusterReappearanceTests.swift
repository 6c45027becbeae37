import RoostVectors
import Testing

@testable import RoostClustering

@Suite struct ClusterReappearanceTests {
    @Test func `a group is found again if at least half of its members and of the other group are shared`() {
        // Groups: 0 has points 0 to 5, 1 has points 6 to 11; point 12 is an outlier.
        let groups = [Int32](repeating: 0, count: 6) + [Int32](repeating: 1, count: 6) + [-1]
        var reappearance = ClusterReappearance(of: groups, count: 3)
        // Both groups are found again. The outlier's group in the subsample has no effect.
        reappearance.add(Array(0..<13), [4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 7])
        // Both groups are in one group of the subsample: 6 / 12 is just enough.
        reappearance.add(Array(0..<12), [Int32](repeating: 0, count: 12))
        // Group 0 is in three parts, and group 1 shares a group with the outlier: 6 / 7.
        reappearance.add(Array(0..<13), [0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 3])
        // Group 1 has a single point in the subsample, so the subsample does not count for it.
        reappearance.add([0, 1, 2, 6], [0, 0, 0, 1])
        #expect(reappearance.shares[0] == 0.75)
        #expect(reappearance.shares[1] == 1)
        #expect(reappearance.shares[2] == nil)
    }

    @Test func `a group with members in less than half of the subsamples has no share`() {
        var reappearance = ClusterReappearance(of: [0, 0, 1, 1], count: 2)
        for _ in 0..<2 { reappearance.add([0, 1], [0, 0]) }
        reappearance.add([0, 1, 2, 3], [0, 0, 1, 1])
        #expect(reappearance.shares == [1, nil])
    }

    /// Returns k groups of points. The points of each group are close to one direction, except in the last
    /// group, whose points are random.
    private func points(_ k: Int, of size: Int) -> Matrix {
        let centers = unitVectors(k, 64, seed: 1)
        var points = unitVectors(k * size, 64, seed: 2)
        for row in 0..<(k - 1) * size {
            for column in 0..<64 {
                points[row, column] = 0.5 * points[row, column] + centers[row / size, column]
            }
        }
        points.normalizeRows()
        return points
    }

    @Test func `distinct groups are found again in every subsample`()
        async throws
    {
        let (k, size) = (6, 60)
        let points = points(k, of: size)
        for clusterer in [
            LeidenClusterer(maximumOutliers: 0), LeidenClusterer(resolution: 1.5, maximumOutliers: 0),
        ] {
            let partition = try await clusterer.cluster(points)
            #expect(partition.stabilities.count == partition.count)
            for direction in 0..<k - 1 {
                let group = try #require(partition.labels[direction * size].group)
                #expect(partition.stabilities[group] == 1)
            }
        }
    }

    /// Returns points of subjects that consist of themes.
    private func themes(
        _ subjects: Int, _ themes: Int, of size: Int, noise: Float
    ) -> (points: Matrix, subjects: [Int]) {
        let first = unitVectors(subjects, 64, seed: 1)
        let second = unitVectors(subjects * themes, 64, seed: 2)
        let count = subjects * themes * size
        var points = unitVectors(count, 64, seed: 3)
        for row in 0..<count {
            for column in 0..<64 {
                points[row, column] =
                    noise * points[row, column]
                    + (1.4 - noise) * second[row % (subjects * themes), column]
                    + 1.2 * first[row % subjects, column]
            }
        }
        points.normalizeRows()
        return (points, (0..<count).map { $0 % subjects })
    }

    @Test func `parents are the stable communities of many groups, with their own stability`() throws {
        let (points, subjects) = themes(10, 5, of: 10, noise: 0.7)
        var clusterer = LeidenClusterer(resolution: nil, maximumOutliers: 0)
        clusterer.granularity = .fine
        let distinct = DistinctRows(of: points)
        let partition = try clusterer.partition(points, distinct)
        let leaves = Set(partition.labels.compactMap(\.group)).count
        #expect(leaves > Partition.maximumFlatSize)
        let tops = partition.parents.count { $0 == nil }
        #expect(Partition.topLevelSizes.contains(tops))
        #expect(partition.stabilities.count == partition.count)
        var subjectOf: [Int: Int] = [:]
        for (row, label) in partition.labels.enumerated() {
            let top = try #require(label.group.map { partition.parents[$0] ?? $0 })
            #expect(subjectOf[top, default: subjects[row]] == subjects[row])
            subjectOf[top] = subjects[row]
        }
        #expect(partition.stabilities[leaves...].allSatisfy { $0 == 1 })
        // A later run uses the same resolution for the parents.
        let resolution = try #require(partition.facts["resolution"])
        let parentResolution = try #require(partition.facts["parentResolution"])
        clusterer.start = .init(
            groups: partition.labels.map(\.group),
            scales: [
                .init(resolution: resolution, parentResolution: parentResolution, fullRunCount: 500)
            ])
        let next = try clusterer.partition(points, distinct)
        #expect(next.parents == partition.parents && next.labels == partition.labels)
    }
}
