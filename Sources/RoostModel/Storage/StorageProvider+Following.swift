/// The entries that changed after a cursor, and the cursor after those changes.
package struct ChangedEntries: Sendable {
    /// The ids of the entries that were inserted, replaced or removed.
    package var ids: Set<Entry.ID>
    package var next: ChangeCursor
}

extension StorageProvider {
    /// Returns the ids of the entries that changed after a cursor, reading as many pages as necessary.
    ///
    /// - Parameters:
    ///   - cursor: The position after which to read.
    ///   - limit: The maximum number of changed entries. If there are more, reading everything is cheaper
    ///     than following the changes.
    /// - Returns: The changes; `nil` if there are more than `limit`, or if the store cannot continue from
    ///   the cursor.
    /// - Throws: The errors of ``changes(after:limit:)``.
    package func changedEntries(
        after cursor: ChangeCursor, limit: Int = .max
    ) async throws -> ChangedEntries? {
        var changed = Set<Entry.ID>()
        var cursor = cursor
        while true {
            guard
                case .changes(let page, let next, let isLast) = try await changes(
                    after: cursor, limit: PageSize.changes)
            else { return nil }
            for change in page {
                switch change.kind {
                case .upserted(let id), .removed(let id): changed.insert(id)
                case .clustersReplaced: break
                }
            }
            if changed.count > limit { return nil }
            if isLast { return ChangedEntries(ids: changed, next: next) }
            cursor = next
        }
    }
}

extension Stamp {
    /// The cursor of a reader that has read the complete state at this stamp. The changes after the cursor
    /// are those that were made after that state.
    public var cursor: ChangeCursor {
        ChangeCursor(epoch: epoch, revision: revision, ordinal: .max, horizon: revision)
    }
}
