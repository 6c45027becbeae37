import Foundation
import GRDB
import RoostModel

extension BatchWriter {
    /// Writes an entry from another store, preserving its row and revision.
    mutating func restore(_ entry: Entry, _ record: ArchivedEntries.Record) throws {
        revision = record.position.revision
        ordinal = Int64(record.position.ordinal) - 1
        let row = Int64(record.row)
        try writeRow(entry, row: row, isNew: true)
        meta.entryCount? += 1
        try writeParts(of: entry, row: row)
    }

    /// Writes everything in an archive except its entries.
    mutating func restoreRest(of archive: StoreState.Archive) throws {
        try execute("DELETE FROM sqlite_sequence WHERE name = 'entries'")
        try execute(
            "INSERT INTO sqlite_sequence(name, seq) VALUES ('entries', ?)", [max(0, archive.nextRow - 1)])
        for removal in archive.removals {
            revision = removal.position.revision
            ordinal = Int64(removal.position.ordinal) - 1
            try writeTombstone(removal.id, at: removal.removedAt)
        }
        try writeSources(WriteBatch(sources: archive.sources))
        for cluster in archive.clusters { try write(cluster) }
        for assignment in archive.assignments { try write(assignment) }
        meta.epoch = archive.epoch
        meta.revision = archive.revision
        meta.horizon = archive.horizon
        meta.clustersRevision = archive.clustersPosition?.revision ?? .zero
        meta.clustersOrdinal = archive.clustersPosition?.ordinal ?? 0
        meta.runRecord = try archive.run.map { try Column.json($0) }
        try execute("UPDATE meta SET value = ? WHERE key = 'store'", [archive.store.uuidString])
        try meta.save(database)
    }
}
