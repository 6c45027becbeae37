import Foundation
internal import HashTreeCollections

extension StoreState {
    /// What a store keeps beside entries and clusters.
    package struct Archive: Sendable, Codable {
        struct Place: Sendable, Codable {
            var id: UUID
            var row: UInt32
            var revision: Revision
            var ordinal: UInt32
        }

        struct Removal: Sendable, Codable {
            var id: UUID
            var revision: Revision
            var ordinal: UInt32
            var removedMilliseconds: Int64
        }

        var store: UUID
        var epoch: UUID
        var revision: Revision
        var horizon: Revision
        var nextRow: Int
        var places: [Place]
        var removals: [Removal]
        var sources: [Source]
        var assignments: [Assignment]
        var run: ClusteringRun?
        var clustersPosition: ChangePosition?
    }

    /// Everything but entries and clusters; `init(archive:entries:clusters:)` puts them together again.
    package var archive: Archive {
        Archive(
            store: store, epoch: epoch, revision: revision, horizon: horizon, nextRow: idsByRow.count,
            places: entries(after: nil).compactMap { row, entry in
                rows[entry.id].map {
                    .init(
                        id: entry.id, row: row, revision: $0.position.revision, ordinal: $0.position.ordinal)
                }
            },
            removals: tombstones.map {
                .init(
                    id: $0.key, revision: $0.value.position.revision, ordinal: $0.value.position.ordinal,
                    removedMilliseconds: $0.value.removedAt.milliseconds)
            },
            sources: sources, assignments: assignments, run: run, clustersPosition: clustersPosition)
    }

    /// A store as it was archived.
    ///
    /// - Throws: ``StorageError`` with `.damaged` where the parts do not belong together.
    package init(archive: Archive, entries: [Entry], clusters: [Cluster]) throws {
        self.init(store: archive.store, epoch: archive.epoch, revision: archive.revision)
        let damaged = StorageError(.damaged, "the files of the store do not belong together")
        guard entries.count == archive.places.count, archive.nextRow >= entries.count else { throw damaged }
        horizon = archive.horizon
        idsByRow = Array(repeating: nil, count: archive.nextRow)
        var items: [(ChangePosition, ChangeLog.Subject)] = []
        for (entry, place) in zip(entries, archive.places) {
            guard entry.id == place.id, Int(place.row) < archive.nextRow, idsByRow[Int(place.row)] == nil,
                rows[entry.id] == nil
            else { throw damaged }
            let position = ChangePosition(revision: place.revision, ordinal: place.ordinal)
            rows[entry.id] = Row(entry: entry, row: place.row, position: position)
            idsByRow[Int(place.row)] = entry.id
            count(entry, by: 1)
            items.append((position, .entry(entry.id)))
        }
        for removal in archive.removals {
            let position = ChangePosition(revision: removal.revision, ordinal: removal.ordinal)
            tombstones[removal.id] = Tombstone(
                position: position, removedAt: Date(milliseconds: removal.removedMilliseconds))
            items.append((position, .entry(removal.id)))
        }
        for source in archive.sources { sourceRecords[source.id] = source }
        for var cluster in clusters {
            cluster.members = []
            clusterOrder.append(cluster.id)
            clusterRecords[cluster.id] = cluster
        }
        for assignment in archive.assignments { assignmentsByEntry[assignment.entry] = assignment }
        run = archive.run
        clustersPosition = archive.clustersPosition
        if let clustersPosition { items.append((clustersPosition, .clusters)) }
        for (position, subject) in items.sorted(by: { $0.0 < $1.0 }) { log.append(position, subject) }
    }
}
