public import Foundation

/// A group of entries with a name.
public struct Cluster: Sendable, Hashable, Identifiable {
    public typealias ID = UUID

    /// What an earlier cluster has to do with this one.
    public struct Origin: Sendable, Hashable, Codable {
        public var cluster: Cluster.ID
        public var label: String
        /// How many members it had.
        public var size: Int
        /// How many of those are in some cluster now.
        public var remaining: Int
        /// How many of those are in this one.
        public var shared: Int

        public init(cluster: Cluster.ID, label: String, size: Int, remaining: Int, shared: Int) {
            (self.cluster, self.label, self.size) = (cluster, label, size)
            (self.remaining, self.shared) = (remaining, shared)
        }

        public static func == (left: Origin, right: Origin) -> Bool {
            left.cluster == right.cluster && ExactText.areSame(left.label, right.label)
                && (left.size, left.remaining, left.shared) == (right.size, right.remaining, right.shared)
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(cluster.text, forKey: .cluster)
            try container.encode(label, forKey: .label)
            try container.encode(size, forKey: .size)
            try container.encode(remaining, forKey: .remaining)
            try container.encode(shared, forKey: .shared)
        }

        enum CodingKeys: String, CodingKey { case cluster, label, size, remaining, shared }
    }

    /// Kept from run to run while most members stay.
    public var id: UUID
    public var label: String
    /// Whether a person gave the label: runs keep it as long as they keep the cluster.
    public var isLabelPinned = false
    /// The labeler that gave the label (``ClusterLabeler/name``); `nil` where keywords or a person did. Runs
    /// keep such a label while most members are those of before.
    public var labeledBy: String?
    /// The words that tell this cluster from the others, most telling first.
    public var keywords: [String]
    /// The mean direction of its members: unit length; empty where nobody computed one.
    public var centroid: [Float]
    /// The entries assigned to it. Filled on fetch from the assignments, in the order of the store's rows.
    public var members: [Entry.ID]
    /// The members nearest the centroid, nearest first.
    public var representatives: [Entry.ID]
    /// The mean cosine of its members with the centroid, -1 to 1.
    public var cohesion: Float
    /// How far the nearest other centroid is: one less the cosine with it, 0 to 2; `nil` where there is none
    /// or nobody measured it.
    public var separation: Float?
    /// The mean silhouette of its members, -1 to 1, by cosine distances (Rousseeuw 1987); `nil` where there
    /// is one cluster only or nobody measured it.
    public var silhouette: Float?
    /// Nineteen of twenty members are at least as near to the centroid: an entry that comes later and is so
    /// near is put here. `nil` where nobody measured it.
    public var reach: Float?
    /// The cluster that contains this one in a hierarchy. One that contains others has no members of its
    /// own: they are those of its parts.
    public var parent: Cluster.ID?
    /// The clusters from which it came when it was last made: that of the same id, where it continues one,
    /// and those that it took much of.
    public var origins: [Origin] = []
    public var createdAt: Date {
        didSet { createdAt = createdAt.wholeMilliseconds }
    }
    public var updatedAt: Date {
        didSet { updatedAt = updatedAt.wholeMilliseconds }
    }

    /// Of the members that it had before it was last made, and that are in some cluster now, the share that
    /// are in it still, 0 to 1; `nil` where it is new.
    public var stability: Float? {
        guard let before = origins.first(where: { $0.cluster == id }), before.remaining > 0 else {
            return nil
        }
        return Float(before.shared) / Float(before.remaining)
    }

    public init(
        id: UUID = UUID(), label: String, keywords: [String] = [], centroid: [Float] = [],
        members: [Entry.ID] = [], representatives: [Entry.ID] = [], cohesion: Float = 0,
        parent: Cluster.ID? = nil, createdAt: Date = Date(), updatedAt: Date? = nil
    ) {
        self.id = id
        self.label = label
        self.keywords = keywords
        self.centroid = centroid
        self.members = members
        self.representatives = representatives
        self.cohesion = cohesion
        self.parent = parent
        self.createdAt = createdAt.wholeMilliseconds
        self.updatedAt = (updatedAt ?? createdAt).wholeMilliseconds
    }

    /// Clusters are equal where they would be stored as the same bytes.
    public static func == (left: Cluster, right: Cluster) -> Bool {
        left.id == right.id && ExactText.areSame(left.label, right.label)
            && left.keywords.elementsEqual(right.keywords, by: ExactText.areSame)
            && left.centroid == right.centroid && left.members == right.members
            && left.isLabelPinned == right.isLabelPinned
            && ExactText.areSame(left.labeledBy, right.labeledBy)
            && left.representatives == right.representatives && left.cohesion == right.cohesion
            && left.separation == right.separation && left.silhouette == right.silhouette
            && left.reach == right.reach && left.parent == right.parent && left.origins == right.origins
            && left.createdAt == right.createdAt && left.updatedAt == right.updatedAt
    }
}

/// The JSON form of a cluster, as `clusters.json` has it. `id` and `label` are enough to read one.
extension Cluster: Codable {
    enum CodingKeys: String, CodingKey {
        case id, label, pinned, labeledBy, keywords, centroid, members, representatives, cohesion, separation
        case silhouette, reach, parent, origins, createdAt, updatedAt
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
        labeledBy = try container.decodeIfPresent(String.self, forKey: .labeledBy)
        separation = try container.decodeIfPresent(Float.self, forKey: .separation)
        silhouette = try container.decodeIfPresent(Float.self, forKey: .silhouette)
        reach = try container.decodeIfPresent(Float.self, forKey: .reach)
        origins = try container.decodeIfPresent([Origin].self, forKey: .origins) ?? []
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id.text, forKey: .id)
        try container.encode(label, forKey: .label)
        if isLabelPinned { try container.encode(true, forKey: .pinned) }
        try container.encodeIfPresent(labeledBy, forKey: .labeledBy)
        try container.encode(keywords, forKey: .keywords)
        if encoder.userInfo[.omitsVectors] as? Bool != true {
            try container.encode(centroid, forKey: .centroid)
        }
        try container.encode(members.map(\.text), forKey: .members)
        try container.encode(representatives.map(\.text), forKey: .representatives)
        try container.encode(cohesion, forKey: .cohesion)
        try container.encodeIfPresent(separation, forKey: .separation)
        try container.encodeIfPresent(silhouette, forKey: .silhouette)
        try container.encodeIfPresent(reach, forKey: .reach)
        try container.encodeIfPresent(parent?.text, forKey: .parent)
        if !origins.isEmpty { try container.encode(origins, forKey: .origins) }
        try container.encode(DateText.string(from: createdAt), forKey: .createdAt)
        try container.encode(DateText.string(from: updatedAt), forKey: .updatedAt)
    }
}
