import Foundation
import RoostClustering
import RoostModel
import RoostVectors

/// The assignments of all entries to clusters, to be edited and committed.
struct ClusterEdit: Sendable {
    /// The entries that have a vector, in the order of their ids.
    let entries: [Entry.ID]
    let vectors: Matrix
    var assignments: [Cluster.ID?]
    /// The leaf clusters: the saved clusters in the order in which they were added, followed by new clusters.
    private(set) var leaves: [Cluster]
    private let boilerplate: BoilerplateLines
    private let embedder: any Embedder
    private let previousAssignments: [Entry.ID: Assignment]
    private let previousClusters: [Cluster]
    private let run: ClusteringRun?

    /// Reads the current clusters. Vectors and labels ignore the boilerplate lines of the last run, as that
    /// run did.
    init(
        _ snapshot: any StorageSnapshot, _ boilerplate: BoilerplateVectors, _ embedder: any Embedder
    ) async throws {
        (self.boilerplate, self.embedder) = (boilerplate.boilerplate, embedder)
        let entryVectors = try await EntryVectors(snapshot, without: boilerplate)
        (entries, vectors) = (entryVectors.ids, entryVectors.vectors)
        previousClusters = ClusterForest.withoutCycles(try await snapshot.clusters())
        run = try await snapshot.clusteringRun()
        let previous = try await snapshot.assignments(of: nil).byEntry
        previousAssignments = previous
        assignments = entries.map { previous[$0]?.cluster }
        let parents = Set(previousClusters.compactMap(\.parent))
        leaves = previousClusters.filter { !parents.contains($0.id) }
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

    /// Assigns rows to a cluster or, if it contains others, to the nearest cluster below it.
    mutating func move(_ rows: [Int], to id: Cluster.ID) throws {
        let below = Set(ClusterForest(previousClusters).ids(from: try cluster(id)))
        let targets = leaves.filter { below.contains($0.id) && $0.centroid.count == vectors.columns }
        for row in rows {
            let vector = vectors.row(row)
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
    /// separation and silhouette, which depend on the other clusters.
    func finish(_ snapshot: any StorageSnapshot) async throws -> WriteBatch.Clustering {
        let groups = groups()
        let selected = groups.rows.count == entries.count ? vectors : vectors.selecting(groups.rows)
        var assembly = ClusterAssembly(
            groups.partition, of: selected, ids: groups.rows.map { entries[$0] })
        try await assembly.countTexts(of: snapshot, without: boilerplate)
        // If the embedder is unavailable, the labels of changed clusters are chosen by words alone.
        _ = try await assembly.embedPhrases(with: embedder)
        let known = previousClusters.byID
        let changed = changedClusters()
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
            (kept.separation, kept.silhouette) = (cluster.separation, cluster.silhouette)
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
        let silhouette = result.run?.silhouette
        result.run = run
        result.run?.silhouette = silhouette
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
        /// The row of the vector matrix to which each label of the partition belongs.
        var rows: [Int]
        var clusters: [Cluster]
    }

    private func groups() -> Groups {
        let rows = entries.indices.filter {
            assignments[$0] != nil || previousAssignments[entries[$0]]?.outlierReason != nil
        }
        let clusters = remainingClusters()
        let groupOf = Dictionary(clusters.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let parents = clusters.map { $0.parent.flatMap { groupOf[$0] } }
        let labels = rows.map { row -> Partition.Label in
            if let group = assignments[row].flatMap({ groupOf[$0] }) { return .group(group) }
            return .outlier(previousAssignments[entries[row]]?.outlierReason ?? .distant)
        }
        let centroids = centroids(of: clusters, parents, Array(zip(rows, labels)))
        let similarities = zip(rows, labels).map { row, label -> Float in
            guard let group = label.group else { return previousAssignments[entries[row]]?.similarity ?? 0 }
            return vectors.withRow(row) { values in
                centroids.withRow(group) { innerProduct($0, values) }
            }
        }
        var partition = Partition(
            labels: labels, centroids: centroids, similarities: similarities,
            confidences: rows.map { previousAssignments[entries[$0]]?.confidence ?? 1 }, parents: parents)
        partition.topics = Set(clusters.indices.filter { clusters[$0].isTopic && parents[$0] != nil })
        return Groups(partition: partition, rows: rows, clusters: clusters)
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
    private func centroids(
        of clusters: [Cluster], _ parents: [Int?], _ labels: [(row: Int, label: Partition.Label)]
    ) -> Matrix {
        var centroids = Matrix(rows: clusters.count, columns: vectors.columns)
        for (row, label) in labels {
            guard let leaf = label.group else { continue }
            for group in sequence(first: leaf, next: { parents[$0] }) {
                for column in 0..<vectors.columns { centroids[group, column] += vectors[row, column] }
            }
        }
        centroids.normalizeRows()
        let changed = changedClusters()
        for (group, cluster) in clusters.enumerated()
        where !changed.contains(cluster.id) && cluster.centroid.count == vectors.columns {
            for column in 0..<vectors.columns { centroids[group, column] = cluster.centroid[column] }
        }
        return centroids
    }
}
