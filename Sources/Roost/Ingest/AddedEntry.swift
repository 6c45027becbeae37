public import RoostModel

/// An entry that was added to a store, or that the store contained already.
public struct AddedEntry: Sendable, Hashable, Identifiable {
    /// The id of the entry.
    public var id: Entry.ID
    /// Whether the entry was added; `false` if the store contained an entry with the same text.
    public var isNew: Bool
    /// Whether the tags or the metadata of an entry that the store contained already have changed.
    public var isUpdated: Bool

    /// Creates the result of an addition.
    public init(id: Entry.ID, isNew: Bool, isUpdated: Bool = false) {
        self.id = id
        self.isNew = isNew
        self.isUpdated = isUpdated
    }
}
