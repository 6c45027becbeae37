import Foundation
import RoostModel

/// One value of an entry that filters compare: its source, a tag, or a metadata value.
struct Attribute: Hashable {
    /// The digest of the field: the source, the tags, or a metadata key.
    let name: UUID
    /// The digest of the value; ``noValue`` if the metadata value cannot be compared.
    let value: UUID
    let text: [UInt8]?

    static let source = Stored.shortDigest(.source, "")
    /// The digest of the tags as a field.
    static let tag = Stored.shortDigest(.tag, "")
    /// The value of a metadata key without comparable texts, such as an object.
    static let noValue = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    static func metadata(_ key: String) -> UUID { Stored.shortDigest(.metadataKey, key) }

    static func value(_ text: String) -> UUID { Stored.shortDigest(.value, text) }

    private init(_ name: UUID, _ text: String?) {
        self.name = name
        value = text.map(Self.value) ?? Self.noValue
        self.text = text.map { Array($0.utf8) }
    }

    static func all(of entry: Entry) -> Set<Attribute> {
        var attributes = Set(entry.tags.map { Attribute(tag, $0) })
        if let text = entry.source { attributes.insert(Attribute(source, text)) }
        for (key, value) in entry.metadata {
            let name = metadata(key)
            let texts = value.comparableTexts
            if texts.isEmpty { attributes.insert(Attribute(name, nil)) }
            for text in texts { attributes.insert(Attribute(name, text)) }
        }
        return attributes
    }

    /// The number that the value denotes; `nil` if it does not have the form of a JSON number.
    var number: ComparedNumber? { text.flatMap { ComparedNumber(String(decoding: $0, as: UTF8.self)) } }
}
