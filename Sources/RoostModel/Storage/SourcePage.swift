import RoostText

/// One page of source records, in the order of their ids.
public struct SourcePage: Sendable {
    /// The records, without the ids of their entries.
    public var sources: [Source]
    /// The id after which the next page begins; `nil` on the last page.
    public var next: Source.ID?

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - sources: The records, without the ids of their entries.
    ///   - next: The id after which the next page begins; `nil` on the last page.
    public init(sources: [Source], next: Source.ID?) {
        (self.sources, self.next) = (sources, next)
    }

    /// Creates a page from records that were read with one more than the limit, which shows whether the page
    /// is the last one.
    ///
    /// - Precondition: `limit` is at least 1.
    package init(_ records: [Source], limit: Int) {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        sources = Array(records.prefix(limit))
        next = records.count > limit ? sources.last?.id : nil
    }

    /// Creates a page of records that are all known.
    ///
    /// - Parameter all: The records in the order of their ids.
    /// - Complexity: O(log n + page size)
    package init(_ all: [Source], after id: Source.ID?, limit: Int) {
        let key = id.map(ExactText.init)
        let start = key.map { key in all.partitioningIndex { key < ExactText($0.id) } } ?? 0
        // `limit` can be the greatest integer.
        let rest = all[start...]
        self.init(Array(rest.prefix(limit < rest.count ? limit + 1 : rest.count)), limit: limit)
    }
}
