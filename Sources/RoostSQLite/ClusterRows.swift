import Foundation
import GRDB
import RoostModel
import RoostVectors

/// Reads clusters and assignments from their tables.
enum ClusterRows {
    static let clusterSelection = """
        SELECT record, centroid, \(Checksum.clusters.matches("clusters")) FROM clusters ORDER BY position
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
                SELECT a.cluster, e.id, \(Checksum.assignments.matches("a", id: "e.id"))
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
            \(Checksum.assignments.matches("a", id: "e.id"))
        FROM assignments a JOIN entries e ON e.row = a.row
        """

    static func assignment(_ row: Row) throws -> Assignment {
        try Checksum.check(row, 6, "an assignment")
        let target: Assignment.Target
        if let cluster = try row.value(1) as Data? {
            target = .cluster(try Column.uuid(cluster))
        } else {
            guard let reason = try (row.value(2) as String?).flatMap(Partition.OutlierReason.init(rawValue:))
            else {
                throw Column.damaged("an assignment with neither a cluster nor an outlier reason")
            }
            target = .outlier(reason)
        }
        return Assignment(
            entry: try Column.uuid(row.value(0)), target: target,
            run: try (row.value(3) as Data?).map(Column.uuid),
            similarity: Float(try row.value(4) as Double), confidence: Float(try row.value(5) as Double))
    }
}
