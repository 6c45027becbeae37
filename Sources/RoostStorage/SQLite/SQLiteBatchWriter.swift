import Foundation
import GRDB
import RoostModel
import RoostVectors

/// Writes one batch inside a transaction, with the same result as the in-memory reference store.
struct BatchWriter {
    let database: Database
    var meta: Meta
    var revision: Revision
    var ordinal: Int64 = 0
    private var nextRow: Int64?
    private var changed = false
    private var clustersChanged = false

    init(_ database: Database) throws {
        self.database = database
        meta = try Meta(database)
        guard meta.format == "\(Schema.format)" else {
            throw StorageError(
                .newerFormat, "a newer version of Roost changed the format of the database",
                remedy: .upgradeRoost)
        }
        revision = meta.revision.next
    }

    /// - Throws: `StorageError`. The caller must then roll back the transaction.
    mutating func apply(_ batch: WriteBatch, at date: Date) throws -> Revision {
        try checkExpectations(batch.expecting)
        for id in batch.removals { try remove(id, at: date) }
        try upsert(batch.upserts)
        try writeSources(batch)
        if let clustering = batch.clustering { try replace(clustering) }
        for cluster in batch.clusters { try write(cluster) }
        for id in batch.unassignments {
            try execute(
                "DELETE FROM assignments WHERE row = (SELECT row FROM entries WHERE id = ?)",
                [Column.bytes(id)])
            if database.changesCount > 0 { clustersChanged = true }
        }
        try writeAssignments(batch.assignments)
        if clustersChanged {
            meta.clustersRevision = revision
            meta.clustersOrdinal = UInt32(clamping: nextOrdinal())
        }
        if let epoch = batch.newEpoch, epoch != meta.epoch {
            meta.epoch = epoch
            changed = true
        }
        guard changed else { return meta.revision }
        meta.revision = revision
        try forgetRemovals(before: date.addingTimeInterval(-ChangeFeed.tombstoneLifetime), now: date)
        try meta.save(database)
        return revision
    }

    private mutating func nextOrdinal() -> Int64 {
        changed = true
        ordinal += 1
        return ordinal
    }

    func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    private func checkExpectations(_ expected: WriteBatch.Expectation) throws {
        try expected.check(
            epoch: meta.epoch, revision: meta.revision, clustersRevision: meta.clustersRevision
        ) { try EntryRows(database).revision(of: $0) }
    }

    // MARK: Entries

    private mutating func remove(_ id: Entry.ID, at date: Date) throws {
        try execute("DELETE FROM entries WHERE id = ?", [Column.bytes(id)])
        guard database.changesCount > 0 else { return }
        meta.entryCount -= 1
        try writeTombstone(id, at: date)
    }

    mutating func writeTombstone(_ id: Entry.ID, at date: Date) throws {
        try execute(
            """
            INSERT OR REPLACE INTO tombstones(\(Checksum.tombstones.columns), checksum)
            VALUES (?1, ?2, ?3, ?4, roost_crc(?1, ?2, ?3, ?4))
            """,
            [Column.bytes(id), Int64(revision.rawValue), nextOrdinal(), date.milliseconds])
    }

    private mutating func upsert(_ entries: [Entry]) throws {
        guard !entries.isEmpty else { return }
        try checkDimensions(entries)
        let hasRemovals = try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM tombstones)")
        let coder = EntryRows(database)
        for entry in entries {
            let id = Column.bytes(entry.id)
            // Most entries are new, so attempting an insertion first is faster than querying first.
            let before = (ordinal, nextRow, changed)
            let row = try newRow()
            try writeRow(entry, row: row, isNew: true)
            if database.changesCount > 0 {
                guard row <= Self.maximumRow else { throw StorageError.noMoreRows }
                meta.entryCount += 1
                try writeParts(of: entry, row: row)
                if hasRemovals == true { try execute("DELETE FROM tombstones WHERE id = ?", [id]) }
                continue
            }
            (ordinal, nextRow, changed) = before
            let find = try database.cachedStatement(sql: "SELECT row FROM entries WHERE id = ?")
            guard let row = try Int64.fetchOne(find, arguments: [id]) else {
                throw Column.damaged("an index of entry ids that contradicts its table")
            }
            var stored = try coder.entry(in: row)
            if stored == entry { continue }
            try writeRow(entry, row: row, isNew: false)
            try execute("DELETE FROM locations WHERE row = ?", [row])
            // A line that is inserted into a file changes the locations of all rows after it. Their vectors
            // are not written again.
            stored?.location = entry.location
            if stored == entry {
                try writeLocation(of: entry, row: row)
                continue
            }
            for table in ["vectors", "passages", "entry_tags", "entry_metadata"] {
                try execute("DELETE FROM \(table) WHERE row = ?", [row])
            }
            try writeParts(of: entry, row: row)
        }
    }

    private func checkDimensions(_ entries: [Entry]) throws {
        let sample = try Data.fetchOne(database, sql: "SELECT embedding FROM vectors LIMIT 1")
        let dimensions = Set(entries.lazy.map(\.embeddings.count).filter { $0 > 0 })
        if dimensions.isEmpty || sample.map({ dimensions == [$0.count / 4] }) ?? (dimensions.count == 1) {
            return
        }
        let replaced = try entries.reduce(0) { count, entry in
            let sql = "SELECT 1 FROM vectors WHERE row = (SELECT row FROM entries WHERE id = ?)"
            let found = try Int.fetchOne(
                database.cachedStatement(sql: sql), arguments: [Column.bytes(entry.id)])
            return count + (found == nil ? 0 : 1)
        }
        var expected: Int?
        // If the batch replaces all vectors, their dimension may change.
        if let sample {
            let others = try Int.fetchOne(
                database, sql: "SELECT count(*) FROM (SELECT 1 FROM vectors LIMIT ?)",
                arguments: [replaced + 1])
            if others ?? 0 > replaced { expected = sample.count / 4 }
        }
        for entry in entries where !entry.embeddings.isEmpty {
            let found = entry.embeddings.count
            if let expected, expected != found { throw StorageError.dimension(entry.id, found, expected) }
            expected = found
        }
    }

    /// The maximum row number of an entry, because snapshots return row numbers of 32 bits.
    private static let maximumRow = Int64(UInt32.max)

    /// Returns a row number that has never been used by an entry. The number must be known before the
    /// insertion, and thus cannot be assigned by SQLite (AUTOINCREMENT), because the checksum of the row
    /// covers it.
    ///
    /// - Returns: A number above ``maximumRow`` if all numbers have been used.
    private mutating func newRow() throws -> Int64 {
        let sql = """
            SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'entries'), 0),
                coalesce((SELECT max(row) FROM entries), 0)) + 1
            """
        let row = min(try nextRow ?? Int64.fetchOne(database, sql: sql) ?? 1, Self.maximumRow + 1)
        nextRow = row + 1
        return row
    }

    mutating func writeRow(_ entry: Entry, row: Int64, isNew: Bool) throws {
        let values: [(any DatabaseValueConvertible)?] = [
            Column.bytes(entry.content), entry.source.map(Column.bytes), entry.key.map(Column.bytes),
            Column.json(.object(entry.metadata)), Column.json(.array(entry.tags.map { .string($0) })),
            entry.createdAt.milliseconds, entry.updatedAt.milliseconds,
            Data(ContentDigest(of: entry.content).bytes), Int64(revision.rawValue), nextOrdinal(),
            entry.passages.count, entry.embeddings.count, Column.bytes(entry.id), row,
            entry.structure.map { Data($0.coded) },
        ]
        // The order of its arguments is that of the table's columns.
        let checksum =
            "roost_crc(?14, ?13, CAST(?1 AS TEXT), ?2, ?3, ?4, ?5, ?15, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
        if !isNew {
            try execute(
                """
                UPDATE entries SET content = CAST(?1 AS TEXT), source = ?2, key = ?3, metadata = ?4,
                tags = ?5, created = ?6, updated = ?7, digest = ?8, revision = ?9, ordinal = ?10,
                passages = ?11, dimension = ?12, structure = ?15, checksum = \(checksum)
                WHERE row = ?14
                """, StatementArguments(values))
        } else {
            try execute(
                """
                INSERT INTO entries(
                    content, source, key, metadata, tags, created, updated, digest, revision, ordinal,
                    passages, dimension, id, row, structure, checksum)
                SELECT
                    CAST(?1 AS TEXT), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,
                    \(checksum)
                WHERE NOT EXISTS (SELECT 1 FROM entries WHERE id = ?13)
                """, StatementArguments(values))
        }
    }

    func writeParts(of entry: Entry, row: Int64) throws {
        if !entry.embeddings.isEmpty {
            try execute(
                "INSERT INTO vectors(row, embedding, checksum) VALUES (?1, ?2, roost_crc(?1, ?2, ?3))",
                [row, Column.bytes(entry.embeddings), Column.bytes(entry.id)])
        }
        for passage in entry.passages {
            // If a short entry has only one passage, the passage has the same vector as the entry, and the
            // vector is stored only once.
            let vector = passage.vector == entry.embeddings ? nil : Column.bytes(passage.vector)
            try execute(
                """
                INSERT INTO passages(\(Checksum.passages.columns), checksum)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, roost_crc(?1, ?2, ?3, ?4, ?5, ?6, ?7))
                """,
                [
                    row, passage.ordinal, passage.utf8Range.lowerBound, passage.utf8Range.upperBound,
                    passage.tokenCount, vector, Column.bytes(entry.id),
                ])
        }
        try writeLocation(of: entry, row: row)
        for tag in entry.tags {
            try execute("INSERT INTO entry_tags(tag, row) VALUES (?, ?)", [Column.bytes(tag), row])
        }
        for (key, value) in entry.metadata {
            for text in value.comparableTexts {
                // An array can contain an element twice.
                try execute(
                    "INSERT OR IGNORE INTO entry_metadata(key, text, row) VALUES (?, ?, ?)",
                    [Column.bytes(key), Column.bytes(text), row])
            }
        }
    }

    private func writeLocation(of entry: Entry, row: Int64) throws {
        guard let location = entry.location else { return }
        try execute(
            """
            INSERT INTO locations(\(Checksum.locations.columns), checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, roost_crc(?1, ?2, ?3, ?4, ?5, ?6))
            """,
            [
                row, location.line, location.lastLine, location.page,
                location.headings.isEmpty ? Data() : try Column.json(location.headings),
                Column.bytes(entry.id),
            ])
    }

    private mutating func forgetRemovals(before date: Date, now: Date) throws {
        // The index finds the first removal, whereas the query below reads all of them. Removals that were
        // made while the clock was set back are forgotten later. A first removal in the future was made
        // while the clock was wrong, and must not keep the others for years.
        let first = try Int64.fetchOne(
            database.cachedStatement(
                sql: "SELECT removed FROM tombstones ORDER BY revision, ordinal LIMIT 1"))
        guard let first, first < date.milliseconds || first > now.milliseconds else { return }
        let last = try Int64.fetchOne(
            database, sql: "SELECT max(revision) FROM tombstones WHERE removed < ?",
            arguments: [date.milliseconds])
        guard let last else { return }
        try execute("DELETE FROM tombstones WHERE removed < ?", [date.milliseconds])
        meta.horizon = max(meta.horizon, Revision(rawValue: UInt64(clamping: last)))
    }

    // MARK: Sources

    mutating func writeSources(_ batch: WriteBatch) throws {
        for id in batch.removedSources {
            try execute("DELETE FROM sources WHERE id = ?", [Column.bytes(id)])
            if database.changesCount > 0 { changed = true }
        }
        for source in batch.sources {
            try execute(
                """
                INSERT INTO sources(\(Checksum.sources.columns), checksum)
                VALUES (?1, ?2, ?3, roost_crc(?1, ?2, ?3))
                ON CONFLICT(id) DO UPDATE SET
                    fingerprint = excluded.fingerprint, ingested = excluded.ingested,
                    checksum = excluded.checksum
                WHERE fingerprint <> excluded.fingerprint OR ingested <> excluded.ingested
                """,
                [Column.bytes(source.id), Column.bytes(source.fingerprint), source.ingestedAt.milliseconds])
            if database.changesCount > 0 { changed = true }
        }
    }

    // MARK: Clusters

    private mutating func replace(_ clustering: WriteBatch.Clustering) throws {
        let known = Set(clustering.clusters.map(\.id))
        for assignment in clustering.assignments {
            if let cluster = assignment.cluster, !known.contains(cluster) {
                throw StorageError.invalid(
                    "an assignment names cluster \(cluster), which is not in its clustering")
            }
        }
        if try isCurrent(clustering) { return }
        try execute("DELETE FROM assignments")
        try execute("DELETE FROM clusters")
        meta.runRecord = try clustering.run.map { try Column.json($0) }
        clustersChanged = true
        for cluster in clustering.clusters { try write(cluster) }
        for assignment in clustering.assignments { try write(assignment) }
    }

    private func isCurrent(_ clustering: WriteBatch.Clustering) throws -> Bool {
        guard try meta.run() == clustering.run else { return false }
        let wanted = clustering.clusters.map { cluster in
            var cluster = cluster
            cluster.members = []
            return cluster
        }
        guard try ClusterRows.records(database) == wanted else { return false }
        let stored = try ClusterRows.assignments(database)
        let present = try Set(Data.fetchAll(database, sql: "SELECT id FROM entries").map(Column.uuid))
        return Set(stored) == Set(clustering.assignments.filter { present.contains($0.entry) })
    }

    mutating func write(_ cluster: Cluster) throws {
        var record = cluster
        record.members = []
        record.centroid = []
        let bytes = (try Column.json(record), Column.bytes(cluster.centroid))
        try execute(
            """
            INSERT INTO clusters(\(Checksum.clusters.columns), checksum)
            VALUES (?1, ?2, ?3, roost_crc(?1, ?2, ?3))
            ON CONFLICT(id) DO UPDATE SET record = excluded.record, centroid = excluded.centroid,
                checksum = excluded.checksum
            WHERE record <> excluded.record OR centroid <> excluded.centroid
            """, [Column.bytes(cluster.id), bytes.0, bytes.1])
        if database.changesCount > 0 { clustersChanged = true }
    }

    private mutating func writeAssignments(_ assignments: [Assignment]) throws {
        let isThere = try database.cachedStatement(sql: "SELECT 1 FROM entries WHERE id = ?")
        for assignment in assignments {
            guard try Int.fetchOne(isThere, arguments: [Column.bytes(assignment.entry)]) != nil else {
                continue
            }
            if let cluster = assignment.cluster {
                let find = try database.cachedStatement(sql: "SELECT 1 FROM clusters WHERE id = ?")
                guard try Int.fetchOne(find, arguments: [Column.bytes(cluster)]) != nil else {
                    throw StorageError.invalid(
                        "an assignment names cluster \(cluster), which is not in the store")
                }
            }
            try write(assignment)
        }
    }

    mutating func write(_ assignment: Assignment) throws {
        try execute(
            """
            INSERT INTO assignments(\(Checksum.assignments.columns), checksum)
            SELECT row, ?1, ?2, ?3, ?4, ?5, roost_crc(row, ?1, ?2, ?3, ?4, ?5, id) FROM entries WHERE id = ?6
            ON CONFLICT(row) DO UPDATE SET
                cluster = excluded.cluster, outlier = excluded.outlier, run = excluded.run,
                similarity = excluded.similarity, confidence = excluded.confidence,
                checksum = excluded.checksum
            WHERE cluster IS NOT excluded.cluster OR outlier IS NOT excluded.outlier
                OR run IS NOT excluded.run
                OR similarity <> excluded.similarity OR confidence <> excluded.confidence
            """,
            [
                assignment.cluster.map(Column.bytes), assignment.outlierReason?.rawValue,
                assignment.run.map(Column.bytes),
                Double(assignment.similarity), Double(assignment.confidence), Column.bytes(assignment.entry),
            ])
        if database.changesCount > 0 { clustersChanged = true }
    }
}
