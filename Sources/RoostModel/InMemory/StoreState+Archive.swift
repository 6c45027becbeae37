package import Foundation
internal import HashTreeCollections

extension StoreState {
    /// The record of a removed entry, from which the change feed reports the removal.
    package struct Removal: Sendable, Hashable {
        package var id: UUID
        package var position: ChangePosition
        package var removedAt: Date

        package init(id: UUID, position: ChangePosition, removedAt: Date) {
            (self.id, self.position, self.removedAt) = (id, position, removedAt)
        }
    }

    /// The data of a store, except for the contents of its entries.
    package struct Archive: Sendable {
        package var store: UUID
        package var epoch: UUID
        package var revision: Revision
        /// The revision up to which removals have been forgotten.
        package var horizon = Revision.zero
        package var nextRow = 0
        package var records: [ArchivedEntries.Record] = []
        /// The removed entries that are not forgotten yet, in the order of their positions.
        package var removals: [Removal] = []
        /// The source records, without the ids of their entries.
        package var sources: [Source] = []
        /// The clusters without their members, in the order in which they were first saved.
        package var clusters: [Cluster] = []
        /// The assignments, in the order of their entries' rows.
        package var assignments: [Assignment] = []
        package var run: ClusteringRun?
        /// The position of the latest change of the clusters; `nil` if they have never changed.
        package var clustersPosition: ChangePosition?

        package init(store: UUID, epoch: UUID, revision: Revision) {
            (self.store, self.epoch, self.revision) = (store, epoch, revision)
        }
    }

    /// An entry to write to a new archive: its record, and either the entry itself or its index
    /// in the old archive.
    package struct ArchivableEntry {
        package var record: ArchivedEntries.Record
        /// The index of the entry in the archive that the state was read from; `nil` if the entry is in memory.
        package var archivedIndex: Int?
        package var entry: Entry?
    }

    package var archivableEntries: some Sequence<ArchivableEntry> {
        rows(after: nil).lazy.map { row in
            let record = record(of: row)
            return switch row.stored {
            case .resident(let resident): ArchivableEntry(record: record, entry: resident.entry)
            case .archived(let index): ArchivableEntry(record: record, archivedIndex: index)
            }
        }
    }

    /// Returns an entry with its vectors, from memory or from the archive.
    package func entry(of archivable: ArchivableEntry) throws -> Entry {
        try archivable.entry ?? archived.entry(archivable.archivedIndex ?? 0, true)
    }

    /// The data of the state, except for the contents of its entries. `init(_:entry:)` is the inverse.
    package var archive: Archive {
        var archive = Archive(store: store, epoch: epoch, revision: revision)
        archive.horizon = horizon
        archive.nextRow = firstNewRow + newIDs.count
        archive.records = archivableEntries.map(\.record)
        archive.removals = tombstones.values.sorted { $0.position < $1.position }
        archive.sources = sources
        archive.clusters = clusterOrder.compactMap { clusterRecords[$0] }
        archive.assignments = assignments
        archive.run = run
        archive.clustersPosition = clustersPosition
        return archive
    }

    /// Creates a state from an archive.
    ///
    /// - Parameter entry: Reads an entry, which has the given index among the archive's records.
    /// - Throws: ``StorageError`` with `.damaged` if the parts of the archive contradict each other.
    package init(
        _ archive: Archive, entry: @escaping @Sendable (_ index: Int, _ withVectors: Bool) throws -> Entry
    ) throws {
        let damaged = StorageError(
            .damaged, "cannot open the store: its files contradict each other", remedy: .inspectStore)
        // Reject numbers that no real store can reach, because a later increment could overflow.
        let positions =
            archive.records.map(\.position) + archive.removals.map(\.position)
            + [archive.clustersPosition].compactMap(\.self)
        guard archive.revision <= .maximum, archive.horizon <= archive.revision,
            (0...Int(UInt32.max / 2)).contains(archive.nextRow),
            positions.allSatisfy({ $0.revision <= archive.revision })
        else { throw damaged }
        self.init(store: archive.store, epoch: archive.epoch, revision: archive.revision)
        archived = ArchivedEntries(records: archive.records, entry: entry)
        (firstNewRow, horizon) = (archive.nextRow, archive.horizon)
        var last: UInt32?
        for (index, record) in archive.records.enumerated() {
            guard Int(record.row) < archive.nextRow, last.map({ $0 < record.row }) != false,
                record.dimension == 0 || dimension == nil || dimension == record.dimension
            else { throw damaged }
            last = record.row
            let row = Row(stored: .archived(index), row: record.row, position: record.position)
            guard rows.updateValue(row, forKey: record.id) == nil else { throw damaged }
            if record.dimension > 0 {
                vectorCount += 1
                dimension = record.dimension
            }
        }
        for removal in archive.removals {
            guard rows[removal.id] == nil else { throw damaged }
            remember(removal)
        }
        for source in archive.sources { sourceRecords[ExactText(source.id)] = source }
        for var cluster in archive.clusters {
            cluster.members = []
            clusterOrder.append(cluster.id)
            clusterRecords[cluster.id] = cluster
        }
        for assignment in archive.assignments {
            guard rows[assignment.entry] != nil,
                assignment.cluster.map({ clusterRecords[$0] != nil }) != false
            else { throw damaged }
            assignmentsByEntry[assignment.entry] = assignment
        }
        run = archive.run
        clustersPosition = archive.clustersPosition
    }

    /// Removes entries that cannot be read from the archive, without making a commit.
    ///
    /// Only a repair calls this method. The repair then begins a new history, which makes all readers of the
    /// change feed start again, so they do not miss the removals.
    package mutating func forgetUnreadable(_ indices: [Int]) -> Set<Entry.ID> {
        let ids = Set(indices.map { archived.records[$0].id })
        for id in ids { forgetRow(id) }
        return ids
    }

    /// Sets the revision after a commit that changed nothing in this state.
    package mutating func advance(to revision: Revision) { self.revision = revision }
}
