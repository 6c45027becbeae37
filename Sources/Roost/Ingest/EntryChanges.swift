import RoostDocuments
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

    package func tags(changing tags: [String]) -> [String] {
        let names = Set(removedTags.map(TagName.init))
        let spellings = Set(removedTags.map(ExactText.init))
        return TagName.adding(
            addedTags.sorted().filter { !spellings.contains(ExactText($0)) },
            to: tags.filter { !names.contains(TagName($0)) })
    }

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
        let kept = Set(changed.tags.map(TagName.init))
        let keys =
            metadata.keys.filter { changed.metadata[$0] != entry.metadata[$0] }
            + entry.tags.map(TagName.init).filter { !kept.contains($0) }.map(DocumentKey.removed)
        if !keys.isEmpty, entry.source?.contains("://") == true {
            let all = Set(entry.editedKeys).union(keys).sorted()
            changed.metadata[DocumentKey.edited] = .array(all.map { .string($0) })
        }
        return changed
    }
}

extension Entry {
    /// The keys of the values that were changed after the text had been read from its file or page.
    fileprivate var editedKeys: [String] {
        guard case .array(let keys)? = metadata[DocumentKey.edited] else { return [] }
        return keys.compactMap(\.string)
    }

    /// Keeps the changes to the stored entry when its source is read again, and the spelling of its tags.
    mutating func keepEdits(of old: Entry) {
        let keys = old.editedKeys
        for key in keys.isEmpty ? [] : keys + [DocumentKey.edited] { metadata[key] = old.metadata[key] }
        tags.removeAll { keys.contains(DocumentKey.removed(TagName($0))) }
        tags = TagName.adding(tags, to: TagName.distinct(old.tags))
    }

    /// Replaces the text. The vectors are removed, and the links of the old text are replaced with those of
    /// the new one, as is a title that was read from the old text.
    mutating func setContent(_ text: String) {
        readStructure()
        let old = structure ?? TextStructure()
        // The links of a converted document are only in its metadata.
        let oldLinks = Set(TextStructure(of: content, format: old.format).links.compactMap(\.metadataText))
        (content, embeddings, passages) = (text, [], [])
        let new = TextStructure(of: text, format: old.format)
        structure = new
        if let title = metadata[DocumentKey.title]?.string, title == old.title {
            metadata[DocumentKey.title] = new.title.map { .string($0) }
        }
        let newLinks = new.links.compactMap(\.metadataText)
        // The links of texts that did not come from files are not recorded, unless a program has set them. A
        // value that is not an array of texts belongs to the user.
        let value = metadata[DocumentKey.links] ?? (sourcePath == nil ? .null : .array([]))
        guard case .array(let values) = value, values.allSatisfy({ $0.string != nil }),
            oldLinks != Set(newLinks)
        else { return }
        // Links that are not in the text, such as the relations of an imported memory, stay.
        let kept = values.compactMap(\.string).filter { !oldLinks.contains($0) || newLinks.contains($0) }
        var seen: Set<String> = []
        let links = (kept + newLinks).filter { seen.insert($0).inserted }
        metadata[DocumentKey.links] = links.isEmpty ? nil : .array(links.map { .string($0) })
    }
}

/// An entry that was added to a store, or that the store contained already.
public struct AddedEntry: Sendable, Hashable, Identifiable {
    /// The id of the entry.
    public var id: Entry.ID
    /// Whether the entry was added; `false` if the store contained an entry with the same text.
    public var isNew: Bool
    /// Whether the tags or the metadata of an entry that the store contained already have changed.
    public var isUpdated: Bool
}
