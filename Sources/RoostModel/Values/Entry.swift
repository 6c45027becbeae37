public import Foundation

/// A unit of text that a user stored, such as a file, a row of a table, or a message.
///
/// An entry is a value: changes to a copy reach the store only when the copy is saved. Dates have a
/// resolution of one millisecond.
public struct Entry: Sendable, Hashable, Identifiable {
    /// The id of an entry.
    public typealias ID = UUID

    /// The id of the entry. The id of an ingested entry is derived from its source and key (``EntryID``), so
    /// that the entry is found when its source is ingested again. Other entries can have any UUID.
    public var id: UUID
    /// The complete text. A new text has no ``structure``.
    public var content: String { didSet { structure = nil } }
    /// The structure that a reader found, such as sections; `nil` until the text is read, which an ingest
    /// does. Without it, the text is treated as one without markup.
    public var structure: TextStructure?
    /// The embedding of the entry: the normalized mean of its passages' vectors or, if the entry has only one
    /// passage, the vector of that passage. Empty if the entry has not been embedded.
    public var embeddings: [Float]
    /// The parts of the content that are searched separately, in the order of their ordinals. Empty for a
    /// short text, because its only passage is the complete content, with `embeddings` as the vector.
    public var passages: [Passage]
    /// The id of the source that the text came from, if it has one.
    public var source: String?
    /// The key of the entry within its source: the id of a row, ``EntryID/wholeFileKey``, or
    /// ``EntryID/contentKey(_:occurrence:)``.
    public var key: String?
    /// The location of the text in its source; `nil` if it is unknown or the entry has no source.
    public var location: EntryLocation?
    /// Additional values by key. Filters can compare them.
    public var metadata: [String: MetadataValue]
    /// The tags, sorted and without duplicates.
    public var tags: [String] { didSet { tags = Self.canonical(tags) } }
    /// The date at which the entry was created.
    public var createdAt: Date { didSet { createdAt = createdAt.wholeMilliseconds } }
    /// The date at which the content, metadata or tags last changed.
    public var updatedAt: Date { didSet { updatedAt = updatedAt.wholeMilliseconds } }

    /// Creates an entry. All arguments except the content have default values. The default for `updatedAt` is
    /// `createdAt`.
    public init(
        id: UUID = UUID(), content: String, structure: TextStructure? = nil, embeddings: [Float] = [],
        passages: [Passage] = [], source: String? = nil, key: String? = nil, location: EntryLocation? = nil,
        metadata: [String: MetadataValue] = [:], tags: [String] = [],
        createdAt: Date = Date(), updatedAt: Date? = nil
    ) {
        (self.id, self.content, self.structure, self.embeddings) = (id, content, structure, embeddings)
        (self.passages, self.source, self.key, self.location) = (passages, source, key, location)
        self.metadata = metadata
        self.tags = Self.canonical(tags)
        self.createdAt = createdAt.wholeMilliseconds
        self.updatedAt = (updatedAt ?? createdAt).wholeMilliseconds
    }

    /// The passages that are searched: ``passages``, or one passage with the complete content if there are
    /// none. Empty if the entry has not been embedded.
    public var searchablePassages: [Passage] {
        if passages.isEmpty, !embeddings.isEmpty {
            [Passage(ordinal: 0, utf8Range: 0..<content.utf8.count, vector: embeddings)]
        } else {
            passages
        }
    }

    /// Returns the text of a passage, or `nil` if its range is outside the content.
    public func text(of passage: Passage) -> String? { text(in: passage.utf8Range) }

    /// Returns the text in a range of UTF-8 bytes of the content, or `nil` if the range is outside the
    /// content.
    public func text(in range: Range<Int>) -> String? {
        let utf8 = content.utf8
        guard range.lowerBound >= 0, range.upperBound <= utf8.count else { return nil }
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        let end = utf8.index(start, offsetBy: range.count)
        return String(content[start..<end])
    }

    /// Returns the number of the line that contains a UTF-8 byte of the content. Line numbers start at 1.
    public func line(ofByte byte: Int) -> Int {
        1 + content.utf8.prefix(max(0, byte)).reduce(0) { $0 + ($1 == 10 ? 1 : 0) }
    }

    /// Returns whether two entries are equal. Strings are compared byte by byte, so different Unicode
    /// normalizations of the same text are not equal.
    public static func == (left: Entry, right: Entry) -> Bool {
        left.id == right.id && left.content.utf8.elementsEqual(right.content.utf8)
            && left.structure == right.structure && left.embeddings == right.embeddings
            && left.passages == right.passages
            && ExactText.areSame(left.source, right.source) && ExactText.areSame(left.key, right.key)
            && left.location == right.location && left.metadata.isSame(as: right.metadata)
            && left.tags.elementsEqual(right.tags, by: ExactText.areSame)
            && left.createdAt == right.createdAt && left.updatedAt == right.updatedAt
    }

    private static func canonical(_ tags: [String]) -> [String] {
        tags.count < 2 ? tags : Set(tags.map(ExactText.init)).sorted().map(\.text)
    }
}

/// A part of an entry that has its own vector. A search compares the query with passages, and returns entries
/// with their best passages.
public struct Passage: Sendable, Hashable {
    /// The number of the passage within its entry, starting at 0.
    public var ordinal: Int
    /// The range of the passage in the UTF-8 bytes of the entry's content.
    public var utf8Range: Range<Int>
    /// The number of tokens that the embedding model counts in the passage, from 0 to 2^31 - 1; 0 if unknown.
    /// Numbers outside of this range are replaced with its nearest bound, so sums of counts cannot overflow.
    public var tokenCount: Int { didSet { tokenCount = Self.clamped(tokenCount) } }
    /// The vector of the passage in the store's embedding space.
    public var vector: [Float]

    /// Creates a passage.
    public init(ordinal: Int, utf8Range: Range<Int>, tokenCount: Int = 0, vector: [Float]) {
        (self.ordinal, self.utf8Range) = (ordinal, utf8Range)
        self.tokenCount = Self.clamped(tokenCount)
        self.vector = vector
    }

    private static func clamped(_ count: Int) -> Int { min(max(0, count), Int(Int32.max)) }
}

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
                    throw item.damage(.range, "a range must be [start, end] in UTF-8 bytes")
                }
                let tokens = try item.decodeIfPresent(Int.self, forKey: .tokens) ?? 0
                let passage = Passage(
                    ordinal: passages.count, utf8Range: bounds[0]..<bounds[1], tokenCount: tokens,
                    vector: try item.decodeIfPresent([Float].self, forKey: .vector) ?? embeddings)
                guard passage.tokenCount == tokens else {
                    throw item.damage(.tokens, "the number of tokens is out of range")
                }
                passages.append(passage)
            }
        }
        let structure = try container.decodeIfPresent(String.self, forKey: .structure).map { text in
            guard let structure = TextStructure(base64: text, of: content) else {
                throw container.damage(
                    .structure, "the structure is not that of the text; without it, the text is read again")
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
        try container.encode(id, forKey: .id)
        try container.encode(content, forKey: .content)
        if !embeddings.isEmpty { try container.encode(embeddings, forKey: .embeddings) }
        var list = container.nestedUnkeyedContainer(forKey: .passages)
        for passage in passages {
            var item = list.nestedContainer(keyedBy: PassageKeys.self)
            try item.encode([passage.utf8Range.lowerBound, passage.utf8Range.upperBound], forKey: .range)
            try item.encode(passage.tokenCount, forKey: .tokens)
            if passage.vector != embeddings {
                try item.encode(passage.vector, forKey: .vector)
            }
        }
        try container.encodeIfPresent(source, forKey: .source)
        try container.encodeIfPresent(key, forKey: .key)
        try container.encodeIfPresent(location, forKey: .location)
        try container.encode(metadata, forKey: .metadata)
        try container.encodeIfPresent(structure?.base64(of: content), forKey: .structure)
        try container.encode(tags, forKey: .tags)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(updatedAt, forKey: .updatedAt)
    }
}

extension CodingUserInfoKey {
    /// The key for a `Date` that is assigned to decoded entries and clusters if their JSON has no date.
    public static let defaultDate = key("roost.defaultDate")

    private static func key(_ name: String) -> CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: name) else {
            preconditionFailure("the key \(name) is invalid")
        }
        return key
    }
}
