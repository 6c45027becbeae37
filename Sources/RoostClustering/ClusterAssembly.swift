public import Foundation
public import RoostModel
import RoostText
public import RoostVectors

/// Makes clusters with ids, labels, keywords, figures and representatives of a partition's groups.
public struct ClusterAssembly: Sendable {
    /// How many keywords and representatives a cluster has at most.
    public var keywordLimit = 10
    public var representativeLimit = 5

    private var extractor: KeywordExtractor
    private let partition: Partition
    private let ids: [Entry.ID]
    private let rows: [Entry.ID: Int]
    private let quality: ClusterQuality
    /// The rows of each group; of a group above others, those of its parts.
    private let members: [[Int]]
    /// Of each group's rows those nearest its centroid, nearest first.
    private let nearest: [[Int]]
    /// In whose texts phrases are looked for.
    private let typical: Set<Int>

    /// - Parameters:
    ///   - ids: the entry of each of the partition's rows.
    ///   - vectors: those rows.
    public init(_ partition: Partition, of vectors: Matrix, ids: [Entry.ID]) {
        precondition(
            ids.count == partition.labels.count && vectors.rows == ids.count, "an entry for each row")
        self.partition = partition
        self.ids = ids
        rows = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        extractor = KeywordExtractor(groups: partition.count)
        quality = ClusterQuality(partition, vectors)
        var members = [[Int]](repeating: [], count: partition.count)
        for (row, label) in partition.labels.enumerated() {
            guard let group = label.group else { continue }
            for group in sequence(first: group, next: { partition.parents[$0] }) {
                members[group].append(row)
            }
        }
        self.members = members
        let limit = KeywordExtractor.typicalTexts(ofGroups: partition.count)
        nearest = members.indices.map { group in
            let similarities = members[group].map { row in
                let isOwn = partition.labels[row].group == group
                let similarity =
                    isOwn
                    ? partition.similarities[row]
                    : vectors.withRow(row) { values in
                        partition.centroids.withRow(group) { innerProduct($0, values) }
                    }
                return (similarity, row)
            }
            return similarities.sorted { ($1.0, ids[$0.1].uuidString) < ($0.0, ids[$1.1].uuidString) }
                .prefix(limit).map(\.1)
        }
        let above = Set(partition.parents.compactMap(\.self))
        typical = Set(
            nearest.indices.lazy.filter { !above.contains($0) }.flatMap { [nearest] in nearest[$0] })
    }

    /// Counts the words of an entry's text for its group's keywords. To be called once for each entry, in
    /// any order.
    public mutating func count(_ text: String, of id: Entry.ID) {
        guard let row = rows[id], let group = partition.labels[row].group else { return }
        extractor.add(text, to: group, isTypical: typical.contains(row))
    }

    /// The clusters, largest first, and everybody's assignment. A cluster that continues one of `previous`
    /// keeps its id, creation date and, where a person or a labeler gave it, its label.
    ///
    /// - Parameters:
    ///   - run: gets its figures and what became of the last clusters.
    ///   - previous: the last clusters with their members.
    ///   - identities: the cluster that each group is; `nil` finds out by their members.
    public func finish(
        run: ClusteringRun?, previous: [Cluster], identities: [Cluster?]? = nil, date: Date = Date()
    ) -> WriteBatch.Clustering {
        let previous = Self.withMembersOfParts(previous)
        let continued = identities ?? match(previous)
        let clusterIDs = continued.map { $0?.id ?? UUID() }
        let keywords = extractor.keywords(limit: keywordLimit, parents: partition.parents)
        let trace = trace(clusterIDs, from: previous)
        var clusters = members.indices.map { group in
            let rows = members[group]
            let words = keywords[group]
            var cluster = Cluster(
                id: clusterIDs[group],
                label: KeywordExtractor.label(of: words) ?? "cluster \(group + 1)", keywords: words,
                centroid: partition.centroids.row(group),
                // Those of a cluster above others are its parts'.
                members: partition.labels[rows.first ?? 0].group == group ? rows.map { ids[$0] } : [],
                representatives: nearest[group].prefix(representativeLimit).map { ids[$0] },
                cohesion: quality.cohesions[group], parent: partition.parents[group].map { clusterIDs[$0] },
                createdAt: continued[group]?.createdAt ?? run?.createdAt ?? date,
                updatedAt: run?.createdAt ?? date)
            if let before = continued[group], keepsLabel(of: before, group, trace.origins[group]) {
                cluster.label = before.label
                (cluster.isLabelPinned, cluster.labeledBy) = (before.isLabelPinned, before.labeledBy)
            }
            cluster.separation = quality.separations[group]
            cluster.silhouette = quality.silhouettes[group]
            cluster.reach = quality.reaches[group]
            cluster.origins = trace.origins[group]
            return cluster
        }
        let sizes = Dictionary(zip(clusterIDs, members.map(\.count))) { first, _ in first }
        clusters.sort { (sizes[$1.id] ?? 0, $0.label) < (sizes[$0.id] ?? 0, $1.label) }
        let assignments = ids.indices.map { row in
            let place: Assignment.Place =
                switch partition.labels[row] {
                case .group(let group): .cluster(clusterIDs[group])
                case .outlier(let reason): .outlier(reason)
                }
            return Assignment(
                entry: ids[row], place: place, run: run?.id, similarity: partition.similarities[row],
                confidence: partition.confidences[row])
        }
        var described = run
        described?.silhouette = quality.silhouette
        described?.stability = trace.stability
        described?.vanished = trace.vanished
        return WriteBatch.Clustering(run: described, clusters: clusters, assignments: assignments)
    }

    /// A person's name stays; a labeler's as long as most members are those that it was given for.
    private func keepsLabel(of before: Cluster, _ group: Int, _ origins: [Cluster.Origin]) -> Bool {
        if before.isLabelPinned { return true }
        guard before.labeledBy != nil else { return false }
        let shared = origins.first { $0.cluster == before.id }?.shared ?? 0
        return 2 * shared > max(members[group].count, before.members.count)
    }

    /// Of clusters with members and of those above others, each kind by itself.
    private func trace(_ clusterIDs: [Cluster.ID], from previous: [Cluster]) -> ClusterLineage.Trace {
        let above = Set(partition.parents.compactMap(\.self))
        let clustersAbove = Set(previous.compactMap(\.parent))
        var result = ClusterLineage.Trace(
            origins: Array(repeating: [], count: members.count), vanished: [])
        for isAbove in [true, false] {
            let groups = members.indices.filter { above.contains($0) == isAbove }
            let found = ClusterLineage.trace(
                groups.map { members[$0].map { ids[$0] } }, groups.map { clusterIDs[$0] },
                from: previous.filter { clustersAbove.contains($0.id) == isAbove })
            for (group, origins) in zip(groups, found.origins) { result.origins[group] = origins }
            // Those above say nothing that their parts do not.
            if !isAbove { (result.vanished, result.stability) = (found.vanished, found.stability) }
        }
        return result
    }

    /// Groups continue clusters of their own kind: with members, or above others.
    private func match(_ previous: [Cluster]) -> [Cluster?] {
        let above = Set(partition.parents.compactMap(\.self))
        let clustersAbove = Set(previous.compactMap(\.parent))
        var matches = [Cluster?](repeating: nil, count: members.count)
        for isAbove in [false, true] {
            let groups = members.indices.filter { above.contains($0) == isAbove }
            let found = ClusterIdentity.match(
                groups.map { members[$0].map { ids[$0] } },
                to: previous.filter { clustersAbove.contains($0.id) == isAbove })
            for (group, cluster) in zip(groups, found) { matches[group] = cluster }
        }
        return matches
    }

    /// Clusters above others with the members of their parts.
    private static func withMembersOfParts(_ clusters: [Cluster]) -> [Cluster] {
        let parents = Dictionary(clusters.map { ($0.id, $0.parent) }) { first, _ in first }
        var members: [Cluster.ID: [Entry.ID]] = [:]
        for cluster in clusters where !cluster.members.isEmpty {
            var (next, seen) = (cluster.parent, Set([cluster.id]))
            // What a store says may go in a circle.
            while let parent = next, seen.insert(parent).inserted {
                members[parent, default: []] += cluster.members
                next = parents[parent] ?? nil
            }
        }
        return clusters.map { cluster in
            var cluster = cluster
            cluster.members += members[cluster.id] ?? []
            return cluster
        }
    }
}
