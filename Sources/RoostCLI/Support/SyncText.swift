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
            "\(entries.skipped.count) skipped",
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

/// Shows the progress of `roost sync --watch`, one line per event.
enum WatchStatus {
    static func show(_ event: WatchEvent, _ options: StoreOptions) {
        switch event {
        case .watching(let folders, let files):
            options.note("watching \(Count.text(files, "file")) in \(Count.text(folders, "folder"))")
        case .synced(let report):
            options.note("\(time(Date()))  \(SyncText.changes(report))")
        case .notice(let text): Terminal.error("roost: \(Terminal.line(text, limit: 400))")
        }
    }

    /// Returns the local time of day, such as `09:05:07`.
    private static func time(_ date: Date) -> String {
        let parts = Calendar.current.dateComponents([.hour, .minute, .second], from: date)
        return [parts.hour, parts.minute, parts.second].map { String(format: "%02d", $0 ?? 0) }
            .joined(separator: ":")
    }
}

/// The lines that report the inputs that an ingest skipped.
extension [IngestReport.Skip] {
    /// Returns one line for the inputs with the same reason, or one line for each input.
    func lines(isDetailed: Bool) -> [String] {
        let groups = Dictionary(grouping: self, by: \.reason).sorted { $0.key < $1.key }
        return groups.flatMap { reason, group in
            isDetailed || group.count == 1
                ? group.map { "skipped \(Terminal.line($0.source)): \(reason)" }
                : ["skipped \(group.count) inputs: \(reason); -v lists them"]
        }
    }
}
