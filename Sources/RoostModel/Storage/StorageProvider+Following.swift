extension StorageProvider {
    /// The entries that were changed or removed after a cursor, and where to go on from.
    ///
    /// - Parameter limit: beyond so many, `nil` is returned: whoever follows had better begin anew.
    /// - Returns: `nil` also where the cursor cannot be followed.
    /// - Throws: as ``changes(after:limit:)``.
    package func changedEntries(
        after cursor: ChangeCursor, limit: Int = .max
    ) async throws -> (ids: Set<Entry.ID>, next: ChangeCursor)? {
        var changed = Set<Entry.ID>()
        var cursor = cursor
        while true {
            guard
                case .changes(let page, let next, let isLast) = try await changes(after: cursor, limit: 1000)
            else { return nil }
            for change in page {
                switch change.kind {
                case .upserted(let id), .removed(let id): changed.insert(id)
                case .clustersReplaced: break
                }
            }
            if changed.count > limit { return nil }
            if isLast { return (changed, next) }
            cursor = next
        }
    }
}

extension Stamp {
    /// Where somebody stands who has read all of the state: what follows are the changes since.
    public var cursor: ChangeCursor {
        ChangeCursor(epoch: epoch, revision: revision, ordinal: .max, horizon: revision)
    }
}
