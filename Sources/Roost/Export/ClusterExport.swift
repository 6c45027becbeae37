import Foundation
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
        public var keywords: [String]
        public var size: Int
        public var cohesion: Float
        public var parent: String?
        public var representatives: [String]
        public var createdAt: String
        public var updatedAt: String
        public var centroid: [Float]?
        /// Nearest the centroid first.
        public var members: [Member]
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
        public var createdAt: String
    }

    public var schemaVersion = 1
    /// `null` where no run made the clusters.
    public var run: Run?
    public var clusters: [Group]
    public var outliers: [Outlier]
    /// How many entries are neither in a cluster nor outliers: they came after the run, or have no vectors.
    public var unassignedCount: Int
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
                id: cluster.id.text, label: cluster.label, keywords: cluster.keywords, size: members.count,
                cohesion: cluster.cohesion, parent: cluster.parent?.text,
                representatives: cluster.representatives.map(\.text),
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
        let run = try await snapshot.clusteringRun().map {
            ClusterExport.Run(
                id: $0.id.text, algorithm: $0.algorithm, parameters: $0.parameters, seed: $0.seed,
                stamp: $0.stamp,
                createdAt: DateText.string(from: $0.createdAt))
        }
        return ClusterExport(
            run: run, clusters: groups, outliers: outliers,
            unassignedCount: snapshot.stamp.entryCount - assignments.count)
    }
}
