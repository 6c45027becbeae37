public import Foundation

/// A group of entries with a name.
public struct Cluster: Sendable, Hashable, Identifiable {
    public typealias ID = UUID

    /// Kept from run to run while most members stay.
    public var id: UUID
    public var label: String
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
    /// The cluster that contains this one in a hierarchy.
    public var parent: Cluster.ID?
    public var createdAt: Date {
        didSet { createdAt = createdAt.wholeMilliseconds }
    }
    public var updatedAt: Date {
        didSet { updatedAt = updatedAt.wholeMilliseconds }
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
            && left.representatives == right.representatives && left.cohesion == right.cohesion
            && left.parent == right.parent && left.createdAt == right.createdAt
            && left.updatedAt == right.updatedAt
    }
}

/// The JSON form of a cluster, as `clusters.json` has it. `id` and `label` are enough to read one.
extension Cluster: Codable {
    enum CodingKeys: String, CodingKey {
        case id, label, keywords, centroid, members, representatives, cohesion, parent, createdAt, updatedAt
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
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id.text, forKey: .id)
        try container.encode(label, forKey: .label)
        try container.encode(keywords, forKey: .keywords)
        if encoder.userInfo[.omitsVectors] as? Bool != true {
            try container.encode(centroid, forKey: .centroid)
        }
        try container.encode(members.map(\.text), forKey: .members)
        try container.encode(representatives.map(\.text), forKey: .representatives)
        try container.encode(cohesion, forKey: .cohesion)
        try container.encodeIfPresent(parent?.text, forKey: .parent)
        try container.encode(DateText.string(from: createdAt), forKey: .createdAt)
        try container.encode(DateText.string(from: updatedAt), forKey: .updatedAt)
    }
}
