import Foundation
import GRDB
import RoostModel
import RoostVectors

struct EntryRows {
    private let database: Database

    init(_ database: Database) { self.database = database }

    static let columns = """
        e.row, e.id, CAST(e.content AS BLOB), e.source, e.key, e.metadata, e.tags,
        e.created, e.updated, e.structure, v.embedding,
        \(Checksum.entries.matches("e")) AND (v.row IS NULL OR \(Checksum.vectors.matches("v", id: "e.id")))
        AND (l.row IS NULL OR \(Checksum.locations.matches("l", id: "e.id"))),
        e.passages, e.dimension, l.line, l.last_line, l.page, l.headings
        """

    static let tables = """
        entries e LEFT JOIN vectors v ON v.row = e.row LEFT JOIN locations l ON l.row = e.row
        """

    // The texts of statements that run for each entry are constants, because composing them takes longer than
    // running them.

    private static let passageQuery = """
        SELECT ordinal, start, end, tokens, vector, \(Checksum.passages.matches("passages", id: "?2"))
        FROM passages WHERE row = ?1 ORDER BY ordinal
        """

    // A single number is read without a row, which takes most of the time.
    private static let revisionQuery =
        "SELECT iif(\(Checksum.entries.matches("e")), e.revision, -1) FROM entries e WHERE e.id = ?"

    func entry(in row: Int64) throws -> Entry? {
        let sql = "SELECT \(Self.columns) FROM \(Self.tables) WHERE e.row = ?"
        return try entry(database.cachedStatement(sql: sql), [row])
    }

    /// Returns the entry that a statement finds, which selects ``columns``; `nil` if it finds none.
    func entry(_ statement: Statement, _ arguments: StatementArguments) throws -> Entry? {
        try ResultRow.fetchCursor(statement, arguments: arguments).map(entry).next()
    }

    func entry(_ row: ResultRow) throws -> Entry {
        let number: Int64 = try row.value(0)
        try Checksum.check(row, 11, "an entry in row \(number)")
        let embeddings = try row.bytesIfPresent(10).map(Column.vector) ?? []
        let passages = try passages(number, id: row.value(1), embeddings)
        guard try passages.count == row.value(12), try embeddings.count == row.value(13) else {
            throw Column.damaged("an entry in row \(number) that lacks a passage or a vector")
        }
        var entry = try entry(row, embeddings: embeddings, passages: passages)
        guard passages.allSatisfy({ $0.utf8Range.upperBound <= entry.content.utf8.count }) else {
            throw Column.damaged("an entry in row \(number) with a passage outside of its text")
        }
        entry.location = try location(row)
        return entry
    }

    private func location(_ row: ResultRow) throws -> EntryLocation? {
        guard let headings = row.bytesIfPresent(17) else { return nil }
        let location = EntryLocation(
            line: try row.value(14), lastLine: try row.value(15), page: try row.value(16),
            headings: headings.isEmpty ? [] : try Column.strings(headings))
        guard location.isValid else { throw Column.damaged("a location with a number out of range") }
        return location
    }

    private func entry(_ row: ResultRow, embeddings: [Float], passages: [Passage]) throws -> Entry {
        let metadata = try row.bytes(5)
        let tags = try row.bytes(6)
        let content = try Column.text(row.bytes(2))
        let structure = row.bytesIfPresent(9).map {
            TextStructure(coded: Array($0), length: content.utf8.count)
        }
        if let structure, structure == nil { throw Column.damaged("a structure of another text") }
        return Entry(
            id: try Column.uuid(row.bytes(1)), content: content, structure: structure ?? nil,
            embeddings: embeddings, passages: passages, source: try row.bytesIfPresent(3).map(Column.text),
            key: try row.bytesIfPresent(4).map(Column.text),
            metadata: metadata.count == 2 ? [:] : try Column.metadata(metadata),
            tags: tags.count == 2 ? [] : try Column.strings(tags),
            createdAt: Date(milliseconds: try row.value(7)), updatedAt: Date(milliseconds: try row.value(8)))
    }

    /// Returns an entry without its vector, passages and location. An entry can be recovered
    /// in this way if only these parts are damaged.
    func entryWithoutVectors(in row: Int64) throws -> Entry? {
        let sql = """
            SELECT e.row, e.id, CAST(e.content AS BLOB), e.source, e.key, e.metadata, e.tags,
                e.created, e.updated, e.structure, \(Checksum.entries.matches("e"))
            FROM entries e WHERE e.row = ?
            """
        return try ResultRow.fetchCursor(database, sql: sql, arguments: [row]).map { found in
            try Checksum.check(found, 10, "an entry in row \(row)")
            return try entry(found, embeddings: [], passages: [])
        }.next()
    }

    func revision(of id: Entry.ID) throws -> Revision? {
        let statement = try database.cachedStatement(sql: Self.revisionQuery)
        guard let number = try Int64.fetchOne(statement, arguments: [Column.bytes(id)]) else { return nil }
        guard number >= 0 else { throw Column.damaged("an entry whose checksum does not match") }
        return Revision(rawValue: UInt64(number))
    }

    private func passages(_ row: Int64, id: Data, _ embeddings: [Float]) throws -> [Passage] {
        let statement = try database.cachedStatement(sql: Self.passageQuery)
        let cursor = try ResultRow.fetchCursor(statement, arguments: [row, id])
        var passages: [Passage] = []
        while let row = try cursor.next() {
            try Checksum.check(row, 5, "a passage")
            let (start, end): (Int, Int) = (try row.value(1), try row.value(2))
            guard start >= 0, start <= end else {
                throw Column.damaged("a passage with an invalid range")
            }
            passages.append(
                Passage(
                    ordinal: try row.value(0), utf8Range: start..<end, tokenCount: try row.value(3),
                    vector: try row.bytesIfPresent(4).map(Column.vector) ?? embeddings))
        }
        return passages
    }
}

enum ClusterRows {
    static let clusterSelection = """
        SELECT record, centroid, \(Checksum.clusters.matches("clusters")) FROM clusters ORDER BY position
        """

    static func cluster(_ row: ResultRow) throws -> Cluster {
        try Checksum.check(row, 2, "a cluster")
        var cluster = try Column.value(Cluster.self, row.value(0))
        cluster.centroid = try Column.vector(row.bytes(1))
        return cluster
    }

    /// Returns the clusters as they were written: without members, and with representatives that may have
    /// been removed since.
    static func records(_ database: Database) throws -> [Cluster] {
        try Array(ResultRow.fetchCursor(database, sql: clusterSelection).map(cluster))
    }

    /// Returns the clusters without members, and with those representatives that the store contains.
    static func clustersWithoutMembers(_ database: Database) throws -> [Cluster] {
        let exists = try database.cachedStatement(sql: "SELECT 1 FROM entries WHERE id = ?")
        return try records(database).map { record in
            var cluster = record
            try cluster.representatives.removeAll {
                try Int.fetchOne(exists, arguments: [Column.bytes($0)]) == nil
            }
            return cluster
        }
    }

    static func clusters(_ database: Database) throws -> [Cluster] {
        var clusters = try clustersWithoutMembers(database)
        guard !clusters.isEmpty else { return [] }
        var byCluster: [UUID: [UUID]] = [:]
        let pairs = try ResultRow.fetchCursor(
            database,
            sql: """
                SELECT a.cluster, e.id, \(Checksum.assignments.matches("a", id: "e.id"))
                FROM assignments a JOIN entries e ON e.row = a.row
                WHERE a.cluster IS NOT NULL ORDER BY a.row
                """)
        while let row = try pairs.next() {
            try Checksum.check(row, 2, "an assignment")
            byCluster[try Column.uuid(row.bytes(0)), default: []].append(try Column.uuid(row.bytes(1)))
        }
        for index in clusters.indices { clusters[index].members = byCluster[clusters[index].id] ?? [] }
        return clusters
    }

    static func assignments(_ database: Database) throws -> [Assignment] {
        try Array(ResultRow.fetchCursor(database, sql: "\(selection) ORDER BY a.row").map(assignment))
    }

    static let selection = """
        SELECT e.id, a.cluster, a.outlier, a.run, a.similarity, a.confidence,
            \(Checksum.assignments.matches("a", id: "e.id")), a.row
        FROM assignments a JOIN entries e ON e.row = a.row
        """

    static func assignment(_ row: ResultRow) throws -> Assignment {
        try Checksum.check(row, 6, "an assignment")
        let target: Assignment.Target
        if let cluster = row.bytesIfPresent(1) {
            target = .cluster(try Column.uuid(cluster))
        } else {
            guard let reason = try (row.value(2) as String?).flatMap(Partition.OutlierReason.init(rawValue:))
            else {
                throw Column.damaged("an assignment with neither a cluster nor an outlier reason")
            }
            target = .outlier(reason)
        }
        return Assignment(
            entry: try Column.uuid(row.bytes(0)), target: target,
            run: try row.bytesIfPresent(3).map(Column.uuid),
            similarity: Float(try row.value(4) as Double), confidence: Float(try row.value(5) as Double))
    }
}

/// Reads the change feed. The position of an entry's latest change is stored in the entry's row or, after
/// removal, in its tombstone.
enum ChangeReader {
    static func page(after cursor: ChangeCursor, limit: Int, _ database: Database) throws -> ChangePage {
        let meta = try Meta(database)
        guard
            let cursor = cursor.resolved(
                epoch: meta.epoch, revision: meta.revision, horizon: meta.horizon)
        else { return .resetRequired }
        let fetchLimit = limit == .max ? Int.max : limit + 1
        let position: StatementArguments = [
            Int64(clamping: cursor.revision.rawValue), Int64(cursor.ordinal), fetchLimit,
        ]
        var changes: [Change] = []
        for (table, isRemoval) in [(Checksum.entries, false), (Checksum.tombstones, true)] {
            let sql = """
                SELECT id, revision, ordinal, \(table.matches(table.name))
                FROM \(table.name) WHERE (revision, ordinal) > (?, ?) ORDER BY revision, ordinal LIMIT ?
                """
            let rows = try ResultRow.fetchCursor(database.cachedStatement(sql: sql), arguments: position)
            while let row = try rows.next() {
                try Checksum.check(row, 3, isRemoval ? "a removal" : "an entry")
                let id = try Column.uuid(row.bytes(0))
                changes.append(
                    Change(
                        kind: isRemoval ? .removed(id) : .upserted(id),
                        revision: Revision(rawValue: try row.value(1)), ordinal: try row.value(2)))
            }
        }
        let clusters = meta.clustersRevision
        if clusters > .zero, (clusters, meta.clustersOrdinal) > (cursor.revision, cursor.ordinal) {
            changes.append(
                Change(
                    kind: .clustersReplaced(try meta.run()?.id), revision: clusters,
                    ordinal: meta.clustersOrdinal))
        }
        return cursor.page(of: changes, limit: limit, revision: meta.revision)
    }
}
