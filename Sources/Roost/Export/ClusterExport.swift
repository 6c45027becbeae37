public import Foundation
public import RoostClustering
public import RoostModel

/// The clusters of a store with the texts of their members, for other programs.
///
/// Encoded as JSON, it conforms to `Documentation/Schemas/clusters.schema.json`, and a program can decode the
/// file of `roost export clusters`. It can also be written as CSV (``csv()``).
public struct ClusterExport: Sendable, Codable {
    /// A member of a cluster, or an entry that the last run assigned to no cluster.
    public struct Member: Sendable, Codable {
        /// The id of the entry.
        public var id: String
        /// The text of the entry.
        public var content: String
        /// The cosine with the centroid of the cluster, or with the nearest centroid.
        public var similarity: Float
        /// The confidence of the assignment, 0 to 1; `nil` for an outlier.
        public var confidence: Float?
        /// The reason why the entry is in no cluster: a raw value of `Partition/OutlierReason`; `nil` for a
        /// member.
        public var reason: String?
        /// The source of the entry.
        public var source: String?
        /// The metadata of the entry.
        public var metadata: [String: MetadataValue]
        /// The tags of the entry.
        public var tags: [String]
        /// The embedding of the entry; `nil` for an outlier, and if the export omits vectors.
        public var embeddings: [Float]?
    }

    /// A cluster.
    public struct Group: Sendable, Codable {
        /// The id of the cluster.
        public var id: String
        /// The label.
        public var label: String
        /// Whether a person gave the label.
        public var pinned: Bool
        /// `true` if a person gave the label and it probably no longer fits, because fewer than half of the
        /// members at that time remain or the cluster has more than doubled; otherwise `nil`.
        public var labelOutdated: Bool?
        /// The labeler that gave the label; `nil` for a label from keywords or a person.
        public var labeledBy: String?
        /// The keywords, the most characteristic first.
        public var keywords: [String]
        /// The number of members; for a parent cluster, of all descendants.
        public var size: Int
        /// See `Cluster/cohesion`.
        public var cohesion: Float
        /// See `Cluster/separation`.
        public var separation: Float?
        /// See `Cluster/silhouette`.
        public var silhouette: Float?
        /// See `Cluster/stability`.
        public var stability: Float?
        /// The id of the parent cluster.
        public var parent: String?
        /// `true` for a topic, which is a part of the group that is its parent; otherwise `nil`.
        public var topic: Bool?
        /// The number of members that were created in each month, by `yyyy-MM`; for a parent cluster, of all
        /// descendants.
        public var months: [String: Int]
        /// The ids of the entries nearest to the centroid.
        public var representatives: [String]
        /// See `Cluster/origins`.
        public var origins: [Cluster.Origin]
        /// The creation date in ISO 8601.
        public var createdAt: String
        /// The date of the last change in ISO 8601.
        public var updatedAt: String
        /// The centroid; `nil` if the export omits vectors.
        public var centroid: [Float]?
        /// The members, nearest to the centroid first; empty for a parent cluster.
        public var members: [Member]
        /// The child clusters, largest first; `nil` for a leaf cluster.
        public var children: [Group]?

        /// The cluster and all of its descendants.
        public var all: [Group] { [self] + (children ?? []).flatMap(\.all) }
    }

    /// The version of the JSON form.
    public var schemaVersion = 1
    /// The record of the last run; `nil` if no run created the clusters.
    public var run: ClusteringRun?
    /// The relation of the clusters to those of the previous run.
    public var lineage: ClusterLineage
    /// The clusters without a parent, largest first.
    public var clusters: [Group]
    /// The entries that the last run assigned to no cluster.
    public var outliers: [Member]
    /// The number of entries that are neither in a cluster nor outliers: they were added after the run,
    /// have no vectors, or their cluster was deleted.
    public var unassignedCount: Int

    /// All clusters, each followed by its descendants.
    public var allClusters: [Group] { clusters.flatMap(\.all) }

    /// Returns the cluster with the given id, at any level of the hierarchy.
    public func cluster(_ id: Cluster.ID) -> Group? { allClusters.first { $0.id == id.text } }
}

extension ClusterExport {
    init(_ snapshot: any StorageSnapshot, withEmbeddings: Bool) async throws {
        let clusters = try await snapshot.clusters()
        let assignments = try await snapshot.assignments(of: nil)
        let entries = try await snapshot.entries(assignments.map(\.entry)).byID
        let outdated = clusters.clustersWithOutdatedLabels()
        let byCluster = Dictionary(grouping: assignments.filter { $0.cluster != nil }) { $0.cluster }
        let groups = clusters.map { cluster in
            let members = (byCluster[cluster.id] ?? []).sorted {
                ($1.similarity, $0.entry) < ($0.similarity, $1.entry)
            }
            var group = Group(cluster, members, entries, withEmbeddings: withEmbeddings)
            if outdated.contains(cluster.id) { group.labelOutdated = true }
            return group
        }
        let outliers = assignments.filter { $0.outlierReason != nil }.compactMap { assignment in
            entries[assignment.entry].map { Member($0, assignment, embeddings: nil) }
        }
        var run = try await snapshot.clusteringRun()
        let lineage = ClusterLineage(of: clusters, vanished: run?.vanished ?? [])
        // The lineage contains the clusters that disappeared.
        run?.vanished = []
        self.init(
            run: run, lineage: lineage, clusters: Self.nested(groups, clusters), outliers: outliers,
            unassignedCount: snapshot.stamp.entryCount - assignments.count)
    }

    /// Nests the groups of clusters in those of their parents, as ``ClusterForest`` does.
    private static func nested(_ groups: [Group], _ clusters: [Cluster]) -> [Group] {
        let forest = ClusterForest(clusters)
        let byID = Dictionary(zip(clusters.map(\.id), groups)) { first, _ in first }
        func nested(_ cluster: Cluster) -> Group? {
            guard var group = byID[cluster.id] else { return nil }
            let below = forest.children(of: cluster)
            guard !below.isEmpty else { return group }
            let children = largestFirst(below.compactMap(nested))
            group.size += children.reduce(0) { $0 + $1.size }
            for child in children { group.months.merge(child.months, uniquingKeysWith: +) }
            group.children = children
            return group
        }
        return largestFirst(forest.roots.compactMap(nested))
    }

    private static func largestFirst(_ groups: [Group]) -> [Group] {
        groups.sorted { ($1.size, $0.label, $0.id) < ($0.size, $1.label, $1.id) }
    }
}

extension ClusterExport.Group {
    fileprivate init(
        _ cluster: Cluster, _ members: [Assignment], _ entries: [Entry.ID: Entry], withEmbeddings: Bool
    ) {
        self.init(
            id: cluster.id.text, label: cluster.label, pinned: cluster.isLabelPinned,
            labeledBy: cluster.labeledBy, keywords: cluster.keywords, size: members.count,
            cohesion: cluster.cohesion, separation: cluster.separation, silhouette: cluster.silhouette,
            stability: cluster.stability, parent: cluster.parent?.text,
            topic: cluster.isTopic ? true : nil,
            months: MonthCounts.of(
                members.compactMap { entries[$0.entry].map { DateText.string(from: $0.createdAt) } }),
            representatives: cluster.representatives.map(\.text), origins: cluster.origins,
            createdAt: DateText.string(from: cluster.createdAt),
            updatedAt: DateText.string(from: cluster.updatedAt),
            centroid: withEmbeddings ? cluster.centroid : nil,
            members: members.compactMap { assignment in
                entries[assignment.entry].map {
                    ClusterExport.Member(
                        $0, assignment, embeddings: withEmbeddings ? $0.embeddings : nil)
                }
            })
    }
}

extension ClusterExport.Member {
    fileprivate init(_ entry: Entry, _ assignment: Assignment, embeddings: [Float]?) {
        let reason = assignment.outlierReason?.rawValue
        self.init(
            id: entry.id.text, content: entry.content, similarity: assignment.similarity,
            confidence: reason == nil ? assignment.confidence : nil, reason: reason, source: entry.source,
            metadata: entry.metadata, tags: entry.tags, embeddings: embeddings)
    }
}

extension StoreClusters {
    /// Returns the clusters with the texts of their members. All data belongs to one revision.
    ///
    /// - Parameter withEmbeddings: Whether to include the embeddings of entries and the centroids.
    /// - Throws: `StorageError`.
    @concurrent
    public func export(withEmbeddings: Bool = false) async throws -> ClusterExport {
        try await ClusterExport(try await storage.snapshot(), withEmbeddings: withEmbeddings)
    }
}

extension ClusterExport {
    /// The export as CSV (RFC 4180), with one row for each member and each outlier: `id`, `cluster`, `label`,
    /// `path` (the labels of the ancestors and of the cluster, joined by ` > `), `similarity`, `confidence`,
    /// `outlier` (the reason), `source`, `tags` (joined by `;`), `content`. Texts that a spreadsheet would
    /// run as formulas begin with an apostrophe.
    public func csv() -> Data {
        var lines = ["id,cluster,label,path,similarity,confidence,outlier,source,tags,content"]
        func text(_ text: String) -> String { DelimitedLine.escapingFormula(text) }
        func add(_ member: Member, _ cluster: [String]) {
            lines.append(
                DelimitedLine.csv(
                    [member.id] + cluster + [
                        "\(member.similarity)", "\(member.confidence ?? 0)", member.reason ?? "",
                        text(member.source ?? ""), text(member.tags.joined(separator: ";")),
                        text(member.content),
                    ]))
        }
        func walk(_ group: Group, _ path: [String]) {
            let path = path + [group.label]
            for member in group.members {
                add(member, [group.id, text(group.label), text(path.joined(separator: " > "))])
            }
            for child in group.children ?? [] { walk(child, path) }
        }
        for cluster in clusters { walk(cluster, []) }
        for outlier in outliers { add(outlier, ["", "", ""]) }
        return Data((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }
}

package enum MonthCounts {
    /// Returns the number of dates in each month, by `yyyy-MM`.
    ///
    /// - Parameter dates: Dates in ISO 8601.
    package static func of(_ dates: [String]) -> [String: Int] {
        Dictionary(dates.map { (String($0.prefix(7)), 1) }, uniquingKeysWith: +)
    }
}
