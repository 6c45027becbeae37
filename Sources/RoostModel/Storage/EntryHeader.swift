public import Foundation

/// The id, source and date of an entry, without its text, vectors and metadata.
public struct EntryHeader: Sendable, Hashable, Identifiable {
    /// The id of the entry.
    public var id: Entry.ID
    /// The id of the source that the entry came from, if it has one.
    public var source: Source.ID?
    /// The date at which the entry was created.
    public var createdAt: Date

    /// Creates a header from its parts.
    public init(id: Entry.ID, source: Source.ID?, createdAt: Date) {
        (self.id, self.source, self.createdAt) = (id, source, createdAt)
    }

    /// Creates the header of an entry.
    public init(_ entry: Entry) {
        self.init(id: entry.id, source: entry.source, createdAt: entry.createdAt)
    }
}
