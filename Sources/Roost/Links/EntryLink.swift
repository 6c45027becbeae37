public import RoostModel

/// A link in the text of an entry.
public struct EntryLink: Sendable, Hashable {
    /// The kind of the target of a link.
    public enum Destination: Sendable, Hashable {
        /// An entry of the store.
        case entry(Entry.ID)
        /// A web page, a mail address, or another address outside of the files of the store.
        case external
        /// A file that the store does not contain, such as an image.
        case file
        /// Neither an entry nor a file: the link is broken.
        case missing
    }

    /// The link as the text contains it.
    public var link: DocumentLink
    /// The target of the link.
    public var destination: Destination

    /// Creates a link.
    public init(link: DocumentLink, destination: Destination) {
        self.link = link
        self.destination = destination
    }
}
