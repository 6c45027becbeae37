import Foundation
import RoostFiles
import RoostModel

/// The record of an original file, with the ids of the segments that contain its parts.
struct OriginalRecord: Sendable, Hashable, Codable {
    var digest: SegmentID
    var size: Int
    var parts: [SegmentID]

    /// The size, in bytes, of every part except the last. If text is appended to a document, its unchanged
    /// parts are shared with earlier versions.
    static let maximumPartSize = 4 << 20
    /// The maximum size of a file in bytes. A record with a larger size is corrupt.
    private static let maximumSize = 1 << 40

    var isValid: Bool {
        (0...Self.maximumSize).contains(size)
            && parts.count == max(1, (size + Self.maximumPartSize - 1) / Self.maximumPartSize)
    }
}

/// A run of consecutive entries of a store, with the ids of the segments that contain their data.
struct RunRecord: Sendable, Hashable, Codable {
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

    var isValid: Bool { (1...RunBoundaries.maximumCount).contains(count) }
}

/// Determines where runs of entries, and lists of runs, end.
///
/// The boundaries are content-defined: each depends only on its neighborhood. If an entry is added or
/// removed, only the boundaries next to it move, and all other runs remain identical.
enum RunBoundaries {
    // These values determine how entries are divided into segments. If one of them changed, the next backup
    // of every store would write all of the store's data again.

    private static let minimumCount = 16
    static let maximumCount = 256
    /// The average number of entries between two boundaries of runs.
    private static let spacing: UInt64 = 64
    /// A run ends when the total size of its texts and their structures reaches this number of bytes.
    private static let maximumBytes = 1 << 20
    private static let maximumListCount = 512
    /// The average number of runs between two boundaries of lists.
    private static let listSpacing: UInt64 = 128

    /// - Parameters:
    ///   - count: The number of entries in the run, including this one.
    ///   - bytes: The total size of the texts and structures of these entries, in bytes.
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

extension TextStructure {
    /// The approximate size in memory, in bytes.
    var approximateSize: Int {
        let headings = sections.reduce(0) { $0 + 1 + $1.headings.count }
        let texts = links.reduce(sections.reduce(0) { $0 + ($1.headings.last?.utf8.count ?? 0) }) {
            $0 + $1.target.utf8.count + ($1.text?.utf8.count ?? 0)
        }
        return texts + 16 * (headings + hiddenParts.count + blocks.count + 4 * links.count)
    }
}

struct RunCutter {
    private var pending: [Entry] = []
    private var bytes = 0

    /// - Returns: The entries of the run if it ends after this entry; otherwise `nil`.
    mutating func add(_ entry: Entry) -> [Entry]? {
        pending.append(entry)
        bytes += entry.content.utf8.count + (entry.structure?.approximateSize ?? 0)
        guard RunBoundaries.endsRun(after: entry.id, count: pending.count, bytes: bytes) else { return nil }
        return rest()
    }

    /// Returns the entries after the last boundary, or `nil` without any.
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
        sources.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }.divided { source, count in
            count >= maximumCount || SegmentID(SHA256.hash(Array(source.id.utf8))).lowBits % spacing == 0
        }
    }
}

extension Array {
    /// Returns the elements in parts.
    ///
    /// - Parameter endsPart: Returns whether a part ends after an element, which is the n-th one of the part.
    func divided(_ endsPart: (Element, Int) -> Bool) -> [[Element]] {
        var (parts, part) = ([[Element]](), [Element]())
        for element in self {
            part.append(element)
            guard endsPart(element, part.count) else { continue }
            parts.append(part)
            part = []
        }
        return part.isEmpty ? parts : parts + [part]
    }
}
