import Foundation
import Roost

/// Renders the result of a sync.
enum SyncText {
    /// Returns the numbers of changes on one line, such as `2 new, 1 updated, 0 moved, …`.
    static func line(_ report: SyncReport) -> String {
        let entries = report.entries
        return [
            "\(entries.new) new", "\(entries.updated) updated", "\(report.movedFiles) moved",
            "\(entries.removed) removed", "\(entries.unchanged) unchanged",
            SkipSummary.count(entries),
        ].joined(separator: ", ")
    }

    /// Returns the numbers of changes that are not zero.
    static func changes(_ report: SyncReport) -> String {
        let entries = report.entries
        let counts = [
            (entries.new, "new"), (entries.updated, "updated"), (report.movedFiles, "moved"),
            (entries.removed, "removed"),
        ]
        return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}
