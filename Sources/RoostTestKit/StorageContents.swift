public import Foundation
public import RoostModel
import RoostVectors

/// Everything that can be read from a store, for comparison with another store or with an earlier state.
public struct StorageContents: Sendable, Hashable {
    /// A vector that was read from a page of vectors.
    public struct Vector: Sendable, Hashable {
        /// The id of the vector's entry.
        public var entry: Entry.ID
        /// The ordinal of the passage to which the vector belongs; 0 for the vector of an entry.
        public var ordinal: UInt32
        /// The elements of the vector.
        public var elements: [Float]
    }

    /// The revision of the snapshot.
    public var revision: Revision
    /// The entries in the order of their rows.
    public var entries: [Entry]
    /// The clusters with their members.
    public var clusters: [Cluster]
    /// The assignments, ordered by the rows of their entries.
    public var assignments: [Assignment]
    /// The clustering run that created the clusters.
    public var run: ClusteringRun?
    /// The source records, each with the ids of its entries.
    public var sources: [Source]
    /// The vectors of the entries, followed by those of the passages.
    public var vectors: [Vector]
    /// The ids of the entries that match each of several filters. The key is the name of the filter. There is
    /// one filter for each tag, each text value in the metadata, and each cluster.
    public var matches: [String: [Entry.ID]]
    /// All changes since the start of the change feed; empty for the contents of a snapshot.
    public var changes: [Change]

    /// Reads the contents of a store in pages of up to `pageSize` items.
    ///
    /// - Throws: An error thrown by the store; `StorageError` with `.damaged` if its answers contradict each other.
    public init(_ store: some StorageProvider, pageSize: Int = 100) async throws {
        let snapshot = try await store.snapshot()
        try await self.init(snapshot, pageSize: pageSize)
        guard let all = try await store.allChanges(after: .start, limit: pageSize) else {
            throw StorageError(.damaged, "reading the changes from the start required a reset")
        }
        changes = all.changes
    }

    /// Reads the contents of a snapshot, without the change feed, as those of a store.
    public init(_ snapshot: any StorageSnapshot, pageSize: Int = 100) async throws {
        revision = snapshot.stamp.revision
        entries = try await snapshot.allEntries(pageSize: pageSize).reduce(into: []) { $0.append($1) }
        guard try await snapshot.entries(entries.map(\.id)) == entries else {
            throw StorageError(.damaged, "the entries differ when they are read by their ids")
        }
        clusters = try await snapshot.clusters()
        assignments = try await snapshot.assignments(of: nil)
        run = try await snapshot.clusteringRun()
        sources = try await snapshot.sources(try await snapshot.sources().map(\.id))
        vectors = []
        for kind in [VectorPage.Kind.entries, .passages] {
            for try await page in snapshot.vectorPages(of: kind, pageSize: pageSize) {
                for index in page.rows.indices {
                    vectors.append(
                        Vector(
                            entry: page.ids[index], ordinal: page.ordinals[index],
                            elements: page.vectors.row(index)))
                }
            }
        }
        changes = []
        matches = [:]
        var filters: [String: EntryFilter] = [:]
        for tag in Set(entries.flatMap(\.tags)) { filters["tag \(tag)"] = EntryFilter(tags: [tag]) }
        for (key, value) in entries.flatMap(\.metadata) {
            guard let text = value.text else { continue }
            filters["\(key)=\(text)"] = EntryFilter(metadata: [key: text])
        }
        for cluster in clusters { filters["cluster \(cluster.id)"] = EntryFilter(cluster: cluster.id) }
        for (name, filter) in filters {
            matches[name] = try await snapshot.allEntries(matching: filter, pageSize: pageSize)
                .reduce(into: []) { $0.append($1.id) }
            guard try await snapshot.rows(matching: filter).count == matches[name]?.count else {
                throw StorageError(.damaged, "a filter matches different numbers of rows and of entries")
            }
        }
    }

    /// Returns the names of the parts in which these contents differ from the other contents.
    public func differences(from other: StorageContents) -> [String] {
        let parts: [(String, Bool)] = [
            ("revision", revision == other.revision), ("entries", entries == other.entries),
            ("clusters", clusters == other.clusters), ("assignments", assignments == other.assignments),
            ("run", run == other.run), ("sources", sources == other.sources),
            ("vectors", vectors == other.vectors),
            ("filters", matches == other.matches), ("changes", changes == other.changes),
        ]
        return parts.filter { !$0.1 }.map(\.0)
    }
}

extension StorageProvider {
    /// Reads all changes after a cursor.
    ///
    /// - Returns: `nil` if the store requires a reset.
    func allChanges(
        after cursor: ChangeCursor, limit: Int
    ) async throws -> (changes: [Change], next: ChangeCursor)? {
        var (all, follower): ([Change], _) = ([], ChangeFollower(self, after: cursor))
        while let (page, isLast) = try await follower.nextPage(limit: limit) {
            all += page
            if isLast { return (all, follower.cursor) }
        }
        return nil
    }
}

/// Reads the change feed page by page, and keeps the ids of the entries that the store contains according to it. A page
/// that does not advance is an error, so that no test hangs.
struct ChangeFollower {
    private let store: any StorageProvider
    private(set) var ids = Set<Entry.ID>()
    private(set) var cursor: ChangeCursor
    private var last: (revision: Revision, ordinal: UInt32) = (.zero, 0)

    init(_ store: any StorageProvider, after cursor: ChangeCursor = .start) {
        (self.store, self.cursor) = (store, cursor)
    }

    /// - Returns: `nil` if the store requires a reset.
    mutating func nextPage(limit: Int) async throws -> (changes: [Change], isLast: Bool)? {
        try Task.checkCancellation()
        guard
            case .changes(let page, let next, let isLast) = try await store.changes(
                after: cursor, limit: limit)
        else { return nil }
        func require(_ condition: Bool, _ message: String) throws {
            if !condition { throw StorageError(.damaged, message) }
        }
        try require(page.count <= limit, "a page with a limit of \(limit) has \(page.count) changes")
        try require(
            isLast || (!page.isEmpty && next != cursor),
            "a page of changes that is not the last one is empty or does not advance the cursor")
        for change in page {
            try require(
                (change.revision, change.ordinal) > last, "the change feed is out of order or repeats itself")
            last = (change.revision, change.ordinal)
            switch change.kind {
            case .upserted(let id): ids.insert(id)
            case .removed(let id): ids.remove(id)
            case .clustersReplaced: break
            }
        }
        // Programs store cursors as JSON.
        cursor = try JSONDecoder().decode(ChangeCursor.self, from: JSONEncoder().encode(next))
        return (page, isLast)
    }

    /// Reads a page from a store that needs no reset.
    mutating func readPage(limit: Int) async throws -> (changes: [Change], isLast: Bool) {
        if let page = try await nextPage(limit: limit) { return page }
        throw StorageError(.damaged, "a cursor of the current epoch required a reset")
    }
}
