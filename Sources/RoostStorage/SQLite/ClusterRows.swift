import Foundation
import GRDB
import RoostModel
import RoostVectors

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

    /// Returns the clusters as they were written: without members, and with representatives that may have
    /// been removed since.
    static func records(_ database: Database) throws -> [Cluster] {
        try Row.fetchAll(database, sql: clusterSelection).map(cluster)
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
        for index in clusters.indices { clusters[index].members = byCluster[clusters[index].id] ?? [] }
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
