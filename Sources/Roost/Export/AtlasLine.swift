import Foundation
import RoostModel

/// A line of a map for Embedding Atlas, which colors and filters the entries by the values of its keys.
struct AtlasLine: Encodable {
    var point: ClusterMap.Point
    /// The label of the cluster; empty for an entry in no cluster.
    var label: String

    private struct Key: CodingKey, Hashable {
        var stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    private struct Neighbors: Encodable {
        var ids: [Int]
        var distances: [Float]
    }

    /// The keys that every line has. Metadata with one of these keys gets a prefix.
    private static let ownKeys: Set<String> = [
        "id", "x", "y", "text", "cluster", "tags", "created", "neighbors",
    ]
    /// The metadata that no person wants to see as a color.
    private static let omittedKeys = Set(DocumentKey.all).subtracting([DocumentKey.title])
    private static let separator = "; "

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(point.id.text, forKey: Key("id"))
        try container.encode(point.x, forKey: Key("x"))
        try container.encode(point.y, forKey: Key("y"))
        try container.encode(point.text, forKey: Key("text"))
        try container.encode(label, forKey: Key("cluster"))
        try container.encode(point.tags.joined(separator: Self.separator), forKey: Key("tags"))
        let created = point.createdAt.map { DateText.string(from: $0) }
        try container.encodeIfPresent(created, forKey: Key("created"))
        try container.encode(
            Neighbors(ids: point.neighbors.map(\.point), distances: point.neighbors.map(\.distance)),
            forKey: Key("neighbors"))
        // The order decides which of the keys `id` and `metadata.id` is written, if an entry has both.
        for (name, value) in point.metadata.sorted(by: { $0.key < $1.key })
        where !Self.omittedKeys.contains(name) {
            let key = Key(Self.ownKeys.contains(name) ? "metadata.\(name)" : name)
            switch value {
            case .null: break
            case .number, .integer, .bool, .string: try container.encode(value, forKey: key)
            default:
                let texts = value.comparableTexts
                if !texts.isEmpty {
                    try container.encode(texts.joined(separator: Self.separator), forKey: key)
                }
            }
        }
    }
}
