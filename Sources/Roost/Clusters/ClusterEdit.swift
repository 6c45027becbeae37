import Foundation
import RoostClustering
import RoostModel
import RoostVectors

/// The assignments of all entries to clusters, to be edited and committed.
///
/// Only vectors of members of changed clusters are held in memory.
struct ClusterEdit: Sendable {
    /// The entries that have an assignment, in the order of their ids, followed by those that were moved.
    private(set) var entries: [Entry.ID]
    var assignments: [Cluster.ID?]
    /// The leaf clusters: the saved clusters in the order in which they were added, followed by new clusters.
    private(set) var leaves: [Cluster]
    private let snapshot: any StorageSnapshot
    private let boilerplate: BoilerplateVectors
    private let embedder: any Embedder
    private let previousAssignments: [Entry.ID: Assignment]
    private let previousClusters: [Cluster]
    private let run: ClusteringRun?

    /// Reads the current clusters. Vectors and labels ignore the boilerplate lines of the last run, as that
    /// run did.
    init(
        _ snapshot: any StorageSnapshot, _ boilerplate: BoilerplateVectors, _ embedder: any Embedder
    ) async throws {
        (self.snapshot, self.boilerplate, self.embedder) = (snapshot, boilerplate, embedder)
        previousClusters = ClusterForest.withoutCycles(try await snapshot.clusters())
        run = try await snapshot.clusteringRun()
        let previous = try await snapshot.assignments(of: nil).byEntry
        previousAssignments = previous
        entries = previous.keys.sorted()
        assignments = entries.map { previous[$0]?.cluster }
        let parents = Set(previousClusters.compactMap(\.parent))
        leaves = previousClusters.filter { !parents.contains($0.id) }
    }

    /// Reads the vectors of entries.
    func vectors(of ids: Set<Entry.ID>) async throws -> EntryVectors {
        try await EntryVectors(snapshot, without: boilerplate, capacity: ids.count) { id, _ in
            ids.contains(id)
        }
    }

    /// Returns the rows of entries.
    func rows(of ids: [Entry.ID]) -> [Int] {
        let numbers = Dictionary(ids.enumerated().map { ($1, $0) }) { first, _ in first }
        var rows = [Int](repeating: 0, count: ids.count)
        for (row, id) in entries.enumerated() { if let number = numbers[id] { rows[number] = row } }
        return rows
    }

    /// Returns a cluster after all clusters below it have joined it.
    mutating func joined(_ id: Cluster.ID) throws -> Cluster {
        if let leaf = leaves.first(where: { $0.id == id }) { return leaf }
        let joined = try cluster(id)
        let below = Set(ClusterForest(previousClusters).ids(from: joined))
        for row in assignments.indices where assignments[row].map(below.contains) == true {
            assignments[row] = id
        }
        leaves = leaves.filter { !below.contains($0.id) } + [joined]
        return joined
    }

    private func cluster(_ id: Cluster.ID) throws -> Cluster {
        guard let cluster = previousClusters.first(where: { $0.id == id }) else {
            throw StoreClusters.notFound(id)
        }
        return cluster
    }

    /// Assigns entries to a cluster or, if it contains others, to the nearest cluster below it; `nil` for none.
    mutating func move(_ moved: EntryVectors, to id: Cluster.ID?) throws {
        entries += moved.ids.filter { previousAssignments[$0] == nil }
        assignments += Array(repeating: nil, count: entries.count - assignments.count)
        let below = Set(try id.map { ClusterForest(previousClusters).ids(from: try cluster($0)) } ?? [])
        let targets = leaves.filter {
            below.contains($0.id) && $0.centroid.count == moved.vectors.columns
        }
        for (number, row) in rows(of: moved.ids).enumerated() {
            let vector = moved.vectors.row(number)
            let nearest = targets.map { (innerProduct($0.centroid, vector), $0.id) }.max { $0.0 < $1.0 }
            assignments[row] = nearest?.1 ?? id
        }
    }

    func rows(of id: Cluster.ID) -> [Int] { assignments.indices.filter { assignments[$0] == id } }

    mutating func addCluster(nextTo sibling: Cluster) -> Cluster.ID {
        var cluster = Cluster(label: "", parent: sibling.parent)
        cluster.isTopic = sibling.isTopic
        leaves.append(cluster)
        return cluster.id
    }

    /// Returns the clustering to commit. Clusters whose members have not changed keep all values except their
    /// separation, which depends on the other clusters.
    func finish() async throws -> WriteBatch.Clustering {
        let changed = changedClusters()
        let groups = try await groups(changed)
        var assembly = ClusterAssembly(groups.partition, of: groups.vectors, ids: groups.ids)
        try await assembly.countTexts(of: snapshot, without: boilerplate.boilerplate)
        // If the embedder is unavailable, the labels of changed clusters are chosen by words alone.
        _ = try await assembly.embedPhrases(with: embedder)
        let known = previousClusters.byID
        var result = assembly.finish(
            run: run, previous: previousClusters,
            try await assembly.overlap(with: previousClusters, in: snapshot), identities: groups.clusters,
            unchanged: Set(known.keys).subtracting(changed))
        let now = Date()
        result.clusters = result.clusters.map { cluster in
            var cluster = cluster
            cluster.updatedAt = now
            guard let old = known[cluster.id] else {
                cluster.createdAt = now
                return cluster
            }
            cluster.createdAt = old.createdAt
            guard !changed.contains(cluster.id) else { return cluster }
            var kept = old
            kept.separation = cluster.separation
            (kept.parent, kept.members) = (cluster.parent, cluster.members)
            kept.isTopic = cluster.isTopic
            return kept
        }
        result.assignments = result.assignments.map { assignment in
            guard let previous = previousAssignments[assignment.entry],
                previous.target == assignment.target
            else {
                var assignment = assignment
                assignment.run = nil
                return assignment
            }
            var kept = previous
            kept.similarity = assignment.similarity
            return kept
        }
        result.run = run
        return result
    }

    private func changedClusters() -> Set<Cluster.ID> {
        var changed = Set<Cluster.ID>()
        for (entry, cluster) in zip(entries, assignments) {
            let previous = previousAssignments[entry]?.cluster
            if previous != cluster { changed.formUnion([previous, cluster].compactMap(\.self)) }
        }
        let parents = Dictionary((previousClusters + leaves).map { ($0.id, $0.parent) }) { first, _ in first }
        for cluster in changed {
            var next = parents[cluster] ?? nil
            while let parent = next {
                changed.insert(parent)
                next = parents[parent] ?? nil
            }
        }
        return changed
    }

    private struct Groups {
        var partition: Partition
        /// The entry of each label of the partition. Those of ``vectors`` come first.
        var ids: [Entry.ID]
        /// The vectors of the entries of changed clusters and, for changed topics, of their groups.
        var vectors: Matrix
        var clusters: [Cluster]
    }

    private func groups(_ changed: Set<Cluster.ID>) async throws -> Groups {
        let clusters = remainingClusters()
        let groupOf = Dictionary(clusters.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let parents = clusters.map { $0.parent.flatMap { groupOf[$0] } }
        let read = Set(
            clusters.filter { changed.contains($0.id) || $0.isTopic && changed.contains($0.parent ?? $0.id) }
                .map(\.id))
        let isRead = { (row: Int) in assignments[row].map(read.contains) == true }
        let members = try await vectors(of: Set(entries.indices.filter(isRead).map { entries[$0] }))
        let others = entries.indices.filter { row in
            !isRead(row)
                && (assignments[row] != nil || previousAssignments[entries[row]]?.outlierReason != nil)
        }
        let rows = self.rows(of: members.ids) + others
        let labels = rows.map { row -> Partition.Label in
            if let group = assignments[row].flatMap({ groupOf[$0] }) { return .group(group) }
            return .outlier(previousAssignments[entries[row]]?.outlierReason ?? .distant)
        }
        var similarities = rows.map { previousAssignments[entries[$0]]?.similarity ?? 0 }
        let centroids = centroids(of: clusters, changed, parents, labels, members.vectors, similarities)
        for (row, label) in labels.prefix(members.ids.count).enumerated() {
            guard let group = label.group else { continue }
            similarities[row] = members.vectors.withRow(row) { values in
                centroids.withRow(group) { innerProduct($0, values) }
            }
        }
        var partition = Partition(
            labels: labels, centroids: centroids, similarities: similarities,
            confidences: rows.map { previousAssignments[entries[$0]]?.confidence ?? 1 }, parents: parents)
        partition.topics = Set(clusters.indices.filter { clusters[$0].isTopic && parents[$0] != nil })
        return Groups(
            partition: partition, ids: rows.map { entries[$0] }, vectors: members.vectors, clusters: clusters)
    }

    /// Returns the leaf clusters that have members, followed by their ancestors. As in a run, a larger
    /// cluster has at least two clusters directly below it: one with a single cluster ends, unless a person
    /// labeled it.
    private func remainingClusters() -> [Cluster] {
        let present = Set(assignments.compactMap(\.self))
        var clusters = leaves.filter { present.contains($0.id) }
        let byID = previousClusters.byID
        let leafCount = clusters.count
        var known = Set(clusters.map(\.id))
        var index = 0
        while index < clusters.count {
            if let id = clusters[index].parent, let parent = byID[id], known.insert(id).inserted {
                clusters.append(parent)
            }
            index += 1
        }
        var children: [Cluster.ID: Int] = [:]
        for parent in clusters.compactMap(\.parent) { children[parent, default: 0] += 1 }
        // If a cluster ends, the one below it takes its place, so the other numbers do not change.
        let ended = Set(
            clusters.dropFirst(leafCount).filter { children[$0.id] == 1 && !$0.isLabelPinned }.map(\.id))
        for index in clusters.indices {
            while let parent = clusters[index].parent, parent != clusters[index].id, ended.contains(parent) {
                clusters[index].parent = byID[parent]?.parent
                clusters[index].isTopic = byID[parent]?.isTopic ?? false
            }
        }
        return clusters.filter { !ended.contains($0.id) }
    }

    /// Returns the centroid of each cluster: the stored one if its members have not changed, otherwise the
    /// mean direction of its members.
    ///
    /// - Parameter vectors: The vectors of the first labels. The sum of the vectors of an unchanged cluster is the
    ///   sum of the similarities times the centroid.
    private func centroids(
        of clusters: [Cluster], _ changed: Set<Cluster.ID>, _ parents: [Int?], _ labels: [Partition.Label],
        _ vectors: Matrix, _ similarities: [Float]
    ) -> Matrix {
        let known = previousClusters.lazy.map(\.centroid.count).max() ?? 0
        let columns = vectors.rows > 0 ? vectors.columns : known
        var centroids = Matrix(rows: clusters.count, columns: columns)
        func add(_ vector: some Sequence<Float>, to leaf: Int, times weight: Float = 1) {
            for group in sequence(first: leaf, next: { parents[$0] }) {
                for (column, value) in vector.enumerated() { centroids[group, column] += weight * value }
            }
        }
        var weights = [Float](repeating: 0, count: clusters.count)
        for (row, label) in labels.enumerated() {
            guard let leaf = label.group else { continue }
            if row < vectors.rows {
                add(vectors.row(row), to: leaf)
            } else {
                weights[leaf] += similarities[row]
            }
        }
        for (leaf, weight) in weights.enumerated() where clusters[leaf].centroid.count == columns {
            add(clusters[leaf].centroid, to: leaf, times: weight)
        }
        centroids.normalizeRows()
        for (group, cluster) in clusters.enumerated()
        where !changed.contains(cluster.id) && cluster.centroid.count == columns {
            for column in 0..<columns { centroids[group, column] = cluster.centroid[column] }
        }
        return centroids
    }
}
