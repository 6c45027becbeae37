package import Foundation
internal import HashTreeCollections

/// The contents of a store as a value: the reference that every store is compared with, and what the
/// in-memory and the JSON provider keep.
///
/// A copy is a snapshot: the trees share their structure, so that taking one costs nothing and a change
/// after it copies only the path to what it changed. Entries that came from an archive are not in memory:
/// they are read when they are asked for.
package struct StoreState: Sendable {
    struct Row: Sendable {
        var stored: StoredEntry
        var row: UInt32
        var position: ChangePosition
    }

    enum StoredEntry: Sendable {
        case held(HeldEntry)
        /// At this place of `archived`.
        case archived(Int)
    }

    /// An entry in memory, with its content's digest.
    final class HeldEntry: Sendable {
        let entry: Entry
        let digest: ContentDigest

        init(_ entry: Entry) {
            self.entry = entry
            digest = ContentDigest(of: entry.content)
        }
    }

    struct Tombstone: Sendable {
        var position: ChangePosition
        var removedAt: Date
    }

    let store: UUID
    var epoch: UUID
    var revision: Revision
    let archived: ArchivedEntries
    var rows: TreeDictionary<UUID, Row> = [:]
    /// The first row number that is not the archive's.
    let firstNewRow: Int
    /// The entry of each row number from `firstNewRow`; `nil` where it was removed.
    var newIDs: [UUID?] = []
    var log: ChangeLog
    var tombstones: TreeDictionary<UUID, Tombstone> = [:]
    /// Removals up to this revision have been forgotten.
    var horizon = Revision.zero
    /// Some held entry with embeddings for each content; one may be missing after another of the same
    /// content was removed.
    var embedded: TreeDictionary<ContentDigest, UUID> = [:]
    /// The held entries of each source.
    var heldBySource: TreeDictionary<ExactText, TreeSet<UUID>> = [:]
    var sourceRecords: TreeDictionary<ExactText, Source> = [:]
    var clusterOrder: [UUID] = []
    var clusterRecords: [UUID: Cluster] = [:]
    var assignmentsByEntry: TreeDictionary<UUID, Assignment> = [:]
    var run: ClusteringRun?
    var clustersPosition: ChangePosition?
    /// The dimension that all vectors have; `nil` while there is none.
    var dimension: Int?
    var vectorCount = 0

    /// An empty store.
    package init(store: UUID = UUID(), epoch: UUID = UUID(), revision: Revision = .zero) {
        self.init(
            store: store, epoch: epoch, revision: revision, archived: .empty, firstNewRow: 0, log: ChangeLog()
        )
    }

    init(
        store: UUID, epoch: UUID, revision: Revision, archived: ArchivedEntries, firstNewRow: Int,
        log: ChangeLog
    ) {
        self.store = store
        self.epoch = epoch
        self.revision = revision
        self.archived = archived
        self.firstNewRow = firstNewRow
        self.log = log
    }

    /// The contents of a backend that keeps nothing but entries and clusters. An entry's revision is its
    /// date in milliseconds, the store's the latest date.
    package init(store: UUID? = nil, entries: [Entry], clusters: [Cluster]) throws {
        self.init(store: store ?? Self.unnamed, epoch: store ?? Self.unnamed)
        var batch = WriteBatch(upserts: entries, clusters: clusters)
        batch.assignments = clusters.flatMap { cluster in
            cluster.members.map {
                Assignment(entry: $0, place: .cluster(cluster.id), similarity: cluster.cohesion)
            }
        }
        let known = Set(entries.map(\.id))
        batch.assignments.removeAll { !known.contains($0.entry) }
        try apply(batch)
        log = ChangeLog()
        var items: [(ChangePosition, ChangeLog.Subject)] = []
        for (index, entry) in entries.enumerated() {
            let date = Revision(rawValue: UInt64(clamping: entry.updatedAt.milliseconds))
            let position = ChangePosition(revision: max(date, Revision.zero.next), ordinal: UInt32(index + 1))
            rows[entry.id]?.position = position
            items.append((position, .entry(entry.id)))
        }
        if let latest = clusters.map(\.updatedAt.milliseconds).max() {
            let position = ChangePosition(
                revision: max(Revision(rawValue: UInt64(clamping: latest)), Revision.zero.next), ordinal: .max
            )
            clustersPosition = position
            items.append((position, .clusters))
        }
        for (position, subject) in items.sorted(by: { $0.0 < $1.0 }) { log.append(position, subject) }
        let latest = (entries.map(\.updatedAt) + clusters.map(\.updatedAt)).map(\.milliseconds).max() ?? 0
        revision = max(revision, Revision(rawValue: UInt64(clamping: latest)))
    }

    package static let unnamed = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    // MARK: Entries

    package var stamp: Stamp {
        Stamp(
            store: store, epoch: epoch, revision: revision, entryCount: rows.count,
            clusterCount: clusterOrder.count)
    }

    /// - Throws: ``StorageError`` where an archived entry cannot be read.
    package func entry(_ id: Entry.ID) throws -> Entry? { try rows[id].map { try entry(of: $0) } }

    func row(of id: Entry.ID) -> Row? { rows[id] }

    /// - Parameter withVectors: `false` may leave embeddings and passages out.
    func entry(of row: Row, withVectors: Bool = true) throws -> Entry {
        switch row.stored {
        case .held(let held): held.entry
        case .archived(let index): try archived.contents.entry(at: index, withVectors: withVectors)
        }
    }

    func id(of row: Row) -> UUID {
        switch row.stored {
        case .held(let held): held.entry.id
        case .archived(let index): archived.places[index].id
        }
    }

    func source(of row: Row) -> Source.ID? {
        switch row.stored {
        case .held(let held): held.entry.source
        case .archived(let index): archived.places[index].source
        }
    }

    func dimension(of row: Row) -> Int {
        switch row.stored {
        case .held(let held): held.entry.embeddings.count
        case .archived(let index): archived.places[index].dimension
        }
    }

    func embeddedEntry(withContent digest: ContentDigest) throws -> Entry? {
        if let id = embedded[digest], let row = rows[id] { return try entry(of: row) }
        guard let index = archived.index(ofContent: digest),
            let row = rows[archived.places[index].id], case .archived(index) = row.stored
        else { return nil }
        return try entry(of: row)
    }

    /// The rows from after one, ascending.
    func rows(after row: UInt32?) -> some Sequence<Row> {
        let old = archived.places[archived.firstIndex(after: row)...].lazy.compactMap { place in
            rows[place.id].flatMap { $0.row == place.row ? $0 : nil }
        }
        let start = row.map { min(max(0, Int($0) + 1 - firstNewRow), newIDs.count) } ?? 0
        let new = newIDs[start...].lazy.compactMap { id in id.flatMap { rows[$0] } }
        return Chain(first: old.makeIterator(), second: new.makeIterator())
    }

    private struct Chain<First: IteratorProtocol, Second: IteratorProtocol>: Sequence, IteratorProtocol
    where First.Element == Second.Element {
        var first: First
        var second: Second

        mutating func next() -> First.Element? { first.next() ?? second.next() }
    }

    /// The rows that may meet a filter, ascending: by its ids or sources where it names some, else all.
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

    /// Whether a row meets a filter; its entry is read only where the filter asks for what is in it.
    func matches(_ row: Row, _ filter: EntryFilter) throws -> Bool {
        if filter.matchesAll { return true }
        let id = id(of: row)
        guard filter.allows(source: source(of: row)) else { return false }
        if let cluster = filter.cluster, assignmentsByEntry[id]?.cluster != cluster { return false }
        if !filter.asksForContents {
            return filter.ids?.contains(id) != false
                && filter.idPrefix.map(id.uuidString.lowercased().hasPrefix) != false
        }
        return filter.matches(try entry(of: row, withVectors: false), assigned: filter.cluster)
    }

    // MARK: Sources and clusters

    func source(_ id: Source.ID) -> Source? { sourceRecords[ExactText(id)] }

    package var sources: [Source] { sourceRecords.sorted { $0.key < $1.key }.map(\.value) }

    /// The ids of a source's entries, in the order of their rows.
    func ids(ofSource id: Source.ID) -> [UUID] {
        var found: [Row] = heldBySource[ExactText(id)]?.compactMap { rows[$0] } ?? []
        for index in archived.indices(ofSource: id) {
            guard let row = rows[archived.places[index].id], case .archived(index) = row.stored else {
                continue
            }
            found.append(row)
        }
        return found.sorted { $0.row < $1.row }.map { self.id(of: $0) }
    }

    package var clustersRevision: Revision { clustersPosition?.revision ?? .zero }

    func assignment(of id: Entry.ID) -> Assignment? { assignmentsByEntry[id] }

    package func clustersWithMembers() -> [Cluster] {
        var members: [UUID: [UUID]] = [:]
        if !clusterOrder.isEmpty {
            for row in rows(after: nil) {
                let id = id(of: row)
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

    package var assignments: [Assignment] {
        assignmentsByEntry.isEmpty ? [] : rows(after: nil).compactMap { assignmentsByEntry[id(of: $0)] }
    }

    // MARK: Changes

    package func changes(after cursor: ChangeCursor, limit: Int) throws -> ChangePage {
        precondition(limit >= 1, "a page of \(limit) changes")
        var cursor = cursor
        if cursor == .start {
            cursor = ChangeCursor(epoch: epoch, revision: .zero, ordinal: 0, horizon: horizon)
        }
        guard cursor.epoch == epoch, cursor.revision <= revision,
            horizon <= max(cursor.horizon, cursor.revision)
        else { return .resetRequired }
        let start = ChangePosition(revision: cursor.revision, ordinal: cursor.ordinal)
        var changes: [Change] = []
        var isLast = true
        for item in log.items(after: start) where isCurrent(item.position, item.subject) {
            if changes.count == limit {
                isLast = false
                break
            }
            changes.append(
                Change(
                    kind: kind(of: item.subject), revision: item.position.revision,
                    ordinal: item.position.ordinal))
        }
        if isLast {
            // What changed later has a later revision, so that the reader may jump to the end of this one.
            cursor.revision = revision
            cursor.ordinal = .max
            // Nothing has happened yet: the history may get its name with the first commit only.
            if revision == .zero { cursor = .start }
        } else if let last = changes.last {
            cursor.revision = last.revision
            cursor.ordinal = last.ordinal
        }
        return .changes(changes, next: cursor, isLast: isLast)
    }

    private func kind(of subject: ChangeLog.Subject) -> Change.Kind {
        switch subject {
        case .clusters: .clustersReplaced(run?.id)
        case .entry(let id): rows[id] == nil ? .removed(id) : .upserted(id)
        }
    }

    func isCurrent(_ position: ChangePosition, _ subject: ChangeLog.Subject) -> Bool {
        switch subject {
        case .clusters: clustersPosition == position
        case .entry(let id): (rows[id]?.position ?? tombstones[id]?.position) == position
        }
    }
}
