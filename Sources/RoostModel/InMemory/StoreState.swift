package import Foundation
internal import HashTreeCollections

/// The contents of a store as a value.
///
/// The in-memory provider and the JSON provider keep their data in this structure. It is also the reference
/// implementation with which tests compare other providers.
///
/// A copy is a snapshot. The persistent trees share their structure, so a copy is O(1), and a later change of
/// a tree copies only the path to the changed node. The first change after a copy also copies the array of new
/// ids, which is short compared with the entries. Archived entries are not held in memory; they are read on
/// request.
package struct StoreState: Sendable {
    struct Row: Sendable {
        var stored: StoredEntry
        var row: UInt32
        var position: ChangePosition
    }

    enum StoredEntry: Sendable {
        case resident(ResidentEntry)
        /// The index of the entry's record in `archived`.
        case archived(Int)
    }

    final class ResidentEntry: Sendable {
        let entry: Entry
        let digest: ContentDigest

        init(_ entry: Entry) {
            self.entry = entry
            digest = ContentDigest(of: entry.content)
        }
    }

    let store: UUID
    var epoch: UUID
    var revision: Revision
    var archived = ArchivedEntries.empty
    var rows: TreeDictionary<UUID, Row> = [:]
    /// The first row number that is not used by the archive.
    var firstNewRow = 0
    /// The ids of the entries in row `firstNewRow` and the following rows; `nil` for a removed entry.
    var newIDs: [UUID?] = []
    /// The removed entries that are not forgotten yet.
    var tombstones: TreeDictionary<UUID, Removal> = [:]
    /// A date before which no remembered removal was made; `nil` if no removal is remembered. Without it,
    /// every commit would have to look for removals to forget.
    var earliestRemoval: Date?
    /// The revision up to which removals have been forgotten.
    var horizon = Revision.zero
    /// For each content digest, one entry in memory that has this content and an embedding. When that entry
    /// is removed, so is the digest, even if another entry has the same content.
    var embedded: TreeDictionary<ContentDigest, UUID> = [:]
    /// For each source, the ids of its entries that are in memory.
    var residentsBySource: TreeDictionary<ExactText, TreeSet<UUID>> = [:]
    var sourceRecords: TreeDictionary<ExactText, Source> = [:]
    var clusterOrder: [UUID] = []
    var clusterRecords: [UUID: Cluster] = [:]
    var assignmentsByEntry: TreeDictionary<UUID, Assignment> = [:]
    var run: ClusteringRun?
    var clustersPosition: ChangePosition?
    /// The dimension of all vectors; `nil` while the store has no vectors.
    var dimension: Int?
    var vectorCount = 0

    package init(store: UUID = UUID(), epoch: UUID = UUID(), revision: Revision = .zero) {
        (self.store, self.epoch, self.revision) = (store, epoch, revision)
    }

    /// Creates the state of a backend that stores only entries and clusters.
    ///
    /// Dates serve as revisions: the revision of an entry is its `updatedAt` in milliseconds, and the
    /// revision of the store is the latest `updatedAt`.
    ///
    /// - Parameters:
    ///   - store: The id of the store, which is also its epoch; `unnamed` by default.
    ///   - entries: The entries, in the order of their rows.
    ///   - clusters: The clusters with their members. Members that are not among `entries` are ignored. An
    ///     entry that is a member of several clusters belongs to the one that was updated last.
    /// - Throws: ``StorageError`` with `.invalidBatch` or `.dimensionMismatch`.
    package init(store: UUID? = nil, entries: [Entry], clusters: [Cluster]) throws {
        self.init(store: store ?? Self.unnamed, epoch: store ?? Self.unnamed)
        var batch = WriteBatch(upserts: entries, clusters: clusters)
        let known = Set(entries.map(\.id))
        batch.assignments = Self.assignments(to: clusters).filter { known.contains($0.entry) }
        try apply(batch)
        func revision(at date: Date) -> Revision {
            max(Revision(rawValue: UInt64(clamping: date.milliseconds)), Revision.zero.next)
        }
        for (index, entry) in entries.enumerated() {
            rows[entry.id]?.position = ChangePosition(
                revision: revision(at: entry.updatedAt), ordinal: UInt32(index + 1))
        }
        clustersPosition = clusters.map(\.updatedAt).max().map {
            ChangePosition(revision: revision(at: $0), ordinal: .max)
        }
        let latest = (entries.map(\.updatedAt) + clusters.map(\.updatedAt)).max()
        self.revision = max(self.revision, latest.map(revision) ?? .zero)
    }

    private static func assignments(to clusters: [Cluster]) -> [Assignment] {
        // A backend that saves clusters one by one still has the former cluster of an entry that moved to
        // another one, either until that cluster is saved or for as long as its caller does not save it.
        var latest: [Entry.ID: Cluster] = [:]
        for cluster in clusters {
            for member in cluster.members {
                if let other = latest[member], other.updatedAt > cluster.updatedAt { continue }
                latest[member] = cluster
            }
        }
        var assigned = Set<Entry.ID>()
        return clusters.flatMap { cluster in
            cluster.members.filter { latest[$0]?.id == cluster.id && assigned.insert($0).inserted }.map {
                Assignment(entry: $0, target: .cluster(cluster.id), similarity: cluster.cohesion)
            }
        }
    }

    /// The id and epoch of a store whose backend does not keep a store id and an epoch. The changes of such a
    /// store cannot be followed.
    package static let unnamed = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    // MARK: Entries

    package var stamp: Stamp {
        Stamp(
            store: store, epoch: epoch, revision: revision, entryCount: rows.count,
            clusterCount: clusterOrder.count)
    }

    /// Returns the entry with the given id, or `nil` if the store does not contain it.
    package func entry(_ id: Entry.ID) throws -> Entry? { try rows[id].map { try entry(of: $0) } }

    /// Returns the entry in a row.
    func entry(of row: Row, withVectors: Bool = true) throws -> Entry {
        switch row.stored {
        case .resident(let resident): resident.entry
        case .archived(let index): try archived.entry(index, withVectors)
        }
    }

    /// Returns the facts about the entry in a row, without reading the entry.
    func record(of row: Row) -> ArchivedEntries.Record {
        switch row.stored {
        case .resident(let resident):
            ArchivedEntries.Record(
                id: resident.entry.id, row: row.row, position: row.position,
                dimension: resident.entry.embeddings.count, digest: resident.digest,
                source: resident.entry.source)
        case .archived(let index): archived.records[index]
        }
    }

    func embeddedEntry(withContent digest: ContentDigest) throws -> Entry? {
        if let id = embedded[digest], let row = rows[id] { return try entry(of: row) }
        guard let index = archived.index(ofContent: digest),
            let row = rows[archived.records[index].id], case .archived(index) = row.stored
        else { return nil }
        return try entry(of: row)
    }

    /// Returns the rows after `row` in ascending order, or all rows if `row` is `nil`.
    func rows(after row: UInt32?) -> some Sequence<Row> {
        let old = archived.records[archived.firstIndex(after: row)...].lazy.compactMap { record in
            rows[record.id].flatMap { $0.row == record.row ? $0 : nil }
        }
        let start = row.map { min(max(0, Int($0) + 1 - firstNewRow), newIDs.count) } ?? 0
        let new = newIDs[start...].lazy.compactMap { id in id.flatMap { rows[$0] } }
        return [AnySequence(old), AnySequence(new)].joined()
    }

    /// Returns the rows that can match a filter, in ascending order. If the filter specifies ids or sources,
    /// these are the rows of the entries with those ids or sources; otherwise, all rows.
    func candidates(for filter: EntryFilter, after row: UInt32?) -> AnySequence<Row> {
        var ids: [UUID]
        if let asked = filter.ids {
            ids = Array(asked)
        } else if let sources = filter.sources {
            ids = sources.flatMap { self.ids(ofSource: $0) }
        } else {
            return AnySequence(rows(after: row))
        }
        let found = ids.compactMap { rows[$0] }.filter { $0.row > row ?? 0 || row == nil }
        return AnySequence(found.sorted { $0.row < $1.row })
    }

    /// Returns whether a row matches a filter. An archived entry is read only if the filter depends on its
    /// contents.
    func matches(_ row: Row, _ filter: EntryFilter) throws -> Bool {
        if filter.matchesAll { return true }
        let record = record(of: row)
        let id = record.id
        guard filter.allows(source: record.source) else { return false }
        if let cluster = filter.cluster, assignmentsByEntry[id]?.cluster != cluster { return false }
        if filter.isUnclustered, assignmentsByEntry[id]?.cluster != nil { return false }
        if !filter.dependsOnContents {
            return filter.ids?.contains(id) != false
                && filter.idPrefix.map(id.uuidString.lowercased().hasPrefix) != false
        }
        return filter.matches(try entry(of: row, withVectors: false), assigned: filter.cluster)
    }

    // MARK: Sources and clusters

    package var sourceCount: Int { sourceRecords.count }

    /// All source records in the order of their ids, without the ids of their entries.
    package var sources: [Source] { sourceRecords.sorted { $0.key < $1.key }.map(\.value) }

    /// Returns the ids of the entries of a source, in ascending order of rows.
    func ids(ofSource id: Source.ID) -> [UUID] {
        var found: [Row] = residentsBySource[ExactText(id)]?.compactMap { rows[$0] } ?? []
        for index in archived.indices(ofSource: id) {
            guard let row = rows[archived.records[index].id], case .archived(index) = row.stored else {
                continue
            }
            found.append(row)
        }
        return found.sorted { $0.row < $1.row }.map { record(of: $0).id }
    }

    /// The revision of the latest change of clusters, run or assignments; `.zero` if there was none.
    package var clustersRevision: Revision { clustersPosition?.revision ?? .zero }

    /// Returns the clusters with their members, in the order in which they were first saved.
    package func clustersWithMembers() -> [Cluster] {
        var members: [UUID: [UUID]] = [:]
        if !clusterOrder.isEmpty {
            for row in rows(after: nil) {
                let id = record(of: row).id
                if let cluster = assignmentsByEntry[id]?.cluster { members[cluster, default: []].append(id) }
            }
        }
        return clusterOrder.compactMap { id in
            guard var cluster = clusterRecords[id] else { return nil }
            cluster.members = members[id] ?? []
            cluster.representatives.removeAll { rows[$0] == nil }
            return cluster
        }
    }

    /// All assignments, in the order of their entries' rows.
    package var assignments: [Assignment] {
        assignmentsByEntry.isEmpty
            ? [] : rows(after: nil).compactMap { assignmentsByEntry[record(of: $0).id] }
    }

    // MARK: Changes

    /// Returns the changes after a cursor.
    ///
    /// - Complexity: O(1) if nothing has changed since, otherwise O(n), where n is the number of entries and
    ///   remembered removals.
    package func changes(after cursor: ChangeCursor, limit: Int) throws -> ChangePage {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        guard let cursor = cursor.resolved(epoch: epoch, revision: revision, horizon: horizon) else {
            return .resetRequired
        }
        let start = ChangePosition(revision: cursor.revision, ordinal: cursor.ordinal)
        var first = FirstChanges(limit: limit)
        if start < ChangePosition(revision: revision, ordinal: .max) {
            for (id, row) in rows where row.position > start { first.add(.upserted(id), row.position) }
            for (id, removal) in tombstones where removal.position > start {
                first.add(.removed(id), removal.position)
            }
            if let clustersPosition, clustersPosition > start {
                first.add(.clustersReplaced(run?.id), clustersPosition)
            }
        }
        return cursor.page(of: first.changes, limit: limit, revision: revision)
    }

    /// Collects changes in any order, and keeps at least one more of the first ones than a page has.
    private struct FirstChanges {
        let limit: Int
        var changes: [Change] = []

        /// - Complexity: O(log(limit)) amortized.
        mutating func add(_ kind: Change.Kind, _ position: ChangePosition) {
            changes.append(Change(kind: kind, revision: position.revision, ordinal: position.ordinal))
            guard changes.count / 4 > limit else { return }
            changes.sort { ($0.revision, $0.ordinal) < ($1.revision, $1.ordinal) }
            changes.removeSubrange((limit + 1)...)
        }
    }
}

/// The position of a change in the change feed: its commit, and its ordinal within the commit.
package struct ChangePosition: Sendable, Hashable, Comparable {
    package var revision: Revision
    package var ordinal: UInt32

    package init(revision: Revision, ordinal: UInt32) { (self.revision, self.ordinal) = (revision, ordinal) }

    package static func < (left: ChangePosition, right: ChangePosition) -> Bool {
        (left.revision, left.ordinal) < (right.revision, right.ordinal)
    }
}
