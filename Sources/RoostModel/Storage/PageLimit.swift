/// The number of entries that are requested for each page of a snapshot.
///
/// A few large entries can have the size of thousands of typical ones. Unless the caller chooses the number,
/// a page has as many entries as fit into a few megabytes, according to the size of the entries on the page
/// before.
struct PageLimit<Page: SnapshotPage>: Sendable {
    private let maximum: Int
    /// Returns the number of entries on a page and their size in bytes; `nil` if the number is fixed.
    private let measure: (@Sendable (Page) -> (entries: Int, bytes: Int))?

    /// The size, in bytes, that a page should have.
    private static var targetSize: Int { 16 << 20 }
    /// The number of entries on the first page, before their size is known.
    private static var firstCount: Int { 16 }

    /// Creates a fixed limit.
    ///
    /// - Precondition: `count` is at least 1.
    init(_ count: Int) {
        precondition(count >= 1)
        (maximum, measure) = (count, nil)
    }

    /// Creates a limit that is fixed if `count` is given, and otherwise depends on the size of the entries.
    ///
    /// - Precondition: `count` is `nil` or at least 1.
    init(
        _ count: Int?, default maximum: Int,
        measuredBy measure: @escaping @Sendable (Page) -> (entries: Int, bytes: Int)
    ) {
        precondition((count ?? 1) >= 1)
        self.maximum = count ?? maximum
        self.measure = count == nil ? measure : nil
    }

    /// The number of entries to request for the first page.
    var first: Int { measure == nil ? maximum : min(maximum, Self.firstCount) }

    /// Returns the number of entries to request for the page after the given one.
    func next(after page: Page) -> Int {
        guard let measure else { return maximum }
        let (entries, bytes) = measure(page)
        guard entries > 0 else { return first }
        return min(maximum, max(1, Self.targetSize / (bytes / entries + 1)))
    }
}
