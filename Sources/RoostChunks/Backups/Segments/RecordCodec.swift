import Foundation
import RoostFiles
import RoostModel

/// Encodes and decodes clusters, sources and clustering runs as JSON, preceded by its length. The centroid of
/// a cluster follows its JSON in binary form.
enum RecordCodec {
    static func encode(_ clusters: [Cluster]) throws -> Data {
        let encoder = JSONEncoder.canonical
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
        let records = try EntryCodec.reading(data) { reader throws(BinaryReader.InvalidData) in
            var records: [(Data, [Float])] = []
            while reader.remaining > 0 {
                let json = Data(try reader.counted())
                var centroid: [Float] = []
                for _ in 0..<(try reader.count(ofAtLeast: 4)) { centroid.append(try reader.float()) }
                records.append((json, centroid))
            }
            return records
        }
        return try records.map { json, centroid in
            var cluster = try JSONDecoder().decode(Cluster.self, from: json)
            cluster.centroid = centroid
            return cluster
        }
    }

    static func encode(_ sources: [Source]) throws -> Data {
        let encoder = JSONEncoder.canonical
        var writer = BinaryWriter()
        for source in sources { writer.write(counted: Array(try encoder.encode(source))) }
        return Data(writer.bytes)
    }

    static func decodeSources(_ data: Data) throws -> [Source] {
        let records = try EntryCodec.reading(data) { reader throws(BinaryReader.InvalidData) in
            var records: [Data] = []
            while reader.remaining > 0 { records.append(Data(try reader.counted())) }
            return records
        }
        return try records.map { try JSONDecoder().decode(Source.self, from: $0) }
    }

    static func encode(_ run: ClusteringRun) throws -> Data { try JSONEncoder.canonical.encode(run) }

    static func decodeRun(_ data: Data) throws -> ClusteringRun {
        try JSONDecoder().decode(ClusteringRun.self, from: data)
    }
}

/// The record of an original file, with the ids of the segments that contain its parts.
struct OriginalRecord: Sendable, Hashable {
    var digest: SegmentID
    var size: Int
    var parts: [SegmentID]

    /// The size, in bytes, of every part except the last. If text is appended to a document, its unchanged
    /// parts are shared with earlier versions.
    static let maximumPartSize = 4 << 20
}

/// Encodes and decodes lists of original files. The record of each document: digest 32 bytes · size 8 ·
/// number of parts 4 · id of each part 32.
enum OriginalListCodec {
    static func encode(_ records: [OriginalRecord]) -> Data {
        var writer = BinaryWriter()
        for record in records {
            writer.write(raw: record.digest.bytes)
            writer.write(UInt64(record.size))
            writer.write(UInt32(record.parts.count))
            for part in record.parts { writer.write(raw: part.bytes) }
        }
        return Data(writer.bytes)
    }

    static func decode(_ data: Data) throws -> [OriginalRecord] {
        try EntryCodec.reading(data) { reader throws(BinaryReader.InvalidData) in
            var records: [OriginalRecord] = []
            while reader.remaining > 0 {
                let digest = SegmentID(reading: try reader.take(SegmentID.size))
                let size = try reader.read(UInt64.self)
                guard size <= maximumSize else { throw BinaryReader.InvalidData() }
                var parts: [SegmentID] = []
                for _ in 0..<(try reader.count(ofAtLeast: SegmentID.size)) {
                    parts.append(SegmentID(reading: try reader.take(SegmentID.size)))
                }
                guard UInt64(parts.count) == max(1, (size + partSize - 1) / partSize) else {
                    throw BinaryReader.InvalidData()
                }
                records.append(OriginalRecord(digest: digest, size: Int(size), parts: parts))
            }
            return records
        }
    }

    private static let partSize = UInt64(OriginalRecord.maximumPartSize)
    /// The maximum size of a document in bytes. A list that contains a larger size is corrupt.
    private static let maximumSize: UInt64 = 1 << 40
}

/// A run of consecutive entries of a store, with the ids of the segments that contain their data.
struct RunRecord: Sendable, Hashable {
    var ids: SegmentID
    var entries: SegmentID
    var vectors: SegmentID
    /// The segment of cluster assignments; `nil` if no entry of the run has an assignment.
    var assignments: SegmentID?
    var count: Int

    var all: [(SegmentID, SegmentKind)] {
        [(ids, .ids), (entries, .entries), (vectors, .vectors)]
            + (assignments.map { [($0, .assignments)] } ?? [])
    }
}

/// Encodes and decodes lists of runs. The record of each run: ids 32 bytes · entries 32 · vectors 32 ·
/// assignments 32 (zeros if there are none) · count 4.
enum RunListCodec {
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
        try EntryCodec.reading(data) { reader throws(BinaryReader.InvalidData) in
            var runs: [RunRecord] = []
            while reader.remaining > 0 {
                func id() throws(BinaryReader.InvalidData) -> SegmentID {
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

struct ListWriter {
    let writer: SegmentWriter
    private var records: [RunRecord] = []
    private var lists: [SegmentID] = []

    init(writer: SegmentWriter) { self.writer = writer }

    /// Adds a run, and writes the list if it ends after this run.
    mutating func add(_ record: RunRecord) async throws {
        records.append(record)
        if RunBoundaries.endsList(after: record, count: records.count) { try await write() }
    }

    mutating func finish() async throws -> [SegmentID] {
        if !records.isEmpty { try await write() }
        return lists
    }

    private mutating func write() async throws {
        lists.append(try await writer.write(RunListCodec.encode(records), .list))
        records = []
    }
}

/// Determines where runs of entries, and lists of runs, end.
///
/// The boundaries are content-defined: each depends only on its neighborhood. If an entry is added or
/// removed, only the boundaries next to it move, and all other runs remain identical.
enum RunBoundaries {
    // These values determine how entries are divided into segments. If one of them changed, the next backup
    // of every store would write all of the store's data again.

    private static let minimumCount = 16
    private static let maximumCount = 256
    /// The average number of entries between two boundaries of runs.
    private static let spacing: UInt64 = 64
    /// A run ends when the total size of its texts reaches this number of bytes.
    private static let maximumBytes = 1 << 20
    private static let maximumListCount = 512
    /// The average number of runs between two boundaries of lists.
    private static let listSpacing: UInt64 = 128

    /// - Parameters:
    ///   - count: The number of entries in the run, including this one.
    ///   - bytes: The total size of the texts of these entries, in bytes.
    static func endsRun(after id: Entry.ID, count: Int, bytes: Int) -> Bool {
        if count >= maximumCount || bytes >= maximumBytes { return true }
        return count >= minimumCount && mixed(id) % spacing == 0
    }

    static func endsList(after run: RunRecord, count: Int) -> Bool {
        count >= maximumListCount || run.ids.lowBits % listSpacing == 0
    }

    /// Returns a hash of an entry's id, computed with the finalizer of SplitMix64. The id is hashed because
    /// ids are not always random: a caller may use consecutive numbers.
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

struct RunCutter {
    private var pending: [Entry] = []
    private var bytes = 0

    /// - Returns: The entries of the run if it ends after this entry; otherwise `nil`.
    mutating func add(_ entry: Entry) -> [Entry]? {
        pending.append(entry)
        bytes += entry.content.utf8.count
        guard RunBoundaries.endsRun(after: entry.id, count: pending.count, bytes: bytes) else { return nil }
        return rest()
    }

    /// Returns the entries after the last boundary, or `nil` if there are none.
    mutating func rest() -> [Entry]? {
        defer { (pending, bytes) = ([], 0) }
        return pending.isEmpty ? nil : pending
    }
}

/// Divides sources, in the order of their ids, into runs. The boundaries are content-defined, like those of
/// ``RunBoundaries``.
enum SourceRuns {
    /// The average number of sources from one boundary to the next.
    private static let spacing: UInt64 = 256
    private static let maximumCount = 1024

    static func cut(_ sources: [Source]) -> [[Source]] {
        let sorted = sources.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        var (runs, run) = ([[Source]](), [Source]())
        for source in sorted {
            run.append(source)
            let hash = SegmentID(SHA256.hash(Array(source.id.utf8))).lowBits
            guard hash % spacing == 0 || run.count >= maximumCount else { continue }
            runs.append(run)
            run = []
        }
        return run.isEmpty ? runs : runs + [run]
    }
}
