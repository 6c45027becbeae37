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
    public var content: String {
        didSet { structure = nil }
    }
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
    public var tags: [String] {
        didSet { tags = Self.canonical(tags) }
    }
    /// The date at which the entry was created.
    public var createdAt: Date {
        didSet { createdAt = createdAt.wholeMilliseconds }
    }
    /// The date at which the content, metadata or tags last changed.
    public var updatedAt: Date {
        didSet { updatedAt = updatedAt.wholeMilliseconds }
    }

    /// Creates an entry. All arguments except the content have default values. The default for `updatedAt` is
    /// `createdAt`.
    public init(
        id: UUID = UUID(), content: String, structure: TextStructure? = nil, embeddings: [Float] = [],
        passages: [Passage] = [], source: String? = nil, key: String? = nil, location: EntryLocation? = nil,
        metadata: [String: MetadataValue] = [:], tags: [String] = [],
        createdAt: Date = Date(), updatedAt: Date? = nil
    ) {
        self.id = id
        self.content = content
        self.structure = structure
        self.embeddings = embeddings
        self.passages = passages
        self.source = source
        self.key = key
        self.location = location
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

    /// Returns the number of the line in which a passage begins. Line numbers start at 1.
    public func line(of passage: Passage) -> Int { line(ofByte: passage.utf8Range.lowerBound) }

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
