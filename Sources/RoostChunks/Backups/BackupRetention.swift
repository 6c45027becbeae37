import Foundation
import RoostModel

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
    ///
    /// - Parameters:
    ///   - last: The number of most recent snapshots to keep.
    ///   - daily: The number of daily snapshots to keep, each the newest of its day.
    ///   - weekly: The number of weekly snapshots to keep, each the newest of its week.
    ///   - monthly: The number of monthly snapshots to keep, each the newest of its month.
    ///   - tags: Tags that protect a snapshot.
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
