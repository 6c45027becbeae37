public import Foundation

/// What the user gave as one thing: a file, a row, a line, a message.
///
/// A value: changing a copy changes nothing in a store until it is saved. Dates are kept to the millisecond.
public struct Entry: Sendable, Hashable, Identifiable {
    public typealias ID = UUID

    /// Stable over re-ingest (see `EntryID`), or any UUID of the caller's.
    public var id: UUID
    /// The whole text, as it was given.
    public var content: String
    /// The unit mean of its passages' vectors; for one passage, that vector. Empty where it has not been
    /// embedded.
    public var embeddings: [Float]
    /// The parts that search looks at, by ordinal. Empty stands for one passage, the whole content with
    /// `embeddings` as its vector.
    public var passages: [Passage]
    /// The id of the source that the text came from.
    public var source: String?
    /// The entry's name within its source: a row's own id, the whole-file marker, or content hash and
    /// occurrence.
    public var key: String?
    public var metadata: [String: MetadataValue]
    /// Sorted, without duplicates.
    public var tags: [String] {
        didSet { tags = Self.canonical(tags) }
    }
    /// When the entry was first made.
    public var createdAt: Date {
        didSet { createdAt = createdAt.wholeMilliseconds }
    }
    /// When its content or metadata last changed.
    public var updatedAt: Date {
        didSet { updatedAt = updatedAt.wholeMilliseconds }
    }

    /// An entry; everything but the text has a default.
    ///
    /// - Parameter updatedAt: `createdAt` where it is not given.
    public init(
        id: UUID = UUID(), content: String, embeddings: [Float] = [], passages: [Passage] = [],
        source: String? = nil, key: String? = nil, metadata: [String: MetadataValue] = [:],
        tags: [String] = [],
        createdAt: Date = Date(), updatedAt: Date? = nil
    ) {
        self.id = id
        self.content = content
        self.embeddings = embeddings
        self.passages = passages
        self.source = source
        self.key = key
        self.metadata = metadata
        self.tags = Self.canonical(tags)
        self.createdAt = createdAt.wholeMilliseconds
        self.updatedAt = (updatedAt ?? createdAt).wholeMilliseconds
    }

    /// The passages that search looks at: `passages`, or the whole content where there are none.
    public var searchablePassages: [Passage] {
        if passages.isEmpty, !embeddings.isEmpty {
            [Passage(ordinal: 0, utf8Range: 0..<content.utf8.count, vector: embeddings)]
        } else {
            passages
        }
    }

    /// The text of a passage; `nil` where its range does not fit the content.
    public func text(of passage: Passage) -> String? { text(in: passage.utf8Range) }

    /// The text of some UTF-8 bytes of the content; `nil` where they do not fit it.
    public func text(in range: Range<Int>) -> String? {
        let utf8 = content.utf8
        guard range.lowerBound >= 0, range.upperBound <= utf8.count else { return nil }
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        let end = utf8.index(start, offsetBy: range.count)
        return String(content[start..<end])
    }

    /// The number, from 1, of the content's line that a passage begins on.
    public func line(of passage: Passage) -> Int { line(ofByte: passage.utf8Range.lowerBound) }

    /// The number, from 1, of the content's line that a byte is on.
    public func line(ofByte byte: Int) -> Int {
        1 + content.utf8.prefix(max(0, byte)).reduce(0) { $0 + ($1 == 10 ? 1 : 0) }
    }

    /// Entries are equal where they would be stored as the same bytes; strings that only normalise alike
    /// differ.
    public static func == (left: Entry, right: Entry) -> Bool {
        left.id == right.id && left.content.utf8.elementsEqual(right.content.utf8)
            && left.embeddings == right.embeddings && left.passages == right.passages
            && ExactText.areSame(left.source, right.source) && ExactText.areSame(left.key, right.key)
            && left.metadata.isSame(as: right.metadata)
            && left.tags.elementsEqual(right.tags, by: ExactText.areSame)
            && left.createdAt == right.createdAt && left.updatedAt == right.updatedAt
    }

    private static func canonical(_ tags: [String]) -> [String] {
        tags.count < 2 ? tags : Set(tags.map(ExactText.init)).sorted().map(\.text)
    }
}
