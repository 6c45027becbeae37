import Foundation
import RoostModel

extension SearchNotice {
    /// Returns a notice for the user that an index, or a part of it, is not used.
    static func unusableIndex(_ reason: String) -> SearchNotice {
        SearchNotice(
            "the search index cannot be used (\(reason)); searches are slower without it",
            remedy: .rebuildIndex)
    }
}

/// Keeps the derived contents of one store, and brings them from one snapshot to the next.
actor DerivedCatalog<Contents: DerivedContents> {
    private let storage: any StorageProvider
    /// The store's folder, which contains the index; `nil` for a store without a folder.
    private let directory: URL?
    private var contents = Contents()
    /// Whether the index files are ignored because they turned out not to match the storage.
    private var isIndexRejected = false
    /// Incremented when the contents are discarded. A call that began before must not put its contents back.
    private var generation = 0

    init(storage: any StorageProvider, directory: URL?) {
        self.storage = storage
        self.directory = directory
    }

    /// Returns the contents of exactly one snapshot.
    ///
    /// Calls must not overlap. They are fast if each snapshot is at least as new as the one before.
    func contents(of snapshot: any StorageSnapshot) async throws -> Contents {
        guard contents.cursor != snapshot.stamp.cursor else { return contents }
        let generation = generation
        var next = contents
        if next.cursor == .start, let directory, !isIndexRejected {
            next = await Self.map(directory, snapshot.stamp)
        }
        next = try await Self.advanced(next, to: snapshot, storage)
        if generation == self.generation { contents = next }
        return next
    }

    /// Discards the contents after a new index has been written, so that the next use maps the new files.
    func reset() {
        generation += 1
        contents = Contents()
        isIndexRejected = false
    }

    /// Discards the contents and ignores the index files until ``reset()``, so that the next use builds the
    /// contents from the storage. Does nothing if another search has already rejected the files.
    func rejectIndex(_ reason: String) {
        guard !isIndexRejected else { return }
        let notice = contents.isMapped ? SearchNotice.unusableIndex(reason) : contents.notice
        generation += 1
        isIndexRejected = true
        contents = Contents()
        contents.notice = notice
    }

    @concurrent
    private static func map(_ directory: URL, _ stamp: Stamp) async -> Contents {
        do {
            return try Contents.map(directory, stamp) ?? Contents()
        } catch {
            var contents = Contents()
            contents.notice = .unusableIndex("\(error)")
            return contents
        }
    }

    /// Returns the contents of a snapshot: those of an earlier one with the changes since, or new ones.
    @concurrent
    private static func advanced(
        _ contents: Contents, to snapshot: any StorageSnapshot, _ storage: any StorageProvider
    ) async throws -> Contents {
        var next = contents
        // Entries that have changed after the snapshot are read from it, too, in their state at that time.
        let isEarlier = next.cursor != .start && next.cursor.revision <= snapshot.stamp.revision
        if isEarlier, next.cursor == snapshot.stamp.cursor { return next }
        let changed =
            isEarlier ? try await storage.changedEntries(after: next.cursor, limit: next.maximumChanges) : nil
        if let changed {
            if !changed.ids.isEmpty { try await next.update(changed.ids, from: snapshot) }
        } else {
            next = try await Contents(of: snapshot)
            next.notice = contents.notice
        }
        next.cursor = snapshot.stamp.cursor
        return next
    }
}
