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

/// Loads the derived contents of one store and keeps them up to date.
actor DerivedCatalog<Contents: DerivedContents> {
    private let storage: any StorageProvider
    /// The store's folder, which contains the index; `nil` for a store without a folder.
    private let directory: URL?
    private var contents = Contents()
    /// Whether the index files are ignored because they turned out not to match the storage.
    private var isIndexRejected = false
    /// Incremented when the contents are discarded. A call that began before must not put
    /// its contents back.
    private var generation = 0
    /// Whether a call loads the contents for the first time, and the calls that wait for it.
    private var isLoading = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(storage: any StorageProvider, directory: URL?) {
        self.storage = storage
        self.directory = directory
    }

    /// Returns the contents with all changes that have been committed before the call.
    ///
    /// Calls may overlap. Contents that have not been loaded are loaded by one call, and the other calls wait
    /// for it. After that, each call works on its own copy, and the newest copy is kept.
    func current() async throws -> Contents {
        while contents.cursor == .start, isLoading { await withCheckedContinuation { waiting.append($0) } }
        guard contents.cursor == .start else { return try await updated() }
        isLoading = true
        defer {
            isLoading = false
            // If loading failed, the next call tries again.
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
        return try await updated()
    }

    private func updated() async throws -> Contents {
        let generation = generation
        var current = contents
        var isCaughtUp = false
        if current.cursor == .start, let directory, !isIndexRejected {
            current = try await Self.map(directory, storage)
        }
        if current.cursor != .start { isCaughtUp = try await Self.catchUp(&current, storage) }
        if !isCaughtUp {
            let notice = current.notice
            current = try await Self.load(storage)
            current.notice = notice
        }
        let isNewest =
            current.cursor.epoch != contents.cursor.epoch
            || current.cursor.revision >= contents.cursor.revision
        if isNewest, generation == self.generation { contents = current }
        return current
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
    private static func map(_ directory: URL, _ storage: any StorageProvider) async throws -> Contents {
        let snapshot = try await storage.snapshot()
        do {
            return try Contents.map(directory, snapshot.stamp) ?? Contents()
        } catch {
            var contents = Contents()
            contents.notice = .unusableIndex("\(error)")
            return contents
        }
    }

    @concurrent
    private static func load(_ storage: any StorageProvider) async throws -> Contents {
        let snapshot = try await storage.snapshot()
        var contents = try await Contents(of: snapshot)
        contents.cursor = snapshot.stamp.cursor
        return contents
    }

    /// Applies the changes since the contents' cursor.
    ///
    /// - Returns: `false` if the contents must be built again.
    @concurrent
    private static func catchUp(_ contents: inout Contents, _ storage: any StorageProvider) async throws
        -> Bool
    {
        guard
            let changed = try await storage.changedEntries(
                after: contents.cursor, limit: contents.maximumChanges)
        else { return false }
        contents.cursor = changed.next
        guard !changed.ids.isEmpty else { return true }
        try await contents.update(changed.ids, from: try await storage.snapshot())
        return true
    }
}
