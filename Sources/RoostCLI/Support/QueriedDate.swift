/// A query that is only a day or a month, such as `2025-03-14` or `date:2025-03`. The dates of entries are
/// not words of their texts, so only a filter finds them.
struct QueriedDate {
    /// The day or month in the form of `--since`.
    let text: String

    private static let names = ["date:", "created:"]
    /// The numbers of digits and the ranges of the year, the month and the day.
    private static let (lengths, ranges) = ([4, 2, 2], [1...9999, 1...12, 1...31])

    /// Returns `nil` for other queries.
    init?(_ query: String) {
        let name = Self.names.first { query.hasPrefix($0) } ?? ""
        let date = query.dropFirst(name.count)
        let parts = date.split(separator: "-", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count),
            zip(parts, zip(Self.lengths, Self.ranges)).allSatisfy({ part, form in
                part.utf8.count == form.0 && part.utf8.allSatisfy { (48...57).contains($0) }
                    && Int(part).map(form.1.contains) == true
            })
        else { return nil }
        text = String(date)
    }
}
