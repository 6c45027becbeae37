import Foundation

/// The JSON form of an entry in `entries.json` and in exports.
///
/// When an entry is read, only `id` and `content` are required. Dates are written as ISO 8601 text,
/// regardless of the coder's date strategy.
extension Entry: Codable {
    enum CodingKeys: String, CodingKey {
        case id, content, embeddings, passages, source, key, location, metadata, structure, tags, createdAt,
            updatedAt
    }

    enum PassageKeys: String, CodingKey {
        case range, tokens, vector
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let content = try container.decode(String.self, forKey: .content)
        let embeddings = try container.decodeIfPresent([Float].self, forKey: .embeddings) ?? []
        var passages: [Passage] = []
        if container.contains(.passages), try !container.decodeNil(forKey: .passages) {
            var list = try container.nestedUnkeyedContainer(forKey: .passages)
            while !list.isAtEnd {
                let item = try list.nestedContainer(keyedBy: PassageKeys.self)
                let bounds = try item.decode([Int].self, forKey: .range)
                guard bounds.count == 2, bounds[0] <= bounds[1] else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .range, in: item,
                        debugDescription: "a range must be [start, end] in UTF-8 bytes")
                }
                let tokens = try item.decodeIfPresent(Int.self, forKey: .tokens) ?? 0
                let passage = Passage(
                    ordinal: passages.count, utf8Range: bounds[0]..<bounds[1], tokenCount: tokens,
                    vector: try item.decodeIfPresent([Float].self, forKey: .vector) ?? embeddings)
                guard passage.tokenCount == tokens else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .tokens, in: item, debugDescription: "the number of tokens is out of range")
                }
                passages.append(passage)
            }
        }
        let structure = try container.decodeIfPresent(String.self, forKey: .structure).map { text in
            guard let structure = TextStructure(base64: text, length: content.utf8.count) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .structure, in: container,
                    debugDescription: "the structure is not that of the text")
            }
            return structure
        }
        let created =
            try container.decodeDateIfPresent(forKey: .createdAt)
            ?? decoder.userInfo[.defaultDate] as? Date ?? Date(milliseconds: 0)
        self.init(
            id: try container.decode(UUID.self, forKey: .id), content: content,
            structure: structure, embeddings: embeddings, passages: passages,
            source: try container.decodeIfPresent(String.self, forKey: .source),
            key: try container.decodeIfPresent(String.self, forKey: .key),
            location: try container.decodeIfPresent(EntryLocation.self, forKey: .location),
            metadata: try container.decodeIfPresent([String: MetadataValue].self, forKey: .metadata) ?? [:],
            tags: try container.decodeIfPresent([String].self, forKey: .tags) ?? [],
            createdAt: created, updatedAt: try container.decodeDateIfPresent(forKey: .updatedAt))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id.text, forKey: .id)
        try container.encode(content, forKey: .content)
        if encoder.userInfo[.omitsVectors] as? Bool != true {
            try container.encode(embeddings, forKey: .embeddings)
        }
        var list = container.nestedUnkeyedContainer(forKey: .passages)
        for passage in passages {
            var item = list.nestedContainer(keyedBy: PassageKeys.self)
            try item.encode([passage.utf8Range.lowerBound, passage.utf8Range.upperBound], forKey: .range)
            try item.encode(passage.tokenCount, forKey: .tokens)
            if encoder.userInfo[.omitsVectors] as? Bool != true, passage.vector != embeddings {
                try item.encode(passage.vector, forKey: .vector)
            }
        }
        try container.encodeIfPresent(source, forKey: .source)
        try container.encodeIfPresent(key, forKey: .key)
        try container.encodeIfPresent(location, forKey: .location)
        try container.encode(metadata, forKey: .metadata)
        try container.encodeIfPresent(structure?.base64, forKey: .structure)
        try container.encode(tags, forKey: .tags)
        try container.encode(DateText.string(from: createdAt), forKey: .createdAt)
        try container.encode(DateText.string(from: updatedAt), forKey: .updatedAt)
    }
}

extension CodingUserInfoKey {
    /// The key for a `Date` that is assigned to decoded entries and clusters if their JSON has no date.
    public static let defaultDate = key("roost.defaultDate")
    /// The key for a `Bool` that determines whether the vectors of encoded entries and clusters are omitted.
    public static let omitsVectors = key("roost.omitsVectors")

    private static func key(_ name: String) -> CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: name) else {
            preconditionFailure("the key \(name) is invalid")
        }
        return key
    }
}
