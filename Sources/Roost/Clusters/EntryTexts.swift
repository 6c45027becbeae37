import RoostModel

/// The entries whose texts a clustering run reads: all entries of a snapshot, or given ones.
struct EntryTexts: Sendable {
    let snapshot: any StorageSnapshot
    /// The ids of the entries; `nil` for all entries.
    private let ids: [Entry.ID]?

    /// - Parameter ids: The ids of the entries; `nil` for all entries of the snapshot.
    init(_ snapshot: any StorageSnapshot, ids: [Entry.ID]? = nil) {
        (self.snapshot, self.ids) = (snapshot, ids)
    }

    /// The number of entries. Ids that the snapshot does not contain are counted too.
    var count: Int { ids?.count ?? snapshot.stamp.entryCount }

    /// Calls `body` with one page of entries after another. At most one page is in memory at a time.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    func forEachPage(_ body: ([Entry]) -> Void) async throws {
        guard let ids else {
            for try await page in snapshot.entryPages() { body(page.entries) }
            return
        }
        for start in stride(from: 0, to: ids.count, by: PageSize.entries) {
            try Task.checkCancellation()
            let end = min(ids.count, start + PageSize.entries)
            body(try await snapshot.entries(Array(ids[start..<end])))
        }
    }
}
