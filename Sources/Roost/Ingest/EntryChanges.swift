public import RoostModel

/// Changes to an entry that are made in one commit.
public struct EntryChanges: Sendable, Hashable {
    /// The new text; `nil` keeps the text and its vectors.
    public var content: String?
    /// The tags to add.
    public var addedTags: Set<String> = []
    /// The tags to remove. A tag that is both added and removed is removed.
    public var removedTags: Set<String> = []
    /// The metadata to set, by key. The value `.null` removes the key.
    public var metadata: [String: MetadataValue] = [:]

    /// Creates changes that change nothing.
    public init() {}
}
