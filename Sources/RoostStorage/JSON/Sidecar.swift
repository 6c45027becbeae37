import Foundation
import RoostFiles
import RoostModel
import RoostVectors

/// The binary file of a generation: the offset, length and checksum of each entry in `entries.json`, and all
/// data of the store that `entries.json` and `clusters.json` do not contain. `Documentation/Formats.md`
/// describes the bytes.
struct Sidecar {
    struct Extent: Sendable, Hashable {
        var offset: UInt64
        var length: UInt32
        var checksum: UInt32
    }

    var archive: StoreState.Archive
    var extents: [Extent]

    private static let magic = Array("ROOSTSC1".utf8)
    private static let end = Array("ROOSTEND".utf8)
    private static let none = UInt32.max
    private static let recordSize = 16 + 4 + 8 + 4 + 4 + 32 + 4 + 8 + 4 + 4

    // MARK: Writing

    func encoded() throws -> [UInt8] {
        var writer = BinaryWriter()
        writer.write(raw: Self.magic)
        writer.write(archive.store)
        writer.write(archive.epoch)
        writer.write(archive.revision.rawValue)
        writer.write(archive.horizon.rawValue)
        writer.write(UInt32(archive.nextRow))
        write(archive.clustersPosition, &writer)
        try writeRecords(&writer)
        writer.write(UInt32(archive.removals.count))
        for removal in archive.removals {
            writer.write(removal.id)
            write(removal.position, &writer)
            writer.write(removal.removedAt.milliseconds)
        }
        writer.write(UInt32(archive.sources.count))
        for source in archive.sources {
            writer.write(counted: source.id.utf8)
            writer.write(counted: source.fingerprint.utf8)
            writer.write(source.ingestedAt.milliseconds)
        }
        try writeClustering(&writer)
        writer.write(raw: Self.end)
        return writer.bytes
    }

    private func write(_ position: ChangePosition?, _ writer: inout BinaryWriter) {
        writer.write(position?.revision.rawValue ?? 0)
        writer.write(position?.ordinal ?? 0)
    }

    private func writeRecords(_ writer: inout BinaryWriter) throws {
        var names: [Source.ID] = []
        var numbers: [ExactText: UInt32] = [:]
        for case let source? in archive.records.lazy.map(\.source) where numbers[ExactText(source)] == nil {
            numbers[ExactText(source)] = UInt32(names.count)
            names.append(source)
        }
        writer.write(UInt32(names.count))
        for name in names { writer.write(counted: name.utf8) }
        writer.write(UInt32(archive.records.count))
        for (record, extent) in zip(archive.records, extents) {
            writer.write(record.id)
            writer.write(record.row)
            write(record.position, &writer)
            writer.write(UInt32(record.dimension))
            writer.write(raw: record.digest.bytes)
            writer.write(record.source.flatMap { numbers[ExactText($0)] } ?? Self.none)
            writer.write(extent.offset)
            writer.write(extent.length)
            writer.write(extent.checksum)
        }
    }

    private func writeClustering(_ writer: inout BinaryWriter) throws {
        let encoder = JSONEncoder()
        writer.write(UInt32(archive.clusters.count))
        var numbers: [Cluster.ID: UInt32] = [:]
        for (number, cluster) in archive.clusters.enumerated() {
            numbers[cluster.id] = UInt32(number)
            writer.write(counted: try encoder.encode(cluster))
        }
        writer.write(counted: try archive.run.map { try encoder.encode($0) } ?? Data())
        writer.write(UInt32(archive.assignments.count))
        for assignment in archive.assignments {
            writer.write(assignment.entry)
            writer.write(assignment.cluster.flatMap { numbers[$0] } ?? Self.none)
            writer.write(counted: (assignment.outlierReason?.rawValue ?? "").utf8)
            writer.write(UInt8(assignment.run == nil ? 0 : 1))
            if let run = assignment.run { writer.write(run) }
            writer.write(assignment.similarity)
            writer.write(assignment.confidence)
        }
    }

    private static func position(_ reader: inout BinaryReader) throws -> ChangePosition {
        ChangePosition(revision: Revision(rawValue: try reader.read()), ordinal: try reader.read())
    }

    private mutating func readRecords(_ reader: inout BinaryReader) throws {
        var names: [Source.ID] = []
        for _ in 0..<(try reader.count(ofAtLeast: 4)) { names.append(try reader.string()) }
        let count = try reader.count(ofAtLeast: Self.recordSize)
        archive.records.reserveCapacity(count)
        extents.reserveCapacity(count)
        for _ in 0..<count {
            let id = try reader.uuid()
            let row: UInt32 = try reader.read()
            let position = try Self.position(&reader)
            let dimension = Int(try reader.read(UInt32.self))
            // Memory is reserved for vectors of this dimension.
            guard dimension <= EmbeddingSpace.maximumDimension else { throw BinaryReader.InvalidData() }
            let digest = ContentDigest(bytes: Array(try reader.take(32)))
            let name = try reader.read(UInt32.self)
            guard name == Self.none || name < names.count else { throw BinaryReader.InvalidData() }
            archive.records.append(
                .init(
                    id: id, row: row, position: position, dimension: dimension, digest: digest,
                    source: name == Self.none ? nil : names[Int(name)]))
            extents.append(
                Extent(offset: try reader.read(), length: try reader.read(), checksum: try reader.read()))
        }
    }

    private mutating func readClustering(_ reader: inout BinaryReader) throws {
        let decoder = JSONDecoder()
        for _ in 0..<(try reader.count(ofAtLeast: 4)) {
            archive.clusters.append(try decoder.decode(Cluster.self, from: Data(try reader.counted())))
        }
        let run = Data(try reader.counted())
        archive.run = run.isEmpty ? nil : try decoder.decode(ClusteringRun.self, from: run)
        for _ in 0..<(try reader.count(ofAtLeast: 33)) {
            let entry = try reader.uuid()
            let cluster = try reader.read(UInt32.self)
            let reason = try reader.string()
            let target: Assignment.Target
            if let reason = Partition.OutlierReason(rawValue: reason), cluster == Self.none {
                target = .outlier(reason)
            } else if cluster < archive.clusters.count {
                target = .cluster(archive.clusters[Int(cluster)].id)
            } else {
                throw BinaryReader.InvalidData()
            }
            let run = try reader.read(UInt8.self) == 0 ? nil : try reader.uuid()
            archive.assignments.append(
                Assignment(
                    entry: entry, target: target, run: run, similarity: try reader.float(),
                    confidence: try reader.float()))
        }
    }
}

extension Sidecar {
    init(_ bytes: UnsafeRawBufferPointer) throws {
        var reader = BinaryReader(bytes)
        guard try reader.take(Self.magic.count).elementsEqual(Self.magic) else {
            throw BinaryReader.InvalidData()
        }
        archive = StoreState.Archive(
            store: try reader.uuid(), epoch: try reader.uuid(),
            revision: Revision(rawValue: try reader.read()))
        archive.horizon = Revision(rawValue: try reader.read())
        archive.nextRow = Int(try reader.read(UInt32.self))
        let position = try Self.position(&reader)
        if position.revision > .zero { archive.clustersPosition = position }
        extents = []
        try readRecords(&reader)
        for _ in 0..<(try reader.count(ofAtLeast: 36)) {
            archive.removals.append(
                .init(
                    id: try reader.uuid(), position: try Self.position(&reader),
                    removedAt: Date(milliseconds: try reader.read())))
        }
        for _ in 0..<(try reader.count(ofAtLeast: 16)) {
            archive.sources.append(
                Source(
                    id: try reader.string(), fingerprint: try reader.string(),
                    ingestedAt: Date(milliseconds: try reader.read())))
        }
        try readClustering(&reader)
        guard try reader.take(Self.end.count).elementsEqual(Self.end), reader.remaining == 0 else {
            throw BinaryReader.InvalidData()
        }
    }
}
