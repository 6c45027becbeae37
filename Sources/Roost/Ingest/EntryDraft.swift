public import Foundation
public import RoostModel

/// A text that may become an entry.
public struct EntryDraft: Sendable, Hashable {
    /// The name of the text within its source; if `nil`, a name is derived from the content and from the
    /// number of earlier equal texts.
    public var key: String?
    /// The text.
    public var content: String {
        didSet { structure = nil }
    }
    /// The structure that a reader found; `nil` if it has not been read. An ingest reads it as Markdown.
    public var structure: TextStructure?
    /// The metadata of the entry.
    public var metadata: [String: MetadataValue]
    /// The tags of the entry. They are stored with one space in place of each run of white space and control
    /// characters; empty tags are ignored, and so are further spellings of one tag.
    public var tags: [String]
    /// The location of the text in its source, for messages, such as `line 3`.
    public var location: String?
    /// The location of the text in its source, which is stored with the entry; `nil` if it is unknown. It is
    /// not stored for entries of a stream.
    public var sourceLocation: EntryLocation?
    /// The date of creation that the source states; `nil` if it states none. A stored entry gets this date
    /// when its source is ingested again.
    public var createdAt: Date?
    /// The date of the last change that the source states; `nil` if it states none.
    public var updatedAt: Date?
    /// The dates of the file, for a text that is a whole file and does not state its own dates.
    var fileDates: FileDates?

    /// Creates a draft.
    public init(
        key: String? = nil, content: String, structure: TextStructure? = nil,
        metadata: [String: MetadataValue] = [:], tags: [String] = [], location: String? = nil,
        sourceLocation: EntryLocation? = nil, createdAt: Date? = nil, updatedAt: Date? = nil
    ) {
        self.key = key
        self.content = content
        self.structure = structure
        self.metadata = metadata
        self.tags = tags
        self.location = location
        self.sourceLocation = sourceLocation
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}
