import Foundation
import RoostFiles
import RoostModel

/// A run: some consecutive entries of a store, and the segments that contain them.
struct RunRecord: Sendable, Hashable {
    var ids: SegmentID
    var entries: SegmentID
    var vectors: SegmentID
    /// `nil` if none of the entries has an assignment.
    var assignments: SegmentID?
    /// The number of entries.
    var count: Int

    /// The segments of the run.
    var all: [(SegmentID, SegmentKind)] {
        [(ids, .ids), (entries, .entries), (vectors, .vectors)]
            + (assignments.map { [($0, .assignments)] } ?? [])
    }
}

/// The boundaries of runs of entries and of lists of runs.
///
/// The boundaries are content-defined: each depends only on its neighborhood. If an entry is added or
/// removed, only the boundaries next to it move, and all other runs remain identical.
enum RunBoundaries {
    // These values determine the segments of every repository. A change would make the next backup of every
    // store write all of its data again.

    /// The minimum and maximum number of entries in a run.
    private static let minimumCount = 16
    private static let maximumCount = 256
    /// The average number of entries from one boundary to the next.
    private static let spacing: UInt64 = 64
    /// The number of bytes of text at which a run ends.
    private static let maximumBytes = 1 << 20
    /// The maximum number of runs in a list.
    private static let maximumListCount = 512
    /// The average number of runs from one boundary of lists to the next.
    private static let listSpacing: UInt64 = 128

    /// Returns whether a run ends after an entry.
    ///
    /// - Parameters:
    ///   - id: The id of the entry.
    ///   - count: The number of entries in the run, including this one.
    ///   - bytes: The size of their texts.
    static func endsRun(after id: Entry.ID, count: Int, bytes: Int) -> Bool {
        if count >= maximumCount || bytes >= maximumBytes { return true }
        return count >= minimumCount && mixed(id) % spacing == 0
    }

    /// Returns whether a list ends after a run.
    static func endsList(after run: RunRecord, count: Int) -> Bool {
        count >= maximumListCount || run.ids.lowBits % listSpacing == 0
    }

    /// Returns a hash of an id, by the finalizer of SplitMix64. Ids are not always random: a caller may use
    /// consecutive numbers.
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

/// The encoding of lists of runs. For each run: ids 32 bytes · entries 32 · vectors 32 · assignments 32, or
/// zeros · count 4.
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
