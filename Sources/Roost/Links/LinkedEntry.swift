public import RoostModel

/// A link together with the entry that contains it.
public struct LinkedEntry: Sendable, Hashable {
    /// The id of the entry that contains the link.
    public var id: Entry.ID
    /// The title of the entry; `nil` if it has none.
    public var title: String?
    /// The path of the entry's file; `nil` if it did not come from a file.
    public var path: String?
    /// The link.
    public var link: EntryLink

    /// Creates a link of an entry.
    public init(id: Entry.ID, title: String? = nil, path: String? = nil, link: EntryLink) {
        self.id = id
        self.title = title
        self.path = path
        self.link = link
    }
}
