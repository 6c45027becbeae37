package import Foundation
internal import HashTreeCollections

/// The contents of a store as a value: the reference that every store is compared with, and what the
/// in-memory and the JSON provider keep.
///
/// A copy is a snapshot: the trees share their structure, so that taking one costs nothing and a change
/// after it copies only the path to what it changed.
package struct StoreState: Sendable {
    struct Row: Sendable {
        var entry: Entry
        var row: UInt32
        var position: ChangePosition
    }

    struct Tombstone: Sendable {
        var position: ChangePosition
        var removedAt: Date
    }

    let store: UUID
    private(set) var epoch: UUID
    private(set) var revision: Revision
    var rows: TreeDictionary<UUID, Row> = [:]
    /// The entry of each row number; `nil` where it was removed.
    var idsByRow: [UUID?] = []
    var log = ChangeLog()
    var tombstones: TreeDictionary<UUID, Tombstone> = [:]
    /// Removals up to this revision have been forgotten.
    var horizon = Revision.zero
    /// Some entry with embeddings for each content; one may be missing after another of the same content
    /// was removed.
    private var embedded: TreeDictionary<ContentDigest, UUID> = [:]
    var sourceRecords: TreeDictionary<String, Source> = [:]
    var clusterOrder: [UUID] = []
    var clusterRecords: [UUID: Cluster] = [:]
    var assignmentsByEntry: TreeDictionary<UUID, Assignment> = [:]
    var run: ClusteringRun?
    var clustersPosition: ChangePosition?
    /// The dimension that all vectors have; `nil` while there is none.
    private var dimension: Int?
    private var vectorCount = 0

    /// An empty store.
    package init(store: UUID = UUID(), epoch: UUID = UUID(), revision: Revision = .zero) {
        self.store = store
        self.epoch = epoch
        self.revision = revision
    }

    /// The contents of a backend that keeps nothing but entries and clusters. The revision is the latest
    /// date in milliseconds.
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
        let latest = (entries.map(\.updatedAt) + clusters.map(\.updatedAt)).map(\.milliseconds).max() ?? 0
        revision = max(revision, Revision(rawValue: UInt64(clamping: latest)))
    }

    private static let unnamed = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    // MARK: Reading

    package var stamp: Stamp {
        Stamp(
            store: store, epoch: epoch, revision: revision, entryCount: rows.count,
            clusterCount: clusterOrder.count)
    }

    package var clustersRevision: Revision { clustersPosition?.revision ?? .zero }

    package func entry(_ id: Entry.ID) -> Entry? { rows[id]?.entry }

    func embeddedEntry(withContent digest: ContentDigest) -> Entry? {
        embedded[digest].flatMap { rows[$0]?.entry }
    }

    func row(of id: Entry.ID) -> Row? { rows[id] }

    func assignment(of id: Entry.ID) -> Assignment? { assignmentsByEntry[id] }

    func source(_ id: Source.ID) -> Source? { sourceRecords[id] }

    package var sources: [Source] { sourceRecords.values.sorted { $0.id < $1.id } }

    /// Entries with their rows, ascending, from after a row.
    package func entries(after row: UInt32?) -> some Sequence<(row: UInt32, entry: Entry)> {
        let start = row.map { min(Int($0) + 1, idsByRow.count) } ?? 0
        return idsByRow[start...].lazy.compactMap { $0 }.compactMap { id in
            rows[id].map { (row: $0.row, entry: $0.entry) }
        }
    }

    package func clustersWithMembers() -> [Cluster] {
        var members: [UUID: [UUID]] = [:]
        if !clusterOrder.isEmpty {
            for id in idsByRow.lazy.compactMap({ $0 }) {
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
        idsByRow.lazy.compactMap { $0 }.compactMap { assignmentsByEntry[$0] }
    }

    // MARK: Writing

    /// Applies a batch; a thrown error leaves the state as it was.
    ///
    /// - Returns: whether anything changed.
    @discardableResult
    package mutating func apply(_ batch: WriteBatch, at date: Date = Date()) throws -> Bool {
        try check(batch)
        var writer = Writer(revision: revision.next)
        for id in batch.removals { remove(id, at: date, &writer) }
        for entry in batch.upserts { upsert(entry, &writer) }
        for id in batch.removedSources where sourceRecords.removeValue(forKey: id) != nil {
            writer.changed = true
        }
        for var source in batch.sources {
            source.entryIDs = []
            if sourceRecords[source.id] != source {
                sourceRecords[source.id] = source
                writer.changed = true
            }
        }
        applyClusters(batch, &writer)
        if writer.clustersChanged {
            let position = writer.nextPosition()
            clustersPosition = position
            log.append(position, .clusters)
        }
        guard writer.changed else { return false }
        revision = writer.revision
        if log.needsCompaction {
            let current = self
            log.compact { current.isCurrent($0, $1) }
        }
        return true
    }

    /// Begins a new history with the same contents.
    package mutating func renewEpoch(to epoch: UUID = UUID()) {
        self.epoch = epoch
        revision = revision.next
    }

    /// Forgets removals from before a date; cursors from before them then need a reset.
    package mutating func forgetRemovals(before date: Date) {
        for (id, tombstone) in tombstones where tombstone.removedAt < date {
            tombstones.removeValue(forKey: id)
            horizon = max(horizon, tombstone.position.revision)
        }
    }

    private struct Writer {
        let revision: Revision
        var changed = false
        var clustersChanged = false
        var ordinal: UInt32 = 0

        init(revision: Revision) { self.revision = revision }

        mutating func nextPosition() -> ChangePosition {
            changed = true
            ordinal += 1
            return ChangePosition(revision: revision, ordinal: ordinal)
        }
    }

    private func check(_ batch: WriteBatch) throws {
        try batch.validate()
        if let expected = batch.expecting.clusters, expected != clustersRevision {
            throw StorageError.conflict(
                "the clusters were changed at revision \(clustersRevision); the writer had seen \(expected)")
        }
        for (id, expected) in batch.expecting.entries {
            let found = rows[id]?.position.revision ?? .zero
            guard found == expected else {
                throw StorageError.conflict(
                    "entry \(id) is at revision \(found); the writer had seen \(expected)")
            }
        }
        let removed = Set(batch.removals)
        let replaced = Set(batch.upserts.map(\.id)).union(removed)
        let leaving = replaced.reduce(0) { $0 + (rows[$1]?.entry.embeddings.isEmpty == false ? 1 : 0) }
        var expected = leaving == vectorCount ? nil : dimension
        for entry in batch.upserts where !entry.embeddings.isEmpty {
            let found = entry.embeddings.count
            if let expected, expected != found { throw StorageError.dimension(entry.id, found, expected) }
            expected = found
        }
        let arriving = Set(batch.upserts.map(\.id))
        for assignment in batch.assignments {
            guard
                arriving.contains(assignment.entry)
                    || (rows[assignment.entry] != nil && !removed.contains(assignment.entry))
            else { continue }
            if let cluster = assignment.cluster, !willHaveCluster(cluster, after: batch) {
                throw StorageError.invalid(
                    "an assignment names cluster \(cluster), which is not in the store")
            }
        }
        if let clustering = batch.clustering {
            let known = Set(clustering.clusters.map(\.id))
            for assignment in clustering.assignments {
                if let cluster = assignment.cluster, !known.contains(cluster) {
                    throw StorageError.invalid(
                        "an assignment names cluster \(cluster), which is not in its clustering")
                }
            }
        }
    }

    private func willHaveCluster(_ id: Cluster.ID, after batch: WriteBatch) -> Bool {
        if batch.clusters.contains(where: { $0.id == id }) { return true }
        if let clustering = batch.clustering { return clustering.clusters.contains { $0.id == id } }
        return clusterRecords[id] != nil
    }

    private mutating func remove(_ id: Entry.ID, at date: Date, _ writer: inout Writer) {
        guard let old = rows.removeValue(forKey: id) else { return }
        idsByRow[Int(old.row)] = nil
        count(old.entry, by: -1)
        assignmentsByEntry.removeValue(forKey: id)
        let position = writer.nextPosition()
        tombstones[id] = Tombstone(position: position, removedAt: date)
        log.append(position, .entry(id))
    }

    private mutating func upsert(_ entry: Entry, _ writer: inout Writer) {
        let old = rows[entry.id]
        if let old {
            guard old.entry != entry else { return }
            count(old.entry, by: -1)
        }
        let row = old?.row ?? UInt32(idsByRow.count)
        if old == nil { idsByRow.append(entry.id) }
        let position = writer.nextPosition()
        rows[entry.id] = Row(entry: entry, row: row, position: position)
        tombstones.removeValue(forKey: entry.id)
        count(entry, by: 1)
        log.append(position, .entry(entry.id))
    }

    mutating func count(_ entry: Entry, by change: Int) {
        guard !entry.embeddings.isEmpty else { return }
        let digest = ContentDigest(of: entry.content)
        if change > 0 {
            embedded[digest] = entry.id
        } else if embedded[digest] == entry.id {
            embedded.removeValue(forKey: digest)
        }
        vectorCount += change
        dimension = vectorCount == 0 ? nil : entry.embeddings.count
    }

    private mutating func applyClusters(_ batch: WriteBatch, _ writer: inout Writer) {
        if let clustering = batch.clustering { replaceClustering(clustering, &writer) }
        for var cluster in batch.clusters {
            cluster.members = []
            guard clusterRecords[cluster.id] != cluster else { continue }
            if clusterRecords.updateValue(cluster, forKey: cluster.id) == nil {
                clusterOrder.append(cluster.id)
            }
            writer.clustersChanged = true
        }
        for id in batch.unassignments where assignmentsByEntry.removeValue(forKey: id) != nil {
            writer.clustersChanged = true
        }
        for assignment in batch.assignments where rows[assignment.entry] != nil {
            guard assignmentsByEntry[assignment.entry] != assignment else { continue }
            assignmentsByEntry[assignment.entry] = assignment
            writer.clustersChanged = true
        }
    }

    private mutating func replaceClustering(_ clustering: WriteBatch.Clustering, _ writer: inout Writer) {
        var records: [UUID: Cluster] = [:]
        for var cluster in clustering.clusters {
            cluster.members = []
            records[cluster.id] = cluster
        }
        var assignments: TreeDictionary<UUID, Assignment> = [:]
        for assignment in clustering.assignments where rows[assignment.entry] != nil {
            assignments[assignment.entry] = assignment
        }
        let order = clustering.clusters.map(\.id)
        guard
            run != clustering.run || order != clusterOrder || records != clusterRecords
                || assignments != assignmentsByEntry
        else { return }
        run = clustering.run
        clusterOrder = order
        clusterRecords = records
        assignmentsByEntry = assignments
        writer.clustersChanged = true
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
        for (position, subject) in log.items(after: start) where isCurrent(position, subject) {
            if changes.count == limit {
                isLast = false
                break
            }
            changes.append(
                Change(kind: kind(of: subject), revision: position.revision, ordinal: position.ordinal))
        }
        if isLast {
            // What changed later has a later revision, so that the reader may jump to the end of this one.
            cursor.revision = revision
            cursor.ordinal = .max
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

    private func isCurrent(_ position: ChangePosition, _ subject: ChangeLog.Subject) -> Bool {
        switch subject {
        case .clusters: clustersPosition == position
        case .entry(let id): (rows[id]?.position ?? tombstones[id]?.position) == position
        }
    }
}

extension StorageError {
    package static func dimension(_ entry: UUID, _ found: Int, _ expected: Int) -> StorageError {
        StorageError(
            .dimensionMismatch,
            "the vector of entry \(entry) has \(found) numbers; the store's vectors have \(expected)")
    }
}
