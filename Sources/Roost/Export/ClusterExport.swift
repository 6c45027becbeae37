public import Foundation
public import RoostClustering
public import RoostModel

/// The document that `roost export clusters` writes. Its JSON Schema is
/// `Documentation/Schemas/clusters.schema.json`.
public struct ClusterExport: Sendable, Encodable {
    public struct Member: Sendable, Encodable {
        public var id: String
        public var content: String
        public var similarity: Float
        public var confidence: Float
        public var source: String?
        public var metadata: [String: MetadataValue]
        public var tags: [String]
        public var embeddings: [Float]?
    }

    public struct Group: Sendable, Encodable {
        public var id: String
        public var label: String
        public var pinned: Bool
        public var labeledBy: String?
        public var keywords: [String]
        /// Of a cluster above others, that of its parts together.
        public var size: Int
        public var cohesion: Float
        public var separation: Float?
        public var silhouette: Float?
        public var stability: Float?
        public var parent: String?
        public var representatives: [String]
        /// See ``Cluster/origins``.
        public var origins: [Cluster.Origin]
        public var createdAt: String
        public var updatedAt: String
        public var centroid: [Float]?
        /// Nearest the centroid first; none where there are children.
        public var members: [Member]
        /// The clusters that it is made of, largest first; `nil` where it has members.
        public var children: [Group]?

        /// It and all below it.
        public var all: [Group] { [self] + (children ?? []).flatMap(\.all) }
    }

    public struct Outlier: Sendable, Encodable {
        public var id: String
        public var content: String
        public var reason: String
        public var similarity: Float
        public var source: String?
        public var metadata: [String: MetadataValue]
        public var tags: [String]
    }

    public struct Run: Sendable, Encodable {
        public var id: String
        public var algorithm: String
        public var parameters: [String: MetadataValue]
        public var seed: UInt64
        public var stamp: Stamp
        public var dataDigest: String?
        public var silhouette: Double?
        public var stability: Double?
        public var createdAt: String
    }

    /// ``ClusterLineage`` as JSON.
    public struct Lineage: Sendable, Encodable {
        public struct Side: Sendable, Encodable {
            public var id: String
            public var label: String
            public var size: Int

            init(_ side: ClusterLineage.Side) { (id, label, size) = (side.id.text, side.label, side.size) }
        }

        public struct Event: Sendable, Encodable {
            public var kind: String
            public var before: [Side]
            public var after: [Side]
        }

        public struct Continuation: Sendable, Encodable {
            public var id: String
            public var label: String
            public var sizeBefore: Int
            public var size: Int
            public var kept: Int
        }

        public var events: [Event]
        public var continued: [Continuation]

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

    /// 2 since clusters of a hierarchy are nested.
    public var schemaVersion = 2
    /// `null` where no run made the clusters.
    public var run: Run?
    public var lineage: Lineage
    /// Those that are in no other, largest first.
    public var clusters: [Group]
    public var outliers: [Outlier]
    /// How many entries are neither in a cluster nor outliers: they came after the run, or have no vectors.
    public var unassignedCount: Int

    /// All clusters, each followed by those below it.
    public var allClusters: [Group] { clusters.flatMap(\.all) }

    /// The cluster of an id, wherever in the hierarchy.
    public func cluster(_ id: Cluster.ID) -> Group? { allClusters.first { $0.id == id.text } }
}

extension KnowledgeStore {
    /// The clusters with their members' texts, of one revision.
    public func exportClusters(withEmbeddings: Bool = false) async throws -> ClusterExport {
        let snapshot = try await storage.snapshot()
        let clusters = try await snapshot.clusters()
        let assignments = try await snapshot.assignments(of: nil)
        let entries = Dictionary(
            try await snapshot.entries(assignments.map(\.entry)).map { ($0.id, $0) }
        ) { first, _ in first }
        let byCluster = Dictionary(grouping: assignments.filter { $0.cluster != nil }) { $0.cluster }
        let groups = clusters.map { cluster in
            let members = (byCluster[cluster.id] ?? []).sorted {
                ($1.similarity, $0.entry.uuidString) < ($0.similarity, $1.entry.uuidString)
            }
            return ClusterExport.Group(
                id: cluster.id.text, label: cluster.label, pinned: cluster.isLabelPinned,
                labeledBy: cluster.labeledBy, keywords: cluster.keywords, size: members.count,
                cohesion: cluster.cohesion,
                separation: cluster.separation, silhouette: cluster.silhouette, stability: cluster.stability,
                parent: cluster.parent?.text,
                representatives: cluster.representatives.map(\.text), origins: cluster.origins,
                createdAt: DateText.string(from: cluster.createdAt),
                updatedAt: DateText.string(from: cluster.updatedAt),
                centroid: withEmbeddings ? cluster.centroid : nil,
                members: members.compactMap { assignment in
                    entries[assignment.entry].map { entry in
                        ClusterExport.Member(
                            id: entry.id.text, content: entry.content, similarity: assignment.similarity,
                            confidence: assignment.confidence, source: entry.source, metadata: entry.metadata,
                            tags: entry.tags, embeddings: withEmbeddings ? entry.embeddings : nil)
                    }
                })
        }
        let outliers = assignments.compactMap { assignment -> ClusterExport.Outlier? in
            guard let reason = assignment.outlierReason, let entry = entries[assignment.entry] else {
                return nil
            }
            return ClusterExport.Outlier(
                id: entry.id.text, content: entry.content, reason: reason.rawValue,
                similarity: assignment.similarity,
                source: entry.source, metadata: entry.metadata, tags: entry.tags)
        }
        let run = try await snapshot.clusteringRun()
        return ClusterExport(
            run: run.map {
                ClusterExport.Run(
                    id: $0.id.text, algorithm: $0.algorithm, parameters: $0.parameters, seed: $0.seed,
                    stamp: $0.stamp, dataDigest: $0.dataDigest, silhouette: $0.silhouette,
                    stability: $0.stability, createdAt: DateText.string(from: $0.createdAt))
            },
            lineage: .init(ClusterLineage(of: clusters, vanished: run?.vanished ?? [])),
            clusters: Self.nested(groups), outliers: outliers,
            unassignedCount: snapshot.stamp.entryCount - assignments.count)
    }

    /// Clusters in those that contain them. One that says that it is below itself is at the top.
    private static func nested(_ groups: [ClusterExport.Group]) -> [ClusterExport.Group] {
        let parents = Dictionary(groups.map { ($0.id, $0.parent) }) { first, _ in first }
        func isRoot(_ group: ClusterExport.Group) -> Bool {
            var (next, seen) = (group.parent, Set([group.id]))
            guard let parent = next, parents[parent] != nil else { return true }
            while let parent = next {
                guard seen.insert(parent).inserted else { return true }
                next = parents[parent] ?? nil
            }
            return false
        }
        let roots = groups.filter(isRoot)
        let rootIDs = Set(roots.map(\.id))
        let children = Dictionary(grouping: groups.filter { !rootIDs.contains($0.id) }) { $0.parent ?? "" }
        func filled(_ group: ClusterExport.Group) -> ClusterExport.Group {
            guard let below = children[group.id] else { return group }
            var group = group
            let parts = below.map(filled).sorted { ($1.size, $0.label, $0.id) < ($0.size, $1.label, $1.id) }
            group.size += parts.reduce(0) { $0 + $1.size }
            group.children = parts
            return group
        }
        return roots.map(filled).sorted { ($1.size, $0.label, $0.id) < ($0.size, $1.label, $1.id) }
    }
}
