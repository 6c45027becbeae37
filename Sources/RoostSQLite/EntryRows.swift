import Foundation
import GRDB
import RoostModel
import RoostVectors

/// Reads entries from their tables.
struct EntryRows {
    private let database: Database

    init(_ database: Database) { self.database = database }

    static let columns = """
        e.row, e.id, CAST(e.content AS BLOB), e.source, e.key, e.metadata, e.tags,
        e.created, e.updated, v.embedding,
        \(Checksum.entries.holds("e")) AND (v.row IS NULL OR \(Checksum.vectors.holds("v", id: "e.id"))),
        e.passages, e.dimension
        """

    /// Entries by their rows, in the order given; a missing one is left out.
    func entries(rows: [Int64]) throws -> [(row: Int64, entry: Entry)] {
        let sql = "SELECT \(Self.columns) FROM entries e LEFT JOIN vectors v ON v.row = e.row WHERE e.row = ?"
        let statement = try database.cachedStatement(sql: sql)
        return try rows.compactMap { row in
            try Row.fetchOne(statement, arguments: [row]).map { (row, try entry($0)) }
        }
    }

    /// An entry from a row of `columns`.
    func entry(_ row: Row) throws -> Entry {
        let number: Int64 = try row.value(0)
        try Checksum.check(row, 10, "an entry in row \(number)")
        let embeddings = try (row.value(9) as Data?).map(Column.vector) ?? []
        let passages = try passages(number, embeddings)
        guard try passages.count == row.value(11), try embeddings.count == row.value(12) else {
            throw Column.damaged("an entry in row \(number) without all of its vectors")
        }
        return try entry(row, embeddings: embeddings, passages: passages)
    }

    private func entry(_ row: Row, embeddings: [Float], passages: [Passage]) throws -> Entry {
        let metadata: Data = try row.value(5)
        let tags: Data = try row.value(6)
        return Entry(
            id: try Column.uuid(row.value(1)), content: try Column.text(row.value(2)), embeddings: embeddings,
            passages: passages, source: try (row.value(3) as Data?).map(Column.text),
            key: try (row.value(4) as Data?).map(Column.text),
            metadata: metadata.count == 2 ? [:] : try Column.value([String: MetadataValue].self, metadata),
            tags: tags.count == 2 ? [] : try Column.value([String].self, tags),
            createdAt: Date(milliseconds: try row.value(7)), updatedAt: Date(milliseconds: try row.value(8)))
    }

    /// The entry of a row; `nil` where there is none.
    func entry(in row: Int64) throws -> Entry? { try entries(rows: [row]).first?.entry }

    /// What is left of an entry whose vector or passages are damaged.
    func entryWithoutVectors(in row: Int64) throws -> Entry? {
        let sql = """
            SELECT e.row, e.id, CAST(e.content AS BLOB), e.source, e.key, e.metadata, e.tags, 
                e.created, e.updated, NULL, \(Checksum.entries.holds("e"))
            FROM entries e WHERE e.row = ?
            """
        guard let found = try Row.fetchOne(database, sql: sql, arguments: [row]) else { return nil }
        try Checksum.check(found, 10, "an entry in row \(row)")
        return try entry(found, embeddings: [], passages: [])
    }

    /// The revision that last changed an entry; `nil` where there is none.
    func revision(of id: Entry.ID) throws -> Revision? {
        let statement = try database.cachedStatement(
            sql: "SELECT e.revision, \(Checksum.entries.holds("e")) FROM entries e WHERE e.id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [Column.bytes(id)]) else { return nil }
        try Checksum.check(row, 1, "an entry")
        return Revision(rawValue: UInt64(clamping: try row.value(0) as Int64))
    }

    private func passages(_ row: Int64, _ embeddings: [Float]) throws -> [Passage] {
        let sql = """
            SELECT ordinal, start, end, tokens, vector, \(Checksum.passages.holds("passages"))
            FROM passages WHERE row = ? ORDER BY ordinal
            """
        return try Row.fetchAll(database.cachedStatement(sql: sql), arguments: [row]).map { row in
            try Checksum.check(row, 5, "a passage")
            let (start, end): (Int, Int) = (try row.value(1), try row.value(2))
            guard start >= 0, start <= end else {
                throw Column.damaged("a passage that ends before it begins")
            }
            return Passage(
                ordinal: try row.value(0), utf8Range: start..<end, tokenCount: try row.value(3),
                vector: try (row.value(4) as Data?).map(Column.vector) ?? embeddings)
        }
    }
}

/// Reads clusters and assignments.
enum ClusterRows {
    static let clusterSelection = """
        SELECT record, centroid, \(Checksum.clusters.holds("clusters")) FROM clusters ORDER BY position
        """

    static func cluster(_ row: Row) throws -> Cluster {
        try Checksum.check(row, 2, "a cluster")
        var cluster = try Column.value(Cluster.self, row.value(0))
        cluster.centroid = try Column.vector(row.value(1))
        return cluster
    }

    static func clusters(_ database: Database, members: Bool) throws -> [Cluster] {
        var clusters = try Row.fetchAll(database, sql: clusterSelection).map(cluster)
        guard members, !clusters.isEmpty else { return clusters }
        var byCluster: [UUID: [UUID]] = [:]
        let pairs = try Row.fetchCursor(
            database,
            sql: """
                SELECT a.cluster, e.id, \(Checksum.assignments.holds("a", id: "e.id"))
                FROM assignments a JOIN entries e ON e.row = a.row
                WHERE a.cluster IS NOT NULL ORDER BY a.row
                """)
        while let row = try pairs.next() {
            try Checksum.check(row, 2, "an assignment")
            byCluster[try Column.uuid(row.value(0)), default: []].append(try Column.uuid(row.value(1)))
        }
        let exists = try database.cachedStatement(sql: "SELECT 1 FROM entries WHERE id = ?")
        for index in clusters.indices {
            clusters[index].members = byCluster[clusters[index].id] ?? []
            try clusters[index].representatives.removeAll {
                try Int.fetchOne(exists, arguments: [Column.bytes($0)]) == nil
            }
        }
        return clusters
    }

    static func assignments(_ database: Database) throws -> [Assignment] {
        try Row.fetchAll(database, sql: "\(selection) ORDER BY a.row").map(assignment)
    }

    static let selection = """
        SELECT e.id, a.cluster, a.outlier, a.run, a.similarity, a.confidence,
            \(Checksum.assignments.holds("a", id: "e.id"))
        FROM assignments a JOIN entries e ON e.row = a.row
        """

    static func assignment(_ row: Row) throws -> Assignment {
        try Checksum.check(row, 6, "an assignment")
        let place: Assignment.Place
        if let cluster = try row.value(1) as Data? {
            place = .cluster(try Column.uuid(cluster))
        } else {
            guard let reason = try (row.value(2) as String?).flatMap(Partition.OutlierReason.init(rawValue:))
            else {
                throw Column.damaged("an assignment to nothing")
            }
            place = .outlier(reason)
        }
        return Assignment(
            entry: try Column.uuid(row.value(0)), place: place,
            run: try (row.value(3) as Data?).map(Column.uuid),
            similarity: Float(try row.value(4) as Double), confidence: Float(try row.value(5) as Double))
    }
}
