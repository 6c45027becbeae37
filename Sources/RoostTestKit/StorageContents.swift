public import Foundation
public import RoostModel
import RoostVectors

/// Everything that a store answers, to be compared with another store's answers or with what was there
/// before.
public struct StorageContents: Sendable, Hashable {
    /// A vector as it comes from a page of vectors.
    public struct Vector: Sendable, Hashable {
        public var entry: Entry.ID
        public var ordinal: UInt32
        public var numbers: [Float]
    }

    public var revision: Revision
    public var entries: [Entry]
    /// The same entries, asked for by their ids.
    public var entriesByID: [Entry]
    public var clusters: [Cluster]
    public var assignments: [Assignment]
    public var run: ClusteringRun?
    public var sources: [Source]
    /// Of entries, then of passages.
    public var vectors: [Vector]
    /// The entries that each tag, value of metadata and cluster finds.
    public var found: [String: [Entry.ID]]
    public var changes: [Change]

    /// Reads a store by pages of this size.
    ///
    /// - Throws: what the store throws; ``StorageError`` with `.damaged` where its answers contradict each
    ///   other.
    public init(_ store: some StorageProvider, pageSize: Int = 100) async throws {
        let snapshot = try await store.snapshot()
        try await self.init(snapshot, pageSize: pageSize)
        var cursor = ChangeCursor.start
        while true {
            guard
                case .changes(let page, let next, let isLast) = try await store.changes(
                    after: cursor, limit: pageSize)
            else { throw StorageError(.damaged, "a reset from the start of the changes") }
            changes += page
            cursor = next
            if isLast { break }
        }
    }

    /// Reads a snapshot; changes are not read.
    public init(_ snapshot: any StorageSnapshot, pageSize: Int = 100) async throws {
        revision = snapshot.stamp.revision
        entries = try await Self.page(snapshot, .all, pageSize)
        entriesByID = try await snapshot.entries(entries.map(\.id))
        clusters = try await snapshot.clusters()
        assignments = try await snapshot.assignments(of: nil)
        run = try await snapshot.clusteringRun()
        sources = try await snapshot.sources(try await snapshot.sources().map(\.id))
        vectors = []
        for kind in [VectorPage.Kind.entries, .passages] {
            var row: UInt32?
            repeat {
                let page = try await snapshot.vectors(of: kind, after: row, limit: pageSize)
                for index in page.rows.indices {
                    vectors.append(
                        Vector(
                            entry: page.ids[index], ordinal: page.ordinals[index],
                            numbers: page.vectors.row(index)))
                }
                row = page.next
            } while row != nil
        }
        changes = []
        found = [:]
        var filters: [String: EntryFilter] = [:]
        for tag in Set(entries.flatMap(\.tags)) { filters["tag \(tag)"] = EntryFilter(tags: [tag]) }
        for (key, value) in entries.flatMap(\.metadata) {
            guard let text = value.text else { continue }
            filters["\(key)=\(text)"] = EntryFilter(metadata: [key: text])
        }
        for cluster in clusters { filters["cluster \(cluster.id)"] = EntryFilter(cluster: cluster.id) }
        for (name, filter) in filters {
            found[name] = try await Self.page(snapshot, filter, pageSize).map(\.id)
            guard try await snapshot.rows(matching: filter).count == found[name]?.count else {
                throw StorageError(.damaged, "a filter finds other rows than entries")
            }
        }
    }

    private static func page(
        _ snapshot: any StorageSnapshot, _ filter: EntryFilter, _ size: Int
    ) async throws -> [Entry] {
        var entries: [Entry] = []
        var row: UInt32?
        repeat {
            let page = try await snapshot.entries(after: row, limit: size, matching: filter)
            entries += page.entries
            row = page.next
        } while row != nil
        return entries
    }

    /// Which parts differ from another's, by name.
    public func differences(from other: StorageContents) -> [String] {
        let parts: [(String, Bool)] = [
            ("revision", revision == other.revision), ("entries", entries == other.entries),
            ("entries by id", entriesByID == other.entriesByID), ("clusters", clusters == other.clusters),
            ("assignments", assignments == other.assignments), ("run", run == other.run),
            ("sources", sources == other.sources), ("vectors", vectors == other.vectors),
            ("filters", found == other.found), ("changes", changes == other.changes),
        ]
        return parts.filter { !$0.1 }.map(\.0)
    }
}
