import Foundation
import RoostFiles

/// A run of consecutive entries of a store, with the ids of the segments that contain their data.
struct RunRecord: Sendable, Hashable {
    var ids: SegmentID
    var entries: SegmentID
    var vectors: SegmentID
    /// The segment of cluster assignments; `nil` if no entry of the run has an assignment.
    var assignments: SegmentID?
    /// The number of entries in the run.
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

/// Collects runs of entries into lists and writes the lists.
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
