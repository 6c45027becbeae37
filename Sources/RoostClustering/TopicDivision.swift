package import RoostVectors

extension Partition {
    /// A group is divided only if the assortativity of its topics reaches this value: at least half of the edges
    /// that would join different topics by chance join the same topic.
    static let minimumAssortativity = 0.5

    /// Divides each group into topics where the vectors of the group alone support it.
    ///
    /// The topics of a group are the communities, of at least three rows, with the highest modularity in the graph
    /// of its own nearest neighbors, so they do not depend on the rest of the store. A divided group keeps its
    /// number and becomes the parent of its topics, which have the highest numbers.
    ///
    /// - Parameters:
    ///   - vectors: The vectors that were partitioned, (n, d), unit length.
    ///   - previous: The topic of each row in a previous run, which is kept; `nil` for a row that was in no
    ///     topic. If a group has such rows, its other rows join the nearest topic. Empty to find all topics.
    /// - Throws: `CancellationError`.
    /// - Complexity: O(Σ m² · d) for groups of m rows; see `LeidenClusterer` for large groups.
    package func dividing(_ vectors: Matrix, keeping previous: [Int?] = []) throws -> Partition {
        var rows = [[Int]](repeating: [], count: count)
        for (row, label) in labels.enumerated() { if let group = label.group { rows[group].append(row) } }
        var result = self
        var centroids = (0..<count).map { self.centroids.row($0) }
        for (group, rows) in rows.enumerated() where !rows.isEmpty {
            try Task.checkCancellation()
            let members = vectors.selecting(rows)
            let found =
                previous.isEmpty
                ? try Self.topics(of: members)
                : Self.topics(keeping: rows.map { previous[$0] }, of: members)
            guard let found else { continue }
            let parts = Partition(groups: found, of: members)
            for (index, row) in rows.enumerated() {
                result.labels[row] = .group(centroids.count + found[index])
                result.similarities[row] = parts.similarities[index]
            }
            for topic in 0..<parts.count {
                result.topics.insert(centroids.count)
                result.parents.append(group)
                if !result.stabilities.isEmpty { result.stabilities.append(nil) }
                centroids.append(parts.centroids.row(topic))
            }
        }
        result.centroids = Matrix(centroids, columns: self.centroids.columns)
        return result
    }

    /// Returns the topic of each vector, from 0; `nil` if the vectors have no topics.
    private static func topics(of vectors: Matrix) throws -> [Int]? {
        let distinct = DistinctRows(of: vectors)
        guard distinct.rows.count >= LeidenClusterer.minimumCount else { return nil }
        let points = distinct.rows.count == vectors.rows ? vectors : vectors.selecting(distinct.rows)
        let k = LeidenClusterer.neighborCount(of: points.rows)
        let nearest = try NearestNeighbors.find(in: points, k: k, seed: 0)
        let graph = NeighborGraph.make(nearest)
        let leiden = Leiden(graph)
        var generator = SeededGenerator(seed: 0)
        let communities = try leiden.communities(resolution: 1, using: &generator)
        guard leiden.assortativity(of: communities) >= minimumAssortativity else { return nil }
        var groups = GroupsOfPoints(points, nearest, graph, communities)
        groups.joinSmall(copies: distinct.copies)
        guard groups.count > 1 else { return nil }
        return distinct.indices.map { point in point.map { Int(groups.groups[$0]) } ?? 0 }
    }

    /// Returns the topic of each vector if some are known; `nil` without at least two known topics.
    private static func topics(keeping known: [Int?], of vectors: Matrix) -> [Int]? {
        var numbers: [Int: Int] = [:]
        for topic in known { if let topic, numbers[topic] == nil { numbers[topic] = numbers.count } }
        guard numbers.count > 1 else { return nil }
        let topics = known.map { $0.flatMap { numbers[$0] } }
        let others = topics.indices.filter { topics[$0] == nil }
        guard !others.isEmpty else { return topics.compactMap(\.self) }
        let centroids = Partition(groups: topics, of: vectors).centroids
        let nearest = KMeansRun.nearest(centroids, to: vectors.selecting(others))
        var result = topics.map { $0 ?? 0 }
        for (row, topic) in zip(others, nearest) { result[row] = Int(topic) }
        return result
    }
}
