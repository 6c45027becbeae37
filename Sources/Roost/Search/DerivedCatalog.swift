import Foundation
import RoostModel

/// What is derived from a store's entries and held for searching: mapped from the store's index, or made of
/// all entries where there is none of use, and caught up from the change feed at each use.
protocol DerivedContents: Sendable {
    init()

    /// What it knows of; `.start` where it is of nothing.
    var cursor: ChangeCursor { get set }

    /// Whether some of it is of the store's index.
    var isMapped: Bool { get }

    /// What people should know of how it was had.
    var notice: String? { get set }

    /// As many changed entries are looked at one by one; beyond, all entries in order are quicker.
    var reach: Int { get }

    /// What the store's index has; `nil` where there is none of this history.
    ///
    /// - Throws: where it is damaged.
    static func map(_ directory: URL, _ stamp: Stamp) throws -> Self?

    /// Makes it of all entries.
    init(of snapshot: any StorageSnapshot) async throws

    /// Takes in entries that were changed or removed.
    ///
    mutating func follow(_ changed: Set<Entry.ID>, _ snapshot: any StorageSnapshot) async throws
}

extension DerivedContents {
    /// Entries are as they were at this revision, at least.
    var revision: Revision { cursor.revision }
}

/// Holds what is derived from a store and keeps up with it.
actor DerivedCatalog<Contents: DerivedContents> {
    private let storage: any StorageProvider
    /// The store's folder, where the index lies.
    private let directory: URL?
    private var contents = Contents()
    /// Whether the index has said what the storage does not.
    private var isIndexDistrusted = false

    init(storage: any StorageProvider, directory: URL?) {
        self.storage = storage
        self.directory = directory
    }

    /// The contents as of now.
    ///
    /// Calls may overlap: each works on a copy, and the newest is kept.
    func current() async throws -> Contents {
        var caughtUp = contents
        var isWhole = false
        if caughtUp.cursor == .start, let directory, !isIndexDistrusted {
            caughtUp = try await Self.map(directory, storage)
        }
        if caughtUp.cursor != .start { isWhole = try await Self.follow(&caughtUp, storage) }
        if !isWhole {
            let notice = caughtUp.notice
            caughtUp = try await Self.load(storage)
            caughtUp.notice = notice
        }
        if caughtUp.cursor.epoch != contents.cursor.epoch
            || caughtUp.cursor.revision >= contents.cursor.revision
        {
            contents = caughtUp
        }
        return caughtUp
    }

    /// Forgets what was had: an index has been built.
    func forget() {
        contents = Contents()
        isIndexDistrusted = false
    }

    /// Forgets what was had, and does not use the index again.
    func distrustIndex(since reason: String = "it does not agree with the store") async throws {
        isIndexDistrusted = true
        var loaded = try await Self.load(storage)
        loaded.notice = Self.notice(reason)
        contents = loaded
    }

    /// Changes what is had: some of it turned out not to be of use.
    func update(_ change: @Sendable (inout Contents) -> Void) { change(&contents) }

    @concurrent
    private static func map(_ directory: URL, _ storage: any StorageProvider) async throws -> Contents {
        let stamp = try await storage.snapshot().stamp
        do {
            var contents = try Contents.map(directory, stamp) ?? Contents()
            contents.notice = contents.notice.map(Self.notice)
            return contents
        } catch {
            var contents = Contents()
            contents.notice = notice("\(error)")
            return contents
        }
    }

    /// What people are told of an index that is not used, or not all of it.
    static func notice(_ reason: String) -> String {
        "the index of the store cannot be used as it is (\(reason)), which costs time; "
            + "`roost index build` writes it anew"
    }

    @concurrent
    private static func load(_ storage: any StorageProvider) async throws -> Contents {
        let snapshot = try await storage.snapshot()
        var contents = try await Contents(of: snapshot)
        contents.cursor = snapshot.stamp.cursor
        return contents
    }

    /// - Returns: `false` where everything must be loaded again.
    @concurrent
    private static func follow(_ contents: inout Contents, _ storage: any StorageProvider) async throws
        -> Bool
    {
        guard
            let (changed, cursor) = try await storage.changedEntries(
                after: contents.cursor, limit: contents.reach)
        else { return false }
        contents.cursor = cursor
        guard !changed.isEmpty else { return true }
        try await contents.follow(changed, try await storage.snapshot())
        return true
    }
}
