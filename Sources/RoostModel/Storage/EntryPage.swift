/// One page of entries, in ascending order of rows.
public struct EntryPage: Sendable {
    /// The entries of the page.
    public var entries: [Entry]
    /// The row of each entry.
    public var rows: [UInt32]
    /// The row after which the next page begins; `nil` on the last page.
    public var next: UInt32?

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - entries: The entries of the page.
    ///   - rows: The row of each entry.
    ///   - next: The row after which the next page begins; `nil` on the last page.
    /// - Precondition: `entries` and `rows` have the same count.
    public init(entries: [Entry], rows: [UInt32], next: UInt32?) {
        precondition(entries.count == rows.count)
        self.entries = entries
        self.rows = rows
        self.next = next
    }
}
