public import Foundation
public import RoostClustering
public import RoostModel

/// The clusters of a store with the texts of their members, for other programs.
///
/// Encoded as JSON, it conforms to `Documentation/Schemas/clusters.schema.json`, and a program can decode the
/// file of `roost export clusters`. It can also be written as CSV (``csv``) and Markdown
/// (``markdown(members:)``).
public struct ClusterExport: Sendable, Codable {
    /// An entry that is a member of a cluster.
    public struct Member: Sendable, Codable {
        /// The id of the entry.
        public var id: String
        /// The text of the entry.
        public var content: String
        /// The cosine with the centroid of the cluster.
        public var similarity: Float
        /// The confidence of the assignment, 0 to 1.
        public var confidence: Float
        /// The source of the entry.
        public var source: String?
        /// The metadata of the entry.
        public var metadata: [String: MetadataValue]
        /// The tags of the entry.
        public var tags: [String]
        /// The embedding of the entry; `nil` if the export omits vectors.
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

    /// An entry that the last run assigned to no cluster.
    public struct Outlier: Sendable, Codable {
        /// The id of the entry.
        public var id: String
        /// The text of the entry.
        public var content: String
        /// The reason: a raw value of `Partition/OutlierReason`.
        public var reason: String
        /// The cosine with the nearest centroid.
        public var similarity: Float
        /// The source of the entry.
        public var source: String?
        /// The metadata of the entry.
        public var metadata: [String: MetadataValue]
        /// The tags of the entry.
        public var tags: [String]
    }

    /// The record of the last run. See `ClusteringRun`.
    public struct Run: Sendable, Codable {
        /// The id of the run.
        public var id: String
        /// The name of the algorithm.
        public var algorithm: String
        /// The parameters that were given, and the values that the algorithm chose.
        public var parameters: [String: MetadataValue]
        /// The seed of the algorithm's random choices.
        public var seed: UInt64
        /// The state of the store that was clustered.
        public var stamp: Stamp
        /// The digest of the ids and vectors that were clustered.
        public var dataDigest: String?
        /// The mean silhouette of all clustered entries.
        public var silhouette: Double?
        /// See `ClusteringRun/stability`.
        public var stability: Double?
        /// The date of the run in ISO 8601.
        public var createdAt: String
    }

    /// The relation of the clusters to those of the previous run. See `ClusterLineage`.
    public struct Lineage: Sendable, Codable {
        /// A cluster before or after the run.
        public struct Side: Sendable, Codable {
            /// The id of the cluster.
            public var id: String
            /// The label at that time.
            public var label: String
            /// The number of members at that time.
            public var size: Int

            init(_ side: ClusterLineage.Side) { (id, label, size) = (side.id.text, side.label, side.size) }
        }

        /// A birth, death, split or merge.
        public struct Event: Sendable, Codable {
            /// The kind: a raw value of `ClusterLineage/Kind`.
            public var kind: String
            /// The clusters before the run.
            public var before: [Side]
            /// The clusters after the run.
            public var after: [Side]
        }

        /// A cluster that exists both before and after the run.
        public struct Continuation: Sendable, Codable {
            /// The id of the cluster.
            public var id: String
            /// The current label.
            public var label: String
            /// The number of members before the run.
            public var sizeBefore: Int
            /// The number of members after the run.
            public var size: Int
            /// The number of current members that were already members before the run.
            public var kept: Int
        }

        /// Births, deaths, splits and merges, in this order.
        public var events: [Event]
        /// The clusters that continue, largest first.
        public var continued: [Continuation]

        /// Creates the JSON form of a lineage.
        public init(_ lineage: ClusterLineage) {
            events = lineage.events.map {
                Event(
                    kind: $0.kind.rawValue, before: $0.before.map(Side.init), after: $0.after.map(Side.init))
            }
            continued = lineage.continued.map {
                Continuation(
                    id: $0.id.text, label: $0.label, sizeBefore: $0.sizeBefore, size: $0.size, kept: $0.kept)
            }
        }
    }

    /// The version of the JSON form.
    public var schemaVersion = 1
    /// The record of the last run; `nil` if no run created the clusters.
    public var run: Run?
    /// The relation of the clusters to those of the previous run.
    public var lineage: Lineage
    /// The clusters without a parent, largest first.
    public var clusters: [Group]
    /// The entries that the last run assigned to no cluster.
    public var outliers: [Outlier]
    /// The number of entries that are neither in a cluster nor outliers: they were added after the run,
    /// have no vectors, or their cluster was deleted.
    public var unassignedCount: Int

    /// All clusters, each followed by its descendants.
    public var allClusters: [Group] { clusters.flatMap(\.all) }

    /// Returns the cluster with the given id, at any level of the hierarchy.
    public func cluster(_ id: Cluster.ID) -> Group? { allClusters.first { $0.id == id.text } }
}
