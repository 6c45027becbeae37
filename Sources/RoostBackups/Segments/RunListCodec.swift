import Foundation
import RoostFiles

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
