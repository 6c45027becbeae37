import RoostModel

/// All entries of a store at one revision, with their new vectors.
struct MigratedEntries {
    private(set) var entries: [Entry.ID: Entry] = [:]
    /// The position in the store's change feed up to which ``entries`` is current.
    private var cursor: ChangeCursor?

    /// The number of entries that are read at once.
    private static let pageSize = 256

    /// Brings the entries up to date with a snapshot. The first call reads all entries; later calls read only
    /// those that have changed since the previous call.
    ///
    /// - Returns: The number of entries that were updated.
    @discardableResult
    mutating func catchUp(
        with storage: any StorageProvider, at snapshot: any StorageSnapshot, _ collection: VectorCollection,
        _ report: inout ModelMigration.Report
    ) async throws -> Int {
        var changed: [Entry.ID]?
        if let cursor {
            changed = try await storage.changedEntries(after: cursor).map { Array($0.ids) }
        }
        if let changed {
            for id in changed { entries[id] = nil }
            try await insert(try await snapshot.entries(changed), collection, &report)
        } else {
            entries = [:]
            for try await page in snapshot.entryPages(pageSize: Self.pageSize) {
                try await insert(page.entries, collection, &report)
            }
        }
        cursor = snapshot.stamp.cursor
        return changed?.count ?? entries.count
    }

    private mutating func insert(
        _ new: [Entry], _ collection: VectorCollection, _ report: inout ModelMigration.Report
    ) async throws {
        for entry in try await collection.migrated(new, &report) { entries[entry.id] = entry }
    }
}
