public import Foundation

/// A group of similar entries with a label. A new run keeps the id of a cluster if it keeps most of the
/// cluster's members.
public struct Cluster: Sendable, Hashable, Identifiable {
    /// The id of a cluster.
    public typealias ID = UUID

    /// An earlier cluster from which members of the present cluster came. Stores reject counts that are
    /// negative or at least 2^32.
    public struct Origin: Sendable, Hashable, Codable {
        /// The id of the earlier cluster.
        public var cluster: Cluster.ID
        /// The label of the earlier cluster.
        public var label: String
        /// The number of members of the earlier cluster.
        public var size: Int
        /// The number of members of the earlier cluster that are in any cluster now.
        public var remaining: Int
        /// The number of members of the earlier cluster that are in the present cluster now.
        public var shared: Int

        /// Creates an origin.
        public init(cluster: Cluster.ID, label: String, size: Int, remaining: Int, shared: Int) {
            (self.cluster, self.label, self.size) = (cluster, label, size)
            (self.remaining, self.shared) = (remaining, shared)
        }

        public static func == (left: Origin, right: Origin) -> Bool {
            left.cluster == right.cluster && ExactText.areSame(left.label, right.label)
                && (left.size, left.remaining, left.shared) == (right.size, right.remaining, right.shared)
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                cluster: try container.decode(Cluster.ID.self, forKey: .cluster),
                label: try container.decode(String.self, forKey: .label),
                size: try container.decodeCount(forKey: .size),
                remaining: try container.decodeCount(forKey: .remaining),
                shared: try container.decodeCount(forKey: .shared))
        }
    }

    /// The id of the cluster.
    public var id: UUID
    /// The human-readable name of the cluster.
    public var label: String
    /// Whether a person set the label. Runs keep such a label for as long as the cluster exists.
    public var isLabelPinned = false
    /// A record of the members that the cluster had when a person set the label; `nil` if no person did.
    public var labelPin: LabelPin?
    /// The name of the labeler that provided the label (``ClusterLabeler/name``); `nil` if the label was set
    /// by a person or consists of keywords. Runs keep a labeler's label as long as most members stay in the
    /// cluster.
    public var labeledBy: String?
    /// The words that distinguish this cluster from the others, the most distinctive first.
    public var keywords: [String]
    /// The normalized mean of the members' embeddings; empty if it was not computed.
    public var centroid: [Float]
    /// The entries that are assigned to the cluster, in ascending order of rows. Stores derive this list from
    /// the assignments.
    public var members: [Entry.ID]
    /// The members nearest to the centroid, nearest first.
    public var representatives: [Entry.ID]
    /// The mean cosine similarity of the members to the centroid, from -1 to 1.
    public var cohesion: Float
    /// The cosine distance to the nearest centroid of another cluster, from 0 to 2; `nil` if there is no
    /// other cluster, or if the distance was not computed.
    public var separation: Float?
    /// The mean silhouette of the members (Rousseeuw 1987), based on cosine distances, from -1 to 1; `nil` if
    /// there is no other cluster, or if the silhouette was not computed.
    public var silhouette: Float?
    /// The share of subsamples of the entries in which clustering finds the cluster again, from 0 to 1; `nil`
    /// for a cluster that a person edited, or if the share was not computed.
    ///
    /// A cluster is found again in a subsample if the Jaccard index of its members and those of the most
    /// similar cluster of the subsample is at least 1/2, counting only entries of the subsample (Hennig
    /// 2007).
    public var stability: Float?
    /// The minimum similarity to the centroid that a new entry needs to join the cluster: the 5th percentile
    /// of the members' similarities; `nil` if it was not computed.
    public var assignmentThreshold: Float?
    /// The cluster that contains this one in a hierarchy. Only the leaves of the hierarchy have members.
    public var parent: Cluster.ID?
    /// Whether the cluster is a topic, which is a part of the group that is its parent. All other clusters are
    /// groups, or contain groups.
    public var isTopic = false
    /// The clusters that the members were in before the latest run. The list contains the earlier cluster
    /// with the same id, and the clusters that contributed many members.
    public var origins: [Origin] = []
    /// The date at which the cluster was created, to the millisecond.
    public var createdAt: Date { didSet { createdAt = createdAt.wholeMilliseconds } }
    /// The date of the latest change of the cluster, to the millisecond.
    public var updatedAt: Date { didSet { updatedAt = updatedAt.wholeMilliseconds } }

    /// Creates a cluster. `updatedAt` is `createdAt` by default.
    public init(
        id: UUID = UUID(), label: String, keywords: [String] = [], centroid: [Float] = [],
        members: [Entry.ID] = [], representatives: [Entry.ID] = [], cohesion: Float = 0,
        parent: Cluster.ID? = nil, createdAt: Date = Date(), updatedAt: Date? = nil
    ) {
        (self.id, self.label, self.keywords, self.centroid) = (id, label, keywords, centroid)
        (self.members, self.representatives, self.cohesion) = (members, representatives, cohesion)
        self.parent = parent
        self.createdAt = createdAt.wholeMilliseconds
        self.updatedAt = (updatedAt ?? createdAt).wholeMilliseconds
    }

    /// Returns whether two clusters are equal. Strings are compared byte by byte, so different Unicode
    /// normalizations of the same text are not equal.
    public static func == (left: Cluster, right: Cluster) -> Bool {
        left.id == right.id && ExactText.areSame(left.label, right.label)
            && left.keywords.elementsEqual(right.keywords, by: ExactText.areSame)
            && left.centroid == right.centroid && left.members == right.members
            && left.isLabelPinned == right.isLabelPinned && left.labelPin == right.labelPin
            && ExactText.areSame(left.labeledBy, right.labeledBy)
            && left.representatives == right.representatives && left.cohesion == right.cohesion
            && left.separation == right.separation && left.silhouette == right.silhouette
            && left.stability == right.stability
            && left.assignmentThreshold == right.assignmentThreshold && left.parent == right.parent
            && left.isTopic == right.isTopic
            && left.origins == right.origins
            && left.createdAt == right.createdAt && left.updatedAt == right.updatedAt
    }
}

/// The JSON form of a cluster in `clusters.json` and in exports. When a cluster is read, only `id` is
/// required.
extension Cluster: Codable {
    enum CodingKeys: String, CodingKey {
        case id, label, pinned, labelPin, labeledBy, keywords, centroid, members, representatives, cohesion
        case separation, silhouette, stability, parent, topic, origins, createdAt, updatedAt
        case assignmentThreshold = "reach"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let created =
            try container.decodeDateIfPresent(forKey: .createdAt)
            ?? decoder.userInfo[.defaultDate] as? Date ?? Date(milliseconds: 0)
        self.init(
            id: try container.decode(UUID.self, forKey: .id),
            label: try container.decodeIfPresent(String.self, forKey: .label) ?? "",
            keywords: try container.decodeIfPresent([String].self, forKey: .keywords) ?? [],
            centroid: try container.decodeIfPresent([Float].self, forKey: .centroid) ?? [],
            members: try container.decodeIfPresent([UUID].self, forKey: .members) ?? [],
            representatives: try container.decodeIfPresent([UUID].self, forKey: .representatives) ?? [],
            cohesion: try container.decodeIfPresent(Float.self, forKey: .cohesion) ?? 0,
            parent: try container.decodeIfPresent(UUID.self, forKey: .parent),
            createdAt: created, updatedAt: try container.decodeDateIfPresent(forKey: .updatedAt))
        isLabelPinned = try container.decodeIfPresent(Bool.self, forKey: .pinned) ?? false
        isTopic = try container.decodeIfPresent(Bool.self, forKey: .topic) ?? false
        labelPin = try container.decodeIfPresent(LabelPin.self, forKey: .labelPin)
        labeledBy = try container.decodeIfPresent(String.self, forKey: .labeledBy)
        separation = try container.decodeIfPresent(Float.self, forKey: .separation)
        silhouette = try container.decodeIfPresent(Float.self, forKey: .silhouette)
        stability = try container.decodeIfPresent(Float.self, forKey: .stability)
        assignmentThreshold = try container.decodeIfPresent(Float.self, forKey: .assignmentThreshold)
        origins = try container.decodeIfPresent([Origin].self, forKey: .origins) ?? []
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(label, forKey: .label)
        if isLabelPinned { try container.encode(true, forKey: .pinned) }
        try container.encodeIfPresent(labelPin, forKey: .labelPin)
        try container.encodeIfPresent(labeledBy, forKey: .labeledBy)
        try container.encode(keywords, forKey: .keywords)
        try container.encode(centroid, forKey: .centroid)
        try container.encode(members, forKey: .members)
        try container.encode(representatives, forKey: .representatives)
        try container.encode(cohesion, forKey: .cohesion)
        try container.encodeIfPresent(separation, forKey: .separation)
        try container.encodeIfPresent(silhouette, forKey: .silhouette)
        try container.encodeIfPresent(stability, forKey: .stability)
        try container.encodeIfPresent(assignmentThreshold, forKey: .assignmentThreshold)
        try container.encodeIfPresent(parent, forKey: .parent)
        if isTopic { try container.encode(true, forKey: .topic) }
        try container.encode(origins, forKey: .origins)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(updatedAt, forKey: .updatedAt)
    }
}

extension Cluster {
    /// Describes the members that a cluster had when a person labeled it. It is used to detect that the label
    /// no longer fits.
    public struct LabelPin: Sendable, Hashable, Codable {
        /// The maximum number of ids in ``sample``. From 100 ids, the share of members that have remained can
        /// be estimated with a standard error of at most 5 percentage points.
        public static let sampleLimit = 100

        /// The number of members that the cluster had when it was labeled, from 0 to 2^32 - 1. Stores reject
        /// other numbers.
        public var size: Int
        /// The ids of members that the cluster had when it was labeled, in ascending order. Up to
        /// ``sampleLimit`` members, the sample contains all of them.
        public var sample: [Entry.ID]

        /// Creates a pin for the current members of a cluster. The sample consists of the lowest ids: because ids are random numbers or digests, the sample is
        /// independent of the contents of the entries.
        public init(of members: [Entry.ID]) {
            size = members.count
            sample = Array(members.sorted().prefix(Self.sampleLimit))
        }

        /// Returns whether the label probably no longer fits: fewer than half of the members remain, or the
        /// cluster has more than doubled.
        ///
        /// - Parameter members: The current members of the cluster.
        public func isOutdated(for members: [Entry.ID]) -> Bool {
            if Double(members.count) > 2 * Double(size) { return true }
            guard !sample.isEmpty else { return false }
            let present = Set(members)
            return 2 * sample.count { present.contains($0) } < sample.count
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            size = try container.decodeCount(forKey: .size)
            sample = try container.decode([Entry.ID].self, forKey: .sample)
        }
    }
}

extension Sequence where Element == Cluster {
    /// Returns the members of each cluster in a hierarchy. The members of a parent cluster include those of
    /// all its descendants.
    ///
    /// - Precondition: The clusters include their members.
    package func membersByCluster() -> [Cluster.ID: [Entry.ID]] {
        let parents = Dictionary(map { ($0.id, $0.parent) }) { first, _ in first }
        var members: [Cluster.ID: [Entry.ID]] = [:]
        for cluster in self {
            members[cluster.id, default: []] += cluster.members
            var (next, seen) = (cluster.parent, Set([cluster.id]))
            // In a damaged store, the parent references may form a cycle.
            while let parent = next, seen.insert(parent).inserted {
                members[parent, default: []] += cluster.members
                next = parents[parent] ?? nil
            }
        }
        return members
    }

    /// Returns the ids of the clusters whose label was set by a person and probably no longer fits.
    ///
    /// - Precondition: The clusters include their members.
    public func clustersWithOutdatedLabels() -> Set<Cluster.ID> {
        guard contains(where: { $0.labelPin != nil }) else { return [] }
        let members = membersByCluster()
        return Set(
            lazy.filter { cluster in
                cluster.isLabelPinned && cluster.labelPin?.isOutdated(for: members[cluster.id] ?? []) == true
            }.map(\.id))
    }
}
