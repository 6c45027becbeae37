import Foundation
import RoostClustering
import RoostModel
import RoostVectors

/// Who is in which cluster, to be changed by hand.
struct ClusterEdit: Sendable {
    /// In the order of their ids.
    let entries: [Entry.ID]
    let vectors: Matrix
    /// The cluster of each entry.
    var clusters: [Cluster.ID?]
    /// With members, in the order in which they were first saved, then new ones.
    private(set) var records: [Cluster]
    private let old: [Entry.ID: Assignment]
    private let before: [Cluster]
    private let run: ClusteringRun?

    init(_ snapshot: any StorageSnapshot) async throws {
        (entries, vectors) = try await KnowledgeStore.entryVectors(snapshot)
        before = try await snapshot.clusters()
        run = try await snapshot.clusteringRun()
        old = Dictionary(try await snapshot.assignments(of: nil).map { ($0.entry, $0) }) { first, _ in first }
        clusters = entries.map { [old] in old[$0]?.cluster }
        let above = Set(before.compactMap(\.parent))
        records = before.filter { !above.contains($0.id) }
    }

    /// - Throws: ``RoostError`` with `.notFound`, or `.badInput` for a cluster above others.
    func record(_ id: Cluster.ID) throws -> Cluster {
        if let record = records.first(where: { $0.id == id }) { return record }
        guard before.contains(where: { $0.id == id }) else {
            throw RoostError(.notFound, "there is no cluster \(id.text); nothing was changed")
        }
        throw RoostError(
            .badInput,
            "cluster \(id.text) is made of other clusters; merge, split or delete those. Nothing was changed")
    }

    func rows(of id: Cluster.ID) -> [Int] { clusters.indices.filter { clusters[$0] == id } }

    /// A new cluster beside another.
    mutating func addCluster(like other: Cluster) -> Cluster.ID {
        let record = Cluster(label: "", parent: other.parent)
        records.append(record)
        return record.id
    }

    /// What is to be written. Clusters whose members have not changed stay as they are.
    func finish(_ snapshot: any StorageSnapshot) async throws -> WriteBatch.Clustering {
        let (partition, rows, identities) = partition()
        let ids = rows.map { entries[$0] }
        var assembly = ClusterAssembly(
            partition, of: rows.count == entries.count ? vectors : vectors.selecting(rows), ids: ids)
        try await assembly.countTexts(of: snapshot)
        var made = assembly.finish(run: run, previous: before, identities: identities)
        let known = Dictionary(before.map { ($0.id, $0) }) { first, _ in first }
        let changed = changedClusters()
        let now = Date()
        made.clusters = made.clusters.map { cluster in
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
            return kept
        }
        made.assignments = made.assignments.map { assignment in
            guard let before = old[assignment.entry], before.place == assignment.place else {
                var assignment = assignment
                assignment.run = nil
                return assignment
            }
            var kept = before
            kept.similarity = assignment.similarity
            return kept
        }
        let silhouette = made.run?.silhouette
        made.run = run
        made.run?.silhouette = silhouette
        return made
    }

    /// Clusters that have other members than before, and those above them.
    private func changedClusters() -> Set<Cluster.ID> {
        var changed = Set<Cluster.ID>()
        for (entry, cluster) in zip(entries, clusters) where old[entry]?.cluster != cluster {
            changed.formUnion([old[entry]?.cluster, cluster].compactMap(\.self))
        }
        let parents = Dictionary((before + records).map { ($0.id, $0.parent) }) { first, _ in first }
        for cluster in changed {
            var (next, steps) = (parents[cluster] ?? nil, 0)
            while let parent = next, steps < parents.count {
                changed.insert(parent)
                (next, steps) = (parents[parent] ?? nil, steps + 1)
            }
        }
        return changed
    }

    /// - Returns: the groups, which rows have a place at all, and the cluster that each group is.
    private func partition() -> (Partition, rows: [Int], identities: [Cluster?]) {
        let rows = entries.indices.filter { clusters[$0] != nil || old[entries[$0]]?.outlierReason != nil }
        let present = Set(clusters.compactMap(\.self))
        var identities = records.filter { present.contains($0.id) }
        // Clusters above, as long as something is below them.
        let byID = Dictionary(before.map { ($0.id, $0) }) { first, _ in first }
        var known = Set(identities.map(\.id))
        var next = 0
        while next < identities.count {
            if let parent = identities[next].parent, let record = byID[parent], known.insert(parent).inserted
            {
                identities.append(record)
            }
            next += 1
        }
        let places = Dictionary(identities.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let parents = identities.map { $0.parent.flatMap { places[$0] } }
        let changed = changedClusters()
        var sums = Matrix(rows: identities.count, columns: vectors.columns)
        for row in rows {
            guard let leaf = clusters[row].flatMap({ places[$0] }) else { continue }
            for group in sequence(first: leaf, next: { parents[$0] }) {
                for column in 0..<vectors.columns { sums[group, column] += vectors[row, column] }
            }
        }
        sums.normalizeRows()
        for (group, cluster) in identities.enumerated()
        where !changed.contains(cluster.id) && cluster.centroid.count == vectors.columns {
            for column in 0..<vectors.columns { sums[group, column] = cluster.centroid[column] }
        }
        let labels = rows.map { row -> Partition.Label in
            if let group = clusters[row].flatMap({ places[$0] }) { return .group(group) }
            return .outlier(old[entries[row]]?.outlierReason ?? .distant)
        }
        let similarities = zip(rows, labels).map { row, label -> Float in
            guard let group = label.group else { return old[entries[row]]?.similarity ?? 0 }
            return vectors.withRow(row) { values in sums.withRow(group) { innerProduct($0, values) } }
        }
        let partition = Partition(
            labels: labels, centroids: sums, similarities: similarities,
            confidences: rows.map { old[entries[$0]]?.confidence ?? 1 }, parents: parents)
        return (partition, rows, identities)
    }
}
