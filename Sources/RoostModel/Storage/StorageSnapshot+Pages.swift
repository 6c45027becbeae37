extension StorageSnapshot {
    /// Returns the pages of the entries that match a filter, in ascending order of rows.
    ///
    ///     for try await page in snapshot.entryPages() {
    ///         count += page.entries.count
    ///     }
    ///
    /// - Parameters:
    ///   - filter: The condition that entries must satisfy; by default, all entries match.
    ///   - pageSize: The maximum number of entries on a page; 256 by default.
    /// - Precondition: `pageSize` is at least 1.
    public func entryPages(
        matching filter: EntryFilter = .all, pageSize: Int? = nil
    ) -> SnapshotPages<EntryPage> {
        SnapshotPages(limit: pageSize ?? PageSize.entries) {
            try await entries(after: $0, limit: $1, matching: filter)
        }
    }

    /// Returns the headers of the entries that match a filter, in pages and in ascending order of rows.
    ///
    /// - Parameters:
    ///   - filter: The condition that entries must satisfy; by default, all entries match.
    ///   - pageSize: The maximum number of headers on a page, 10 000 by default. Pages may be smaller.
    /// - Precondition: `pageSize` is at least 1.
    public func headerPages(
        matching filter: EntryFilter = .all, pageSize: Int? = nil
    ) -> SnapshotPages<HeaderPage> {
        SnapshotPages(limit: pageSize ?? PageSize.headers) {
            try await headers(after: $0, limit: $1, matching: filter)
        }
    }

    /// Returns the vectors of all entries or of their passages, in pages and in ascending order of the
    /// entries' rows.
    ///
    /// - Parameters:
    ///   - kind: Whether the pages have one vector per entry or one per passage.
    ///   - pageSize: The maximum number of entries whose vectors are on a page; 4096 by default.
    /// - Precondition: `pageSize` is at least 1.
    public func vectorPages(of kind: VectorPage.Kind, pageSize: Int? = nil) -> SnapshotPages<VectorPage> {
        SnapshotPages(limit: pageSize ?? PageSize.vectors) {
            try await vectors(of: kind, after: $0, limit: $1)
        }
    }

    /// Returns a sequence of the entries that match a filter, in ascending order of rows.
    ///
    /// - Parameters:
    ///   - filter: The condition that entries must satisfy; by default, all entries match.
    ///   - pageSize: The maximum number of entries in memory at a time; 256 by default.
    /// - Precondition: `pageSize` is at least 1.
    public func allEntries(matching filter: EntryFilter = .all, pageSize: Int? = nil) -> EntrySequence {
        let pages = entryPages(matching: filter, pageSize: pageSize)
        return EntrySequence { pages }
    }
}

extension StorageProvider {
    /// Returns a sequence of the entries that match a filter, in ascending order of rows.
    ///
    /// All entries come from one snapshot. Each iterator takes it when its first entry is requested.
    ///
    /// - Parameters:
    ///   - filter: The condition that entries must satisfy; by default, all entries match.
    ///   - pageSize: The maximum number of entries in memory at a time; 256 by default.
    /// - Precondition: `pageSize` is at least 1.
    public func allEntries(matching filter: EntryFilter = .all, pageSize: Int? = nil) -> EntrySequence {
        precondition((pageSize ?? 1) >= 1)
        return EntrySequence { try await snapshot().entryPages(matching: filter, pageSize: pageSize) }
    }
}
