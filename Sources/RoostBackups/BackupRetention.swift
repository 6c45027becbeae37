import Foundation
import RoostModel

/// Which snapshots stay: of each day, week and month that has some, the last one, for so many of them,
/// counted backwards from the newest; and the last few. Each store's snapshots are counted by themselves.
public struct BackupRetention: Sendable, Hashable {
    public var last: Int
    public var daily: Int
    /// Weeks begin on Monday (ISO 8601).
    public var weekly: Int
    public var monthly: Int
    /// Snapshots with one of these tags stay.
    public var tags: Set<String>

    /// Snapshots that no rule keeps go. Days, weeks and months are those of UTC.
    public init(last: Int = 0, daily: Int = 0, weekly: Int = 0, monthly: Int = 0, tags: Set<String> = []) {
        (self.last, self.daily, self.weekly, self.monthly) = (last, daily, weekly, monthly)
        self.tags = tags
    }

    /// Whether no rule keeps anything.
    public var isEmpty: Bool { max(last, daily, weekly, monthly) <= 0 && tags.isEmpty }

    /// The snapshots that stay, by name.
    public func kept(of snapshots: [BackupSnapshot]) -> Set<String> {
        Dictionary(grouping: snapshots, by: \.stamp.store).values.reduce(into: []) { kept, snapshots in
            kept.formUnion(keptOfOneStore(snapshots))
        }
    }

    private func keptOfOneStore(_ snapshots: [BackupSnapshot]) -> Set<String> {
        let newestFirst = snapshots.sorted { ($1.created, $1.id) < ($0.created, $0.id) }
        var kept = Set(newestFirst.prefix(max(0, last)).map(\.id))
        kept.formUnion(newestFirst.filter { !tags.isDisjoint(with: $0.tags) }.map(\.id))
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
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
