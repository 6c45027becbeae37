import Foundation
import RoostModel

/// Data for searching that is derived from the entries of a store.
///
/// The data is mapped from the store's index files, or built from all entries if there is no usable index.
/// The change feed brings it up to date before each use.
protocol DerivedContents: Sendable {
    /// Creates contents without entries, which have the cursor `.start`.
    init()

    /// The position in the change feed up to which the contents include all changes; `.start` for contents
    /// that have not been loaded.
    var cursor: ChangeCursor { get set }

    /// Whether a part of the contents is mapped from the store's index files.
    var isMapped: Bool { get }

    /// A message to the user about how the contents were loaded.
    var notice: SearchNotice? { get set }

    /// The maximum number of changed entries to read one by one. If more have changed, it is faster to read
    /// all entries in order.
    var maximumChanges: Int { get }

    /// Maps the store's index files.
    ///
    /// - Parameter stamp: The current state of the store.
    /// - Returns: `nil` if the store has no index for its current history.
    /// - Throws: `SectionFile/Unusable` if the index is damaged.
    static func map(_ directory: URL, _ stamp: Stamp) throws -> Self?

    /// Replaces the store's index files if an earlier version of the program wrote them in a form that this
    /// version does not use.
    ///
    /// - Throws: `StorageError`, for example if the folder is read-only; `CancellationError`. The files are
    ///   then unchanged.
    static func replaceOutdatedFiles(_ directory: URL, _ snapshot: any StorageSnapshot) async throws

    /// Builds the contents from all entries.
    init(of snapshot: any StorageSnapshot) async throws

    /// Updates the contents for entries that have been changed or removed.
    mutating func update(_ changed: Set<Entry.ID>, from snapshot: any StorageSnapshot) async throws
}

extension DerivedContents {
    static func replaceOutdatedFiles(_ directory: URL, _ snapshot: any StorageSnapshot) async throws {}

    /// The revision up to which the contents include all changes. They may include later ones.
    var revision: Revision { cursor.revision }
}

/// The limits for catching up with changes, which all derived contents share.
enum CatchUpLimit {
    /// Up to this number of changed entries are always read one by one.
    private static let minimumChanges = 1000
    /// If more than one in this many rows has changed, reading all entries in order is faster.
    private static let maximumShare = 4
    /// The number of parts at which all newer parts are merged into one. Many small parts make searches slow.
    static let maximumParts = 32

    /// Returns the maximum number of changed entries to read one by one.
    static func maximumChanges(of rows: Int) -> Int { max(minimumChanges, rows / maximumShare) }
}

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
        if current.cursor.epoch != contents.cursor.epoch
            || current.cursor.revision >= contents.cursor.revision
        {
            contents = current
        }
        return current
    }

    /// Discards the contents after a new index has been written, so that the next use maps the new files.
    func reset() {
        contents = Contents()
        isIndexRejected = false
    }

    /// Builds the contents from the storage, and ignores the index files until ``reset()``.
    func rejectIndex(_ reason: String) async throws {
        isIndexRejected = true
        var loaded = try await Self.load(storage)
        loaded.notice = .unusableIndex(reason)
        contents = loaded
    }

    /// Changes the contents after a part of them has turned out to be unusable.
    func update(_ change: @Sendable (inout Contents) -> Void) { change(&contents) }

    @concurrent
    private static func map(_ directory: URL, _ storage: any StorageProvider) async throws -> Contents {
        let snapshot = try await storage.snapshot()
        // If the files cannot be replaced, the contents are built in memory.
        try? await Contents.replaceOutdatedFiles(directory, snapshot)
        try Task.checkCancellation()
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
