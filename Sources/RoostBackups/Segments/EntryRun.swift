import Foundation
import RoostFiles
import RoostModel

/// The segments of a run of entries.
struct RunRecord: Sendable, Hashable {
    var ids: SegmentID
    var entries: SegmentID
    var vectors: SegmentID
    /// `nil` where none of them has a place.
    var assignments: SegmentID?
    var count: Int

    var all: [(SegmentID, SegmentKind)] {
        [(ids, .ids), (entries, .entries), (vectors, .vectors)]
            + (assignments.map { [($0, .assignments)] } ?? [])
    }
}

/// Where runs of entries, and lists of runs, are cut: at boundaries that depend on what is next to them only,
/// so that an entry that comes or goes moves no boundary but those beside it.
enum RunBoundaries {
    private static let fewest = 16
    private static let most = 256
    /// Of so many entries one ends a run, on average.
    private static let spacing: UInt64 = 64
    /// A run is cut where its texts have so many bytes, whatever its entries are.
    private static let mostBytes = 1 << 20
    private static let mostInList = 512
    private static let listSpacing: UInt64 = 128

    static func endsRun(after id: Entry.ID, count: Int, bytes: Int) -> Bool {
        if count >= most || bytes >= mostBytes { return true }
        return count >= fewest && mixed(id) % spacing == 0
    }

    static func endsList(after run: RunRecord, count: Int) -> Bool {
        count >= mostInList || run.ids.lowBits % listSpacing == 0
    }

    /// Ids that people make may be numbers in order: SplitMix64's mixing makes any of them random.
    private static func mixed(_ id: Entry.ID) -> UInt64 {
        let (high, low) = withUnsafeBytes(of: id.uuid) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        var x = UInt64(littleEndian: high) ^ UInt64(littleEndian: low) &* 0x9E37_79B9_7F4A_7C15
        x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
        x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
        return x ^ (x >> 31)
    }
}

/// Lists of runs as bytes: ids 32 · entries 32 · vectors 32 · assignments 32 or zeros · count 4.
enum RunListCodec {
    private static let recordSize = 4 * SegmentID.size + 4

    static func encode(_ runs: [RunRecord]) -> Data {
        var writer = BinaryWriter()
        for run in runs {
            for id in [run.ids, run.entries, run.vectors, run.assignments ?? .none] {
                writer.write(raw: id.bytes)
            }
            writer.write(UInt32(run.count))
        }
        return Data(writer.bytes)
    }

    static func decode(_ data: Data) throws -> [RunRecord] {
        try EntryCodec.reading(data) { reader throws(BinaryReader.Short) in
            var runs: [RunRecord] = []
            while reader.remaining > 0 {
                func id() throws(BinaryReader.Short) -> SegmentID {
                    SegmentID(reading: try reader.take(SegmentID.size))
                }
                let (ids, entries, vectors, assignments) = (try id(), try id(), try id(), try id())
                runs.append(
                    RunRecord(
                        ids: ids, entries: entries, vectors: vectors,
                        assignments: assignments == SegmentID.none ? nil : assignments,
                        count: Int(try reader.read(UInt32.self))))
            }
            return runs
        }
    }
}

/// Clusters, sources and runs as bytes: JSON of each, counted; centroids as numbers behind it.
enum RecordCodec {
    private static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    static func encode(_ clusters: [Cluster]) throws -> Data {
        let encoder = encoder()
        encoder.userInfo[.omitsVectors] = true
        var writer = BinaryWriter()
        for cluster in clusters {
            var record = cluster
            record.members = []
            writer.write(counted: Array(try encoder.encode(record)))
            writer.write(UInt32(cluster.centroid.count))
            for number in cluster.centroid { writer.write(number) }
        }
        return Data(writer.bytes)
    }

    static func decodeClusters(_ data: Data) throws -> [Cluster] {
        let parts = try EntryCodec.reading(data) { reader throws(BinaryReader.Short) in
            var parts: [(Data, [Float])] = []
            while reader.remaining > 0 {
                let json = Data(try reader.counted())
                var centroid: [Float] = []
                for _ in 0..<(try reader.count(ofAtLeast: 4)) { centroid.append(try reader.float()) }
                parts.append((json, centroid))
            }
            return parts
        }
        return try parts.map { json, centroid in
            var cluster = try JSONDecoder().decode(Cluster.self, from: json)
            cluster.centroid = centroid
            return cluster
        }
    }

    static func encode(_ sources: [Source]) throws -> Data {
        let encoder = encoder()
        var writer = BinaryWriter()
        for source in sources { writer.write(counted: Array(try encoder.encode(source))) }
        return Data(writer.bytes)
    }

    static func decodeSources(_ data: Data) throws -> [Source] {
        let parts = try EntryCodec.reading(data) { reader throws(BinaryReader.Short) in
            var parts: [Data] = []
            while reader.remaining > 0 { parts.append(Data(try reader.counted())) }
            return parts
        }
        return try parts.map { try JSONDecoder().decode(Source.self, from: $0) }
    }

    static func encode(_ run: ClusteringRun) throws -> Data { try encoder().encode(run) }

    static func decodeRun(_ data: Data) throws -> ClusteringRun {
        try JSONDecoder().decode(ClusteringRun.self, from: data)
    }
}
