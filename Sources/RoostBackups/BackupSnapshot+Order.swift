import Foundation
import RoostModel

extension [BackupSnapshot] {
    /// Returns the snapshots, oldest first. Snapshots of different stores are not mixed: the store with the
    /// newest snapshot is last.
    ///
    /// Clocks are not reliable: a snapshot that was created while the clock ran ahead must not count as the
    /// newest one for years. Therefore the snapshots of a store are ordered by their epochs, then by
    /// revision, then by their sequence numbers, and only then by time. An epoch is as new as its newest
    /// snapshot.
    func oldestFirst() -> [BackupSnapshot] {
        Dictionary(grouping: self, by: \.stamp.store).values
            .map { Self.oldestFirst(ofOneStore: $0) }
            .sorted { Self.age($0) < Self.age($1) }
            .flatMap { $0 }
    }

    /// Returns the time of the newest of several sorted snapshots, and its id to break ties.
    private static func age(_ sorted: [BackupSnapshot]) -> (Date, String) {
        (sorted.last?.created ?? .distantPast, sorted.last?.id ?? "")
    }

    private static func oldestFirst(ofOneStore snapshots: [BackupSnapshot]) -> [BackupSnapshot] {
        Dictionary(grouping: snapshots, by: \.stamp.epoch).values
            .sorted { Self.epochAge($0) < Self.epochAge($1) }
            .flatMap { epoch in
                epoch.sorted {
                    ($0.stamp.revision, $0.sequence, $0.created, $0.id)
                        < ($1.stamp.revision, $1.sequence, $1.created, $1.id)
                }
            }
    }

    private static func epochAge(_ snapshots: [BackupSnapshot]) -> (Int, Date, String) {
        (
            snapshots.map(\.sequence).max() ?? 0, snapshots.map(\.created).max() ?? .distantPast,
            snapshots.map(\.id).max() ?? ""
        )
    }
}
