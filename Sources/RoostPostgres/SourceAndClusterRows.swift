import Foundation
import RoostFiles
import RoostModel
import RoostVectors

enum SourceRows {
    static let columns = Table.sources.selection("s")

    static func name(_ id: Source.ID) -> UUID { Stored.shortDigest(.source, id) }

    /// Returns the source in a row with the columns ``columns``, without the ids of its entries.
    static func source(_ row: ResultRow, store: UUID) throws -> Source {
        try row.verify(0..<5, after: Stored.checksumSeed(store), "a source record")
        return Source(
            id: try row.text(2), fingerprint: try row.text(3),
            ingestedAt: Date(milliseconds: try row.int64(4)))
    }

    static func append(_ source: Source, at revision: Revision, store: UUID, to rows: inout RowBuffer) {
        rows.append(store)
        rows.append(name(source.id))
        rows.append(revision)
        rows.append(source.id)
        rows.append(source.fingerprint)
        rows.append(source.ingestedAt.milliseconds)
        rows.seal()
    }
}

enum ClusterRows {
    struct Positioned {
        let position: Int64
        let cluster: Cluster
    }

    static let columns = Table.clusters.selection("c")

    static let assignmentColumns = Table.assignments.selection("a")

    /// Returns the cluster in a row with the columns ``columns``, without its members.
    static func positioned(_ row: ResultRow, store: UUID) throws -> Positioned {
        try row.verify(0..<5, after: Stored.checksumSeed(store), "a cluster")
        var cluster = try Stored.value(Cluster.self, row.rawBytes(3))
        let centroid = row.rawBytes(4)
        guard centroid.count % 4 == 0 else {
            throw Stored.damaged("a centroid of \(centroid.count) bytes")
        }
        centroid.appendElements(from: 0, to: &cluster.centroid)
        return Positioned(position: try row.int64(0), cluster: cluster)
    }

    static func assignment(_ row: ResultRow, store: UUID) throws -> Assignment {
        try row.verify(0..<8, after: Stored.checksumSeed(store), "an assignment")
        let target: Assignment.Target
        if let cluster = try row.uuidIfPresent(3) {
            target = .cluster(cluster)
        } else {
            guard let reason = try row.textIfPresent(4).flatMap(Partition.OutlierReason.init) else {
                throw Stored.damaged("an assignment with neither a cluster nor an outlier reason")
            }
            target = .outlier(reason)
        }
        return Assignment(
            entry: try row.uuid(2), target: target, run: try row.uuidIfPresent(5),
            similarity: Float(try row.double(6)), confidence: Float(try row.double(7)))
    }

    static func append(
        _ cluster: Cluster, position: Int64, at revision: Revision, store: UUID, to rows: inout RowBuffer
    ) throws {
        var record = cluster
        (record.members, record.centroid) = ([], [])
        var centroid: [UInt8] = []
        centroid.append(elements: cluster.centroid)
        rows.append(store)
        rows.append(position)
        rows.append(revision)
        rows.append(cluster.id)
        rows.append(try Stored.json(record))
        rows.append(centroid)
        rows.seal()
    }

    static func append(
        _ assignment: Assignment, row: Int64, at revision: Revision, store: UUID, to rows: inout RowBuffer
    ) {
        rows.append(store)
        rows.append(row)
        rows.append(revision)
        rows.append(assignment.entry)
        rows.append(assignment.cluster)
        rows.append(assignment.outlierReason?.rawValue)
        rows.append(assignment.run)
        rows.append(Double(assignment.similarity))
        rows.append(Double(assignment.confidence))
        rows.seal()
    }
}
