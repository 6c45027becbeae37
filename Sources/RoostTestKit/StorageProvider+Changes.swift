import RoostModel

extension StorageProvider {
    /// Reads all changes after a cursor.
    ///
    /// - Parameters:
    ///   - cursor: The position after which to read.
    ///   - limit: The maximum number of changes on a page.
    /// - Returns: The changes and the cursor after them; `nil` if the store requires a reset.
    /// - Throws: `StorageError` with `.damaged` if a page is too large or does not advance, so that a faulty
    ///   store does not stop a test; an error thrown by the store.
    func allChanges(
        after cursor: ChangeCursor, limit: Int
    ) async throws -> (changes: [Change], next: ChangeCursor)? {
        var (all, cursor): ([Change], ChangeCursor) = ([], cursor)
        while true {
            guard
                case .changes(let page, let next, let isLast) = try await changes(
                    after: cursor, limit: limit)
            else { return nil }
            guard page.count <= limit else {
                throw StorageError(
                    .damaged, "a page with a limit of \(limit) has \(page.count) changes")
            }
            all += page
            if isLast { return (all, next) }
            guard !page.isEmpty, next != cursor else {
                throw StorageError(
                    .damaged,
                    "cannot read the changes: a page that is not the last one "
                        + (page.isEmpty ? "is empty" : "does not advance the cursor"))
            }
            cursor = next
        }
    }
}
