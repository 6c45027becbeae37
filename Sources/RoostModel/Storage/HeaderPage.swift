/// One page of headers, in ascending order of their entries' rows.
public struct HeaderPage: Sendable {
    /// The headers. A page can have fewer than the limit even if it is not the last one.
    public var headers: [EntryHeader]
    /// The row after which the next page begins; `nil` on the last page.
    public var next: UInt32?

    /// Creates a page.
    public init(headers: [EntryHeader], next: UInt32?) {
        (self.headers, self.next) = (headers, next)
    }
}
