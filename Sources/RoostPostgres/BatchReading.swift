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
        var parts: [(Part, Statement)] = [
            (.begin, TableSQL.begin), (.head, Head.lockingSelection(store)),
            (.seen, TableSQL.batch(of: seen, store: store)),
        ]
        let ids = Self.ids(in: batch)
        if !ids.isEmpty { parts.append((.entries, BatchSQL.entries(ids, store: store))) }
        let names = Set((batch.sources.map(\.id) + batch.removedSources).map(SourceRows.name))
        if !names.isEmpty { parts.append((.sources, BatchSQL.sources(names, store: store))) }
        let assignedIDs = batch.assignments.map(\.entry) + batch.unassignments
        if batch.clustering != nil || !batch.clusters.isEmpty || !assignedIDs.isEmpty {
            parts.append((.clusters, BatchSQL.clusters(store: store)))
        }
        if batch.clustering != nil {
            parts.append((.assignments, BatchSQL.assignments(of: nil, store: store)))
        } else if !assignedIDs.isEmpty {
            parts.append((.assignments, BatchSQL.assignments(of: assignedIDs, store: store)))
        }
        if let repeated {
            parts.append((.commit, TableSQL.findCommit(store: store, batch: repeated)))
        }
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

enum BatchSQL {
    private static func isPresent(_ alias: String) -> String {
        "\(alias).store = $1::uuid AND \(alias).removed_revision = \(Table.neverRemoved)"
    }

    static func entries(_ ids: [UUID], store: UUID) -> Statement {
        Statement(
            """
            SELECT \(EntryRows.headerColumns) FROM roost.entries e
            WHERE \(isPresent("e")) AND e.id = ANY($2::uuid[])
            """, [Parameter(store), Parameter(ids)])
    }

    static func sources(_ names: Set<UUID>, store: UUID) -> Statement {
        Statement(
            """
            SELECT \(SourceRows.columns) FROM roost.sources s
            WHERE \(isPresent("s")) AND s.name = ANY($2::uuid[])
            """, [Parameter(store), Parameter(names)])
    }

    static func clusters(store: UUID) -> Statement {
        Statement(
            """
            SELECT \(ClusterRows.columns) FROM roost.clusters c WHERE \(isPresent("c")) ORDER BY c.position
            """, [Parameter(store)])
    }

    static func assignments(of ids: [UUID]?, store: UUID) -> Statement {
        let selection = """
            SELECT \(ClusterRows.assignmentColumns) FROM roost.assignments a WHERE \(isPresent("a"))
            """
        guard let ids else { return Statement(selection, [Parameter(store)]) }
        return Statement(
            selection + " AND a.entry = ANY($2::uuid[])", [Parameter(store), Parameter(Array(Set(ids)))])
    }
}
