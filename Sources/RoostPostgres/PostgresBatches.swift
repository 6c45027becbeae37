import Foundation
import RoostModel

/// The part of a store that a commit reads before it writes: the head, which it locks, and the rows that the
/// batch refers to.
struct BatchReading {
    let head: Head
    /// The batch of the latest revision that the process has seen; `nil` if there is no record.
    let seenBatch: UUID?
    let entries: [UUID: EntryRows.Header]
    let sources: [UUID: Source]
    let clusters: [ClusterRows.Positioned]
    /// All assignments if the batch has a clustering; otherwise, those of the entries that the batch assigns
    /// or unassigns.
    let assignments: [Assignment]
    let assignedRows: [Entry.ID: Int64]
    /// The revision of the same batch, if an earlier attempt committed it.
    let committed: Revision?

    private enum Part {
        case begin, head, seen, entries, sources, clusters, assignments, commit
    }

    /// Begins a transaction, locks the head and reads, in one round trip.
    ///
    /// - Parameter repeated: The id of the batch, if an earlier attempt may have committed it.
    init(
        _ batch: WriteBatch, store: UUID, repeating repeated: UUID?, seen: Revision,
        _ connection: Connection, _ limits: CallLimits
    ) throws {
        let parts = Self.parts(batch, store, repeated, seen)
        let results = Dictionary(
            uniqueKeysWithValues: zip(parts.map(\.0), try connection.run(parts.map(\.1), limits)))
        guard let row = results[.head]?.rows.first else { throw Self.missing }
        head = try Head(row, store: store)
        seenBatch = try results[.seen]?.rows.first?.uuid(0)
        entries = Dictionary(
            try results[.entries]?.rows.map { row in
                let header = try EntryRows.Header(row, store: store)
                return (header.id, header)
            } ?? []
        ) { first, _ in first }
        sources = Dictionary(
            try results[.sources]?.rows.map { row in
                let source = try SourceRows.source(row, store: store)
                return (SourceRows.name(source.id), source)
            } ?? []
        ) { first, _ in first }
        clusters = try results[.clusters]?.rows.map { try ClusterRows.positioned($0, store: store) } ?? []
        let assigned = try results[.assignments]?.rows.map {
            (try $0.int64(0), try ClusterRows.assignment($0, store: store))
        }
        assignments = assigned?.map(\.1) ?? []
        assignedRows = Dictionary(assigned?.map { ($0.1.entry, $0.0) } ?? []) { first, _ in first }
        committed = try results[.commit]?.rows.first?.revision(0)
    }

    private static func parts(
        _ batch: WriteBatch, _ store: UUID, _ repeated: UUID?, _ seen: Revision
    ) -> [(Part, Statement)] {
        let seenBatch = Statement(
            "SELECT batch FROM roost.commits WHERE store = $1::uuid AND revision = $2::int8",
            [Parameter(store), Parameter(seen)])
        var parts: [(Part, Statement)] = [
            (.begin, TableSQL.begin), (.head, Head.lockingSelection(store)), (.seen, seenBatch),
        ]
        let ids = ids(in: batch)
        if !ids.isEmpty {
            let condition = "AND e.id = ANY($2::uuid[])"
            let columns = EntryRows.headerColumns
            parts.append((.entries, present("entries e", columns, store, condition, Parameter(ids))))
        }
        let names = Set((batch.sources.map(\.id) + batch.removedSources).map(SourceRows.name))
        if !names.isEmpty {
            let condition = "AND s.name = ANY($2::uuid[])"
            let columns = SourceRows.columns
            parts.append((.sources, present("sources s", columns, store, condition, Parameter(names))))
        }
        let assignedIDs = batch.assignments.map(\.entry) + batch.unassignments
        if batch.clustering != nil || !batch.clusters.isEmpty || !assignedIDs.isEmpty {
            let columns = ClusterRows.columns
            parts.append((.clusters, present("clusters c", columns, store, "ORDER BY c.position")))
        }
        if batch.clustering != nil {
            parts.append((.assignments, present("assignments a", ClusterRows.assignmentColumns, store)))
        } else if !assignedIDs.isEmpty {
            let assignments = present(
                "assignments a", ClusterRows.assignmentColumns, store, "AND a.entry = ANY($2::uuid[])",
                Parameter(Set(assignedIDs)))
            parts.append((.assignments, assignments))
        }
        if let repeated {
            let commit = Statement(
                "SELECT revision FROM roost.commits WHERE store = $1::uuid AND batch = $2::uuid",
                [Parameter(store), Parameter(repeated)])
            parts.append((.commit, commit))
        }
        return parts
    }

    private static func present(
        _ table: String, _ columns: String, _ store: UUID, _ rest: String = "", _ values: Parameter...
    ) -> Statement {
        Statement(
            """
            SELECT \(columns) FROM roost.\(table)
            WHERE store = $1::uuid AND removed_revision = \(Table.neverRemoved) \(rest)
            """, [Parameter(store)] + values)
    }

    static var missing: StorageError {
        StorageError(.notFound, "the store is no longer in the database; create it again")
    }

    private static func ids(in batch: WriteBatch) -> [UUID] {
        var ids = Set(batch.removals)
        ids.formUnion(batch.upserts.map(\.id))
        ids.formUnion(batch.assignments.map(\.entry))
        ids.formUnion(batch.unassignments)
        ids.formUnion(batch.expecting.entries.keys)
        ids.formUnion(batch.clustering?.assignments.map(\.entry) ?? [])
        return Array(ids)
    }
}

/// Computes the rows that a transaction writes for one batch, with the same result as the in-memory reference
/// store. The rows of many entries are divided into parts, so that they are never in memory all at once.
struct BatchWriter {
    /// Rows that are inserted together, after the statements that end the validity of the rows they replace.
    struct Part {
        let endings: [Statement]
        let rows: PendingRows
        let isLast: Bool
    }

    private let batch: WriteBatch
    private let store: UUID
    private let reading: BatchReading
    private let removals: Set<Entry.ID>
    private let partSize: Int
    private var clusters: ClusterChanges
    private(set) var head: Head
    private let revision: Revision
    private let date: Date
    private var ordinal: UInt32 = 0
    /// The indices of the first removal and of the first entry that no part contains.
    private var (nextRemoval, nextUpsert) = (0, 0)
    /// The ids whose removal a part contains. An id that occurs twice is removed once.
    private var removedIDs = Set<Entry.ID>()
    private var rows = PendingRows()
    private var endings: [Statement] = []
    private(set) var hasChanges = false
    private var newRows: [Entry.ID: Int64] = [:]
    /// The rows of entries that the next part removes, of those that it replaces, and of those whose vectors,
    /// passages and attributes it replaces.
    private var removedRows: [Int64] = []
    private var replacedRows: [Int64] = []
    private var replacedParts: [Int64] = []

    init(_ batch: WriteBatch, _ reading: BatchReading, at date: Date, partSize: Int) throws {
        self.batch = batch
        self.partSize = partSize
        store = reading.head.store
        self.reading = reading
        self.date = date
        head = reading.head
        revision = head.revision.next
        let removals = Set(batch.removals)
        self.removals = removals
        let stored = Set(batch.upserts.map(\.id)).union(Set(reading.entries.keys).subtracting(removals))
        clusters = try ClusterChanges(reading, removals: removals) { stored.contains($0) }
        try checkExpectations(batch.expecting)
        try checkDimensions(batch)
        try clusters.apply(batch)
    }

    /// Computes the next part. The removals come first. The last part also contains all sources and clusters.
    mutating func nextPart() throws -> Part {
        while nextRemoval < batch.removals.count, rows.size < partSize {
            let id = batch.removals[nextRemoval]
            nextRemoval += 1
            if removedIDs.insert(id).inserted { remove(id) }
        }
        while nextUpsert < batch.upserts.count, rows.size < partSize {
            let entry = batch.upserts[nextUpsert]
            nextUpsert += 1
            try upsert(entry, wasRemoved: removals.contains(entry.id))
        }
        let isLast = nextRemoval == batch.removals.count && nextUpsert == batch.upserts.count
        if isLast { try finish() }
        endReplacedRows()
        defer { (rows, endings) = (PendingRows(), []) }
        return Part(endings: endings, rows: rows, isLast: isLast)
    }

    private mutating func finish() throws {
        writeSources(batch)
        try write(clusters)
        if let epoch = batch.newEpoch, epoch != head.epoch {
            head.epoch = epoch
            hasChanges = true
        }
        if head.vectorCount == 0 { head.dimension = 0 }
        if hasChanges { head.revision = revision }
    }

    // MARK: Checks

    private func checkExpectations(_ expected: WriteBatch.Expectation) throws {
        try expected.check(
            epoch: head.epoch, revision: head.revision, clustersRevision: head.clustersRevision
        ) { reading.entries[$0]?.position.revision }
    }

    /// The maximum dimension of the type `vector` of pgvector.
    private static let maximumDimension = 16_000

    private func checkDimensions(_ batch: WriteBatch) throws {
        let replaced = Set(batch.upserts.map(\.id)).union(batch.removals)
        let leaving = replaced.reduce(0) {
            $0 + (reading.entries[$1].map { $0.dimension > 0 } == true ? 1 : 0)
        }
        // If the batch replaces or removes all stored vectors, its own vectors may have another dimension.
        var expected = leaving == head.vectorCount ? nil : head.dimension
        for entry in batch.upserts where !entry.embeddings.isEmpty {
            let found = entry.embeddings.count
            guard found <= Self.maximumDimension else {
                throw StorageError(
                    .unsupported,
                    "cannot store a vector of dimension \(found): the maximum of PostgreSQL is "
                        + "\(Self.maximumDimension)")
            }
            if let expected, expected != found { throw StorageError.dimension(entry.id, found, expected) }
            expected = found
        }
    }

    // MARK: Entries

    private mutating func nextPosition() -> ChangePosition {
        hasChanges = true
        ordinal += 1
        return ChangePosition(revision: revision, ordinal: ordinal)
    }

    private mutating func remove(_ id: Entry.ID) {
        guard let old = reading.entries[id] else { return }
        removedRows.append(Int64(old.row))
        head.entryCount -= 1
        if old.dimension > 0 { head.vectorCount -= 1 }
        let position = nextPosition()
        rows.removals.append(store, position.revision, Int64(position.ordinal), id, date.milliseconds)
        rows.removals.seal()
    }

    private mutating func upsert(_ entry: Entry, wasRemoved: Bool) throws {
        let old = wasRemoved ? nil : reading.entries[entry.id]
        var writesParts = true
        if let old, old.fingerprint == EntryFingerprint.of(entry) {
            if try entry.location.map({ try Stored.json($0) }) == old.location { return }
            // A line that is inserted into a file changes the locations of all rows after it. Their vectors
            // are not written again.
            writesParts = false
        }
        let row: Int64
        if let old {
            row = Int64(old.row)
            replacedRows.append(row)
            if writesParts { replacedParts.append(row) }
            if old.dimension > 0 { head.vectorCount -= 1 }
        } else {
            guard head.nextRow <= Int64(UInt32.max) else {
                throw StorageError.noMoreRows
            }
            row = head.nextRow
            head.nextRow += 1
            head.entryCount += 1
            newRows[entry.id] = row
        }
        if !entry.embeddings.isEmpty {
            head.vectorCount += 1
            head.dimension = entry.embeddings.count
        }
        try EntryRows.append(
            entry, row: row, at: nextPosition(), store: store, writesParts: writesParts, to: &rows)
    }

    // MARK: Sources and clusters

    private mutating func writeSources(_ batch: WriteBatch) {
        var ended: [UUID] = []
        var present = reading.sources
        for id in batch.removedSources {
            let name = SourceRows.name(id)
            if present.removeValue(forKey: name) != nil { ended.append(name) }
        }
        for var source in batch.sources {
            source.entryIDs = []
            let name = SourceRows.name(source.id)
            guard present[name] != source else { continue }
            if present[name] != nil { ended.append(name) }
            hasChanges = true
            SourceRows.append(source, at: revision, store: store, to: &rows.sources)
        }
        guard !ended.isEmpty else { return }
        hasChanges = true
        end(.sources, by: "name", Parameter(ended), as: .uuid)
    }

    private mutating func write(_ clusters: ClusterChanges) throws {
        guard clusters.hasChanges else { return }
        head.runRecord = try clusters.run.map { try Stored.json($0) }
        head.clustersRevision = revision
        head.clustersOrdinal = nextPosition().ordinal
        head.clusterCount = clusters.order.count
        if !clusters.endedPositions.isEmpty {
            end(.clusters, by: "position", Parameter(clusters.endedPositions), as: .int8)
        }
        for (cluster, position) in clusters.writtenClusters {
            let number = position ?? head.nextPosition
            if position == nil { head.nextPosition += 1 }
            try ClusterRows.append(cluster, position: number, at: revision, store: store, to: &rows.clusters)
        }
        let ended = clusters.endedAssignments.compactMap { reading.assignedRows[$0] }
        if !ended.isEmpty { end(.assignments, by: "row", Parameter(ended), as: .int8) }
        for assignment in clusters.writtenAssignments {
            let row = newRows[assignment.entry] ?? reading.entries[assignment.entry].map { Int64($0.row) }
            guard let row else { continue }
            ClusterRows.append(assignment, row: row, at: revision, store: store, to: &rows.assignments)
        }
    }

    // MARK: Endings

    private mutating func endReplacedRows() {
        let parts = removedRows + replacedParts
        for (table, numbers) in [
            (Table.entries, removedRows + replacedRows), (.vectors, parts), (.passages, parts),
            (.attributes, parts), (.assignments, removedRows),
        ] where !numbers.isEmpty {
            end(table, by: "row", Parameter(numbers), as: .int8)
        }
        (removedRows, replacedRows, replacedParts) = ([], [], [])
    }

    private mutating func end(_ table: Table, by key: String, _ values: Parameter, as type: ColumnType) {
        let sql = """
            UPDATE roost.\(table.name) SET removed_revision = $2::int8
            WHERE store = $1::uuid AND \(key) = ANY($3::\(type.rawValue)[])
                AND removed_revision = \(Table.neverRemoved)
            """
        endings.append(Statement(sql, [Parameter(store), Parameter(revision), values]))
    }
}
