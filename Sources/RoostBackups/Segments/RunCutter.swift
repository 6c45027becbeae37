import RoostModel

/// Divides a stream of entries into runs.
struct RunCutter {
    private var pending: [Entry] = []
    private var bytes = 0

    /// Adds an entry.
    ///
    /// - Returns: The entries of the run if it ends after this entry; otherwise `nil`.
    mutating func add(_ entry: Entry) -> [Entry]? {
        pending.append(entry)
        bytes += entry.content.utf8.count
        guard RunBoundaries.endsRun(after: entry.id, count: pending.count, bytes: bytes) else { return nil }
        return rest()
    }

    /// Returns the entries after the last boundary, or `nil` if there are none.
    mutating func rest() -> [Entry]? {
        defer { (pending, bytes) = ([], 0) }
        return pending.isEmpty ? nil : pending
    }
}
