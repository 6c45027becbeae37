public import RoostModel

/// Changes to an entry that are made in one commit.
public struct EntryChanges: Sendable, Hashable {
    /// The new text; `nil` keeps the text and its vectors.
    public var content: String?
    /// The tags to add. A tag that the entry already has, in any spelling, keeps its spelling. Runs of
    /// white space and control characters in a tag become one space, and empty tags are ignored.
    public var addedTags: Set<String> = []
    /// The tags to remove, in any spelling. Tags that are nested in them stay. A tag that is added and
    /// removed in the same spelling is removed; in another spelling, the added one replaces the stored one.
    public var removedTags: Set<String> = []
    /// The metadata to set, by key. The value `.null` removes the key.
    public var metadata: [String: MetadataValue] = [:]

    /// Creates changes. Without arguments, they change nothing.
    public init(
        content: String? = nil, addedTags: Set<String> = [], removedTags: Set<String> = [],
        metadata: [String: MetadataValue] = [:]
    ) {
        self.content = content
        self.addedTags = addedTags
        self.removedTags = removedTags
        self.metadata = metadata
    }

    /// Returns the given tags of an entry after the changes.
    package func tags(changing tags: [String]) -> [String] {
        let names = Set(removedTags.map(TagName.init))
        let spellings = Set(removedTags.map(ExactText.init))
        return TagName.adding(
            addedTags.sorted().filter { !spellings.contains(ExactText($0)) },
            to: tags.filter { !names.contains(TagName($0)) })
    }

    /// Returns an entry with its tags and metadata after the changes. The text stays.
    func applied(to entry: Entry) -> Entry {
        var changed = entry
        changed.tags = tags(changing: entry.tags)
        for (key, value) in metadata {
            // `nil` would be the metadata value null here, not the absence of a value.
            if value == .null {
                changed.metadata.removeValue(forKey: key)
            } else {
                changed.metadata[key] = value
            }
        }
        return changed
    }
}
