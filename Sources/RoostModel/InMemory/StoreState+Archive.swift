package import Foundation
internal import HashTreeCollections

extension StoreState {
    /// Everything that a store keeps, without the contents of its entries.
    package struct Archive: Sendable {
        package struct Removal: Sendable, Hashable {
            package var id: UUID
            package var position: ChangePosition
            package var removedAt: Date

            package init(id: UUID, position: ChangePosition, removedAt: Date) {
                self.id = id
                self.position = position
                self.removedAt = removedAt
            }
        }

        package var store: UUID
        package var epoch: UUID
        package var revision: Revision
        package var horizon = Revision.zero
        package var nextRow = 0
        /// In the order of the rows.
        package var places: [ArchivedEntries.Place] = []
        package var removals: [Removal] = []
        package var sources: [Source] = []
        /// Without members.
        package var clusters: [Cluster] = []
        package var assignments: [Assignment] = []
        package var run: ClusteringRun?
        package var clustersPosition: ChangePosition?

        package init(store: UUID, epoch: UUID, revision: Revision) {
            self.store = store
            self.epoch = epoch
            self.revision = revision
        }
    }

    /// What a store keeps of an entry, with the place that it has in the archive that the state came from.
    package struct Kept {
        package var place: ArchivedEntries.Place
        /// Where it is in the archive, `nil` where it is in memory.
        package var archivedIndex: Int?
        /// Where it is in memory.
        package var entry: Entry?
    }

    /// The archive that the state came from.
    package var archivedContents: any EntryContents { archived.contents }

    /// Every entry, in the order of the rows.
    package var kept: some Sequence<Kept> {
        rows(after: nil).lazy.map { row in
            switch row.stored {
            case .held(let held):
                let place = ArchivedEntries.Place(
                    id: held.entry.id, row: row.row, position: row.position,
                    dimension: held.entry.embeddings.count, digest: held.digest, source: held.entry.source)
                return Kept(place: place, archivedIndex: nil, entry: held.entry)
            case .archived(let index):
                return Kept(place: archived.places[index], archivedIndex: index, entry: nil)
            }
        }
    }

    /// The entry itself.
    ///
    /// - Throws: ``StorageError`` with `.damaged` where the archive cannot give it.
    package func entry(of kept: Kept) throws -> Entry {
        try kept.entry ?? archived.contents.entry(at: kept.archivedIndex ?? 0, withVectors: true)
    }

    /// Everything but the contents; `init(_:contents:)` puts them together again.
    package var archive: Archive {
        var archive = Archive(store: store, epoch: epoch, revision: revision)
        archive.horizon = horizon
        archive.nextRow = firstNewRow + newIDs.count
        archive.places = kept.map(\.place)
        archive.removals = tombstones.map {
            .init(id: $0.key, position: $0.value.position, removedAt: $0.value.removedAt)
        }
        archive.removals.sort { $0.position < $1.position }
        archive.sources = sources
        archive.clusters = clusterOrder.compactMap { clusterRecords[$0] }
        archive.assignments = assignments
        archive.run = run
        archive.clustersPosition = clustersPosition
        return archive
    }

    /// A store as it was archived.
    ///
    /// - Parameter contents: the entries, in the order of the archive's places.
    /// - Throws: ``StorageError`` with `.damaged` where the archive contradicts itself.
    package init(_ archive: Archive, contents: any EntryContents) throws {
        let damaged = StorageError(.damaged, "the files of the store do not belong together")
        // What no store has come to must not be counted on from.
        let positions =
            archive.places.map(\.position) + archive.removals.map(\.position)
            + [archive.clustersPosition].compactMap(\.self)
        guard archive.revision.rawValue <= UInt64(Int64.max), archive.horizon <= archive.revision,
            (0...Int(UInt32.max / 2)).contains(archive.nextRow),
            positions.allSatisfy({ $0.revision <= archive.revision })
        else { throw damaged }
        var items = archive.places.map { ChangeLog.Item(position: $0.position, subject: .entry($0.id)) }
        items += archive.removals.map { ChangeLog.Item(position: $0.position, subject: .entry($0.id)) }
        if let position = archive.clustersPosition {
            items.append(ChangeLog.Item(position: position, subject: .clusters))
        }
        items.sort { $0.position < $1.position }
        self.init(
            store: archive.store, epoch: archive.epoch, revision: archive.revision,
            archived: ArchivedEntries(places: archive.places, contents: contents),
            firstNewRow: archive.nextRow, log: ChangeLog(archived: items))
        horizon = archive.horizon
        var last: UInt32?
        for (index, place) in archive.places.enumerated() {
            guard Int(place.row) < archive.nextRow, last.map({ $0 < place.row }) != false,
                place.dimension == 0 || dimension == nil || dimension == place.dimension
            else { throw damaged }
            last = place.row
            let row = Row(stored: .archived(index), row: place.row, position: place.position)
            guard rows.updateValue(row, forKey: place.id) == nil else { throw damaged }
            if place.dimension > 0 {
                vectorCount += 1
                dimension = place.dimension
            }
        }
        for removal in archive.removals {
            guard rows[removal.id] == nil else { throw damaged }
            tombstones[removal.id] = Tombstone(position: removal.position, removedAt: removal.removedAt)
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

    /// Takes entries out that cannot be read from the archive, without a commit: for a repair, which begins a
    /// new history.
    ///
    /// - Parameter places: in the archive.
    /// - Returns: their ids.
    package mutating func forgetUnreadable(_ places: [Int]) -> Set<Entry.ID> {
        let ids = Set(places.map { archived.places[$0].id })
        for id in ids { forgetRow(id) }
        return ids
    }

    /// Counts a commit that changed nothing.
    package mutating func advance(to revision: Revision) { self.revision = revision }
}
