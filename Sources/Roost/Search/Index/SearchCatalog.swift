import Foundation
import RoostFiles
import RoostModel

/// One state of a store for searching: a snapshot, and the derived contents of exactly this snapshot.
struct SearchState: Sendable {
    let snapshot: any StorageSnapshot
    let place: SearchPlace
    /// The vectors of passages; `nil` if the database compares vectors or no search needs them.
    let passages: PassageContents?
    /// The words of passages; `nil` if no search needs them.
    let words: TextContents?
}

struct SearchCatalog: Sendable {
    private let storage: any StorageProvider
    private let passages: DerivedCatalog<PassageContents>
    private let words: DerivedCatalog<TextContents>
    /// Opens states one after another, so that the contents only move forward from snapshot to snapshot.
    private let queue = TaskQueue()

    /// - Parameter folder: The folder with the index; `nil` for a store without a folder.
    init(storage: any StorageProvider, folder: IndexFolder?) {
        self.storage = storage
        passages = DerivedCatalog(storage: storage, folder: folder)
        words = DerivedCatalog(storage: storage, folder: folder)
    }

    /// Returns the latest state of the store.
    @concurrent
    func state(
        comparingAt place: @Sendable (any StorageSnapshot) -> SearchPlace, needsVectors: Bool,
        needsWords: Bool
    ) async throws -> SearchState {
        try await queue.run {
            let snapshot = try await storage.snapshot()
            let place = place(snapshot)
            let isLocal = needsVectors && place == .client
            async let passages = isLocal ? self.passages.contents(of: snapshot) : nil
            async let words = needsWords ? self.words.contents(of: snapshot) : nil
            return SearchState(
                snapshot: snapshot, place: place, passages: try await passages, words: try await words)
        }
    }

    /// Whether a search has read the whole store, because an index was missing, unusable or outdated.
    func hasReadStore() async -> Bool {
        if await passages.hasReadStore { return true }
        return await words.hasReadStore
    }

    func reset() async {
        await passages.reset()
        await words.reset()
    }

    func rejectIndex(_ reason: String) async { await passages.rejectIndex(reason) }
}

extension SearchNotice {
    /// Returns a notice for the user that an index, or a part of it, is not used.
    static func unusableIndex(_ reason: String) -> SearchNotice {
        SearchNotice(
            message: "the search index cannot be used (\(reason)); searches are slower without it",
            remedy: .rebuildIndex)
    }
}

/// Keeps the derived contents of one store, and brings them from one snapshot to the next.
actor DerivedCatalog<Contents: DerivedContents> {
    private let storage: any StorageProvider
    private let folder: IndexFolder?
    private var contents = Contents()
    /// Whether the index files are ignored because they turned out not to match the storage.
    private var isIndexRejected = false
    private(set) var hasReadStore = false
    /// Incremented when the contents are discarded. A call that began before must not put its contents back.
    private var generation = 0

    init(storage: any StorageProvider, folder: IndexFolder?) {
        self.storage = storage
        self.folder = folder
    }

    /// Returns the contents of exactly one snapshot.
    ///
    /// Calls must not overlap. They are fast if each snapshot is at least as new as the one before.
    func contents(of snapshot: any StorageSnapshot) async throws -> Contents {
        guard contents.cursor != snapshot.stamp.cursor else { return contents }
        let generation = generation
        var next = contents
        if next.cursor == .start, let folder, !isIndexRejected {
            next = await Self.map(folder, snapshot.stamp)
        }
        let isRead: Bool
        (next, isRead) = try await Self.advanced(next, to: snapshot, storage)
        hasReadStore = hasReadStore || isRead
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
        generation += 1
        isIndexRejected = true
        contents = Contents()
        contents.notice = .unusableIndex(reason)
    }

    @concurrent
    private static func map(_ folder: IndexFolder, _ stamp: Stamp) async -> Contents {
        do {
            return try Contents.map(folder, stamp) ?? Contents()
        } catch {
            var contents = Contents()
            contents.notice = .unusableIndex("\(error)")
            return contents
        }
    }

    /// Returns the contents of a snapshot: those of an earlier one with the changes since, or new ones, for which the
    /// whole store is read.
    @concurrent
    private static func advanced(
        _ contents: Contents, to snapshot: any StorageSnapshot, _ storage: any StorageProvider
    ) async throws -> (Contents, isRead: Bool) {
        var next = contents
        // Entries that have changed after the snapshot are read from it, too, in their state at that time.
        let isEarlier = next.cursor != .start && next.cursor.revision <= snapshot.stamp.revision
        if isEarlier, next.cursor == snapshot.stamp.cursor { return (next, false) }
        let changed =
            isEarlier ? try await storage.changedEntries(after: next.cursor, limit: next.maximumChanges) : nil
        if let changed {
            if !changed.ids.isEmpty { try await next.update(changed.ids, from: snapshot) }
        } else {
            next = try await Contents(of: snapshot)
            next.notice = contents.notice
        }
        next.cursor = snapshot.stamp.cursor
        return (next, changed == nil)
    }
}

/// Data for searching: mapped from the store's index files, or built from all entries if there is no usable
/// index. The change feed brings it up to date before each use.
protocol DerivedContents: Sendable {
    init()

    /// The position in the change feed up to which the contents include all changes; `.start` for contents
    /// that have not been loaded.
    var cursor: ChangeCursor { get set }

    /// A message to the user about how the contents were loaded.
    var notice: SearchNotice? { get set }

    /// The number of changed entries from which it is faster to read all entries in order.
    var maximumChanges: Int { get }

    /// Maps the store's index files.
    static func map(_ folder: IndexFolder, _ stamp: Stamp) throws -> Self?

    init(of snapshot: any StorageSnapshot) async throws

    mutating func update(_ changed: Set<Entry.ID>, from snapshot: any StorageSnapshot) async throws
}

/// The limits for catching up with changes, which all derived contents share.
enum CatchUpLimit {
    /// Up to this number of changed entries are always read one by one.
    private static let minimumChanges = 1000
    /// If more than one in this many rows has changed, reading all entries in order is faster.
    private static let maximumShare = 4
    /// The number of parts at which all newer parts are merged into one. Many small parts make searches slow.
    static let maximumParts = 32

    static func maximumChanges(of rows: Int) -> Int { max(minimumChanges, rows / maximumShare) }
}
