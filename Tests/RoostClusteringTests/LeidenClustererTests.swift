import RoostVectors
import Testing

@testable import RoostClustering

@Suite struct LeidenClustererTests {
    @Test(arguments: [2, 3, 7, 25, 80]) func `well-separated groups are found, whatever their number`(k: Int)
        async throws
    {
        let (points, truth) = groups(k, of: 40)
        let partition = try await LeidenClusterer(seed: 3).cluster(points)
        #expect(match(partition.labels, truth))
        #expect(partition.confidences.allSatisfy { (0...1).contains($0) })
        for (row, label) in partition.labels.enumerated() {
            let group = try #require(label.group)
            let score = innerProduct(points.row(row), partition.centroids.row(group))
            #expect(abs(partition.similarities[row] - score) < 1e-5)
        }
    }

    @Test func `coarse gives fewer groups than fine, and medium is between them`() async throws {
        // Eight subjects of six themes each.
        let subjects = unitVectors(8, 64, seed: 1)
        let themes = unitVectors(48, 64, seed: 2)
        var points = unitVectors(48 * 40, 64, seed: 3)
        for row in 0..<points.rows {
            for column in 0..<64 {
                points[row, column] =
                    0.5 * points[row, column] + 0.8 * themes[row % 48, column] + subjects[row % 8, column]
            }
        }
        points.normalizeRows()
        var counts: [Int] = []
        for granularity in [LeidenClusterer.Granularity.coarse, .medium, .fine] {
            counts.append(try await LeidenClusterer(granularity: granularity).cluster(points).count)
        }
        #expect(counts[0] <= counts[1] && counts[1] <= counts[2] && counts[0] < counts[2])
    }

    @Test(arguments: [(4, 8), (6, 6), (8, 5), (10, 6), (5, 10)])
    func `fine groups of few vectors are not fewer, and not single vectors`(k: Int, size: Int) async throws {
        let (points, _) = groups(k, of: size, spread: 1.2)
        let medium = try await LeidenClusterer().cluster(points)
        let fine = try await LeidenClusterer(granularity: .fine).cluster(points)
        #expect(fine.count >= medium.count && fine.count <= points.rows / 3)
    }

    @Test func `after a few additions nearly all vectors keep their group`() async throws {
        // The groups overlap, so runs that do not start from earlier groups find different ones each time.
        let (points, _) = groups(12, of: 100, spread: 1.6)
        let old = points.selecting((0..<1200).filter { $0 % 100 != 50 })
        let before = try await LeidenClusterer().cluster(old)
        let resolution = try #require(before.facts["resolution"])
        var labels = before.labels.map(\.group).makeIterator()
        let start = (0..<1200).map { $0 % 100 == 50 ? nil : labels.next() ?? nil }
        var clusterer = LeidenClusterer()
        clusterer.start = LeidenClusterer.Start(
            groups: start, scales: [.init(resolution: resolution, fullRunCount: 1188)])
        let after = try await clusterer.cluster(points)
        #expect(after.facts["resolution"] == resolution)
        var shared: [[Int]: Int] = [:]
        for row in 0..<1200 {
            if let group = start[row] { shared[[group, after.labels[row].group ?? -1], default: 0] += 1 }
        }
        let kept = Dictionary(grouping: shared) { $0.key[0] }.values.reduce(0) {
            $0 + ($1.map(\.value).max() ?? 0)
        }
        #expect(Double(kept) / 1188 > 0.99)
        // Many vectors have been added in small steps since the last full run, so all vectors are clustered again.
        clusterer.start?.scales[0].fullRunCount = 900
        #expect(try await clusterer.cluster(points).facts["gap"] != nil)
        clusterer.start?.scales[0].fullRunCount = 1188
        // Too many vectors are new, so all vectors are clustered again.
        clusterer.start?.groups = start.enumerated().map { $0 % 3 == 0 ? nil : $1 }
        #expect(try await clusterer.cluster(points) == LeidenClusterer().cluster(points))
    }

    @Test func `vectors far from all others are outliers, up to the maximum share`() async throws {
        let (points, _) = groups(4, of: 100, spread: 0.3)
        let strange = unitVectors(12, 64, seed: 77)
        let all = Matrix(
            rows: 412, columns: 64, elements: points.elements + strange.elements)
        let partition = try await LeidenClusterer().cluster(all)
        let outliers = partition.labels.indices.filter { partition.labels[$0].group == nil }
        #expect(!outliers.isEmpty && outliers.allSatisfy { $0 >= 400 })
        let few = try await LeidenClusterer(maximumOutliers: 0.01).cluster(all)
        #expect(few.labels.count { $0.group == nil } <= 4)
        let none = try await LeidenClusterer(maximumOutliers: 0).cluster(all)
        #expect(none.labels.allSatisfy { $0.group != nil })
    }

    @Test func `each copy of a far vector counts toward the maximum share of outliers`() async throws {
        let (points, _) = groups(4, of: 100, spread: 0.3)
        let strange = unitVectors(1, 64, seed: 77)
        let copies = Matrix(
            rows: 460, columns: 64,
            elements: points.elements + (0..<60).flatMap { _ in strange.elements })
        let partition = try await LeidenClusterer().cluster(copies)
        #expect(partition.labels.count { $0.group == nil } <= 23)
        #expect(Set(partition.labels[400...]).count == 1)
    }

    @Test func `a task canceled during the run throws or returns a complete result`() async throws {
        let points = unitVectors(3000, 32, seed: 1)
        for milliseconds in stride(from: 5, through: 400, by: 25) {
            let task = Task { try await LeidenClusterer().cluster(points) }
            try await Task.sleep(for: .milliseconds(milliseconds))
            task.cancel()
            do {
                #expect(try await task.value.labels.count == 3000)
            } catch is CancellationError {}
        }
    }

    @Test func `empty, zero, equal and equidistant vectors are accepted or rejected with an error`()
        async throws
    {
        let none = await #expect(throws: ClusteringError.self) {
            try await LeidenClusterer().cluster(Matrix(rows: 0, columns: 0))
        }
        #expect(none?.code == .noVectors)
        let zeros = await #expect(throws: ClusteringError.self) {
            try await LeidenClusterer().cluster(Matrix(rows: 3, columns: 4))
        }
        #expect(zeros?.code == .noVectors)
        for count in 1...12 {
            let partition = try await LeidenClusterer().cluster(unitVectors(count, 6, seed: 1))
            #expect(partition.labels.count == count && partition.labels.allSatisfy { $0.group != nil })
        }
        // Thousands of copies of one vector form one group.
        let same = Matrix(rows: 20_000, columns: 4, elements: Array(repeating: 0.5, count: 80_000))
        let equal = try await LeidenClusterer().cluster(same)
        #expect(equal.count == 1 && equal.labels.allSatisfy { $0 == .group(0) })
        // Uses vectors that are all at the same distance from each other.
        var axes = Matrix(rows: 64, columns: 64)
        for row in 0..<64 { axes[row, row] = 1 }
        let equidistant = try await LeidenClusterer().cluster(axes)
        #expect(equidistant.labels.count == 64)
        var withZero = unitVectors(30, 6, seed: 2)
        for column in 0..<6 { withZero[11, column] = 0 }
        let partition = try await LeidenClusterer().cluster(withZero)
        #expect(partition.labels[11] == .outlier(.zeroVector))
        #expect(partition.labels.count { $0.group == nil } == 1)
    }

    @Test func `the nearest centroids by quantized products are the exact ones`() {
        let points = unitVectors(3000, 40, seed: 1)
        let centers = unitVectors(90, 40, seed: 2)
        let found = KMeansRun.nearest(centers, to: points)
        for row in 0..<3000 {
            let scores = (0..<90).map { innerProduct(points.row(row), centers.row($0)) }
            #expect(scores[Int(found[row])] == scores.max())
        }
    }
}
