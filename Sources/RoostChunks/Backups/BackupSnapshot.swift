public import Foundation
import RoostFiles
public import RoostModel

/// A backup of one revision of a store: the names of the segments that contain it.
public struct BackupSnapshot: Sendable, Identifiable {
    /// The digest of the stored snapshot, in hexadecimal. In an encrypted repository, it is a keyed digest.
    public internal(set) var id = ""
    /// The time at which the snapshot was created.
    public var created: Date
    /// The snapshot's labels, which ``BackupRetention`` can refer to.
    public var tags: [String]
    /// The store and the revision that were backed up.
    public var stamp: Stamp
    /// Values that were stored with the snapshot when it was created, for example the configuration of the
    /// store.
    public var attributes: [String: String]
    /// The number of source records.
    public var sourceCount: Int
    /// The number of original files in the snapshot.
    public var originalCount = 0
    /// The total size of the original files, in bytes.
    public var originalBytes = 0

    var lists: [SegmentID]
    var sources: [SegmentID]
    /// For each segment of sources, the list of their original files; empty if there are no documents.
    var originals: [SegmentID] = []
    var clusters: [SegmentID]
    var run: SegmentID?
    /// A number that is greater than those of all earlier snapshots of the same store in the repository, so
    /// that their order does not depend on a clock.
    var sequence = 0
    /// A random value, so that two snapshots of the same revision have different names.
    var nonce = UUID()
    var format = BackupRepository.currentFormat
}

/// Snapshots are stored as JSON, with dates in milliseconds. The id is the digest of this JSON.
extension BackupSnapshot: Codable {
    private enum CodingKeys: String, CodingKey {
        case format, created, tags, stamp, attributes, sourceCount, originalCount, originalBytes, lists,
            sources, originals, clusters, run, sequence, nonce
    }

    /// The maximum distance of a date from 1970, in seconds: more than 30,000 years.
    private static let maximumTime = 1e12

    init(decoding data: Data) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        self = try decoder.decode(Self.self, from: data)
        // Calendars trap for dates that are extremely far away.
        guard abs(created.timeIntervalSince1970) < Self.maximumTime else { throw BinaryReader.InvalidData() }
    }

    func encoded() throws -> Data {
        let encoder = JSONEncoder.canonical
        encoder.dateEncodingStrategy = .millisecondsSince1970
        return try encoder.encode(self)
    }
}

extension [BackupSnapshot] {
    /// Returns the snapshots, oldest first. Snapshots of different stores are not mixed: the store with the
    /// newest snapshot is last.
    ///
    /// Clocks are not reliable: a snapshot that was created while the clock ran ahead must not count as the
    /// newest one for years. Therefore the snapshots of a store are ordered by their sequence numbers.
    func oldestFirst() -> [BackupSnapshot] {
        Dictionary(grouping: self, by: \.stamp.store).values
            .map { $0.sorted { ($0.sequence, $0.created, $0.id) < ($1.sequence, $1.created, $1.id) } }
            .sorted { Self.age($0) < Self.age($1) }
            .flatMap { $0 }
    }

    private static func age(_ sorted: [BackupSnapshot]) -> (Date, String) {
        (sorted.last?.created ?? .distantPast, sorted.last?.id ?? "")
    }
}

/// The snapshots of a repository, including those that cannot be read.
public struct BackupSnapshotList: Sendable {
    /// A snapshot that cannot be read.
    public struct Unreadable: Sendable, Identifiable {
        /// The complete name of the snapshot.
        public let id: String
        /// The cause: ``BackupError`` with `.damaged` or `.newerFormat`.
        public let error: BackupError
    }

    /// The snapshots that can be read, oldest first.
    public internal(set) var snapshots: [BackupSnapshot] = []
    /// The snapshots that cannot be read, in the order of their names.
    public internal(set) var unreadable: [Unreadable] = []

    /// Creates an empty list.
    public init() {}

    /// Returns the newest of the snapshots that can be read.
    ///
    /// If ``unreadable`` is not empty, one of those may be newer.
    ///
    /// - Throws: ``BackupError`` with `.notFound` if the repository has no snapshots, or snapshots of several
    ///   stores; the error of the first of ``unreadable`` if no snapshot can be read.
    public func latest() throws -> BackupSnapshot {
        guard let last = snapshots.last else {
            guard let first = unreadable.first else {
                throw BackupError(
                    .notFound, "cannot select the latest snapshot: the backup repository is empty",
                    remedy: .createBackup)
            }
            throw first.error
        }
        guard snapshots.allSatisfy({ $0.stamp.store == last.stamp.store }) else {
            throw BackupError(
                .notFound,
                "cannot select the latest snapshot: the backup repository has snapshots of several stores",
                remedy: .chooseSnapshot)
        }
        return last
    }
}

/// Rules for the snapshots that a prune keeps.
///
/// The daily rule considers the most recent days that have snapshots, and keeps the newest snapshot of each
/// of them. The weekly and monthly rules work in the same way. A snapshot is kept if at least one rule keeps
/// it. Each store's snapshots are counted separately.
public struct BackupRetention: Sendable, Hashable {
    /// The number of most recent snapshots to keep.
    public var last: Int
    /// The number of daily snapshots to keep, each the newest of its day.
    public var daily: Int
    /// The number of weekly snapshots to keep, each the newest of its week. Weeks begin on Monday (ISO 8601).
    public var weekly: Int
    /// The number of monthly snapshots to keep, each the newest of its month.
    public var monthly: Int
    /// Tags that protect a snapshot: one that has any of them is kept.
    public var tags: Set<String>

    /// Creates rules. Days, weeks and months are in UTC.
    public init(last: Int = 0, daily: Int = 0, weekly: Int = 0, monthly: Int = 0, tags: Set<String> = []) {
        (self.last, self.daily, self.weekly, self.monthly) = (last, daily, weekly, monthly)
        self.tags = tags
    }

    /// Whether the rules keep no snapshot at all.
    public var isEmpty: Bool { max(last, daily, weekly, monthly) <= 0 && tags.isEmpty }

    /// Returns the ids of the snapshots that the rules keep.
    public func kept(of snapshots: [BackupSnapshot]) -> Set<String> {
        Dictionary(grouping: snapshots, by: \.stamp.store).values.reduce(into: []) { kept, snapshots in
            kept.formUnion(keptOfOneStore(snapshots))
        }
    }

    private func keptOfOneStore(_ snapshots: [BackupSnapshot]) -> Set<String> {
        let newestFirst = Array(snapshots.oldestFirst().reversed())
        var kept = Set(newestFirst.prefix(max(0, last)).map(\.id))
        kept.formUnion(newestFirst.filter { !tags.isDisjoint(with: $0.tags) }.map(\.id))
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        let rules: [(Int, Set<Calendar.Component>)] = [
            (daily, [.year, .month, .day]), (weekly, [.yearForWeekOfYear, .weekOfYear]),
            (monthly, [.year, .month]),
        ]
        for (count, components) in rules {
            var periods = Set<DateComponents>()
            for snapshot in newestFirst where periods.count < count {
                if periods.insert(calendar.dateComponents(components, from: snapshot.created)).inserted {
                    kept.insert(snapshot.id)
                }
            }
        }
        return kept
    }
}
