import Foundation
import Roost
import Synchronization

/// Shows the status of `roost sync --watch`: one line that is replaced on a terminal, and one line per change
/// elsewhere.
final class WatchStatus: Sendable {
    private struct State {
        /// The status of the folders.
        var summary = ""
        /// Whether the line on the terminal contains text.
        var isShown = false
    }

    private let isQuiet: Bool
    private let state = Mutex(State())

    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    /// Shows a report.
    func show(_ event: WatchEvent) {
        state.withLock { state in
            switch event {
            case .watching(let folders, let files):
                state.summary = "watching \(Count.text(files, "file")) in \(Count.text(folders, "folder"))"
                replaceLine(state.summary, &state)
            case .synced(let report):
                let changes = "\(Self.time(Date()))  \(SyncText.changes(report))"
                replaceLine(
                    Terminal.isErrorTerminal && !state.summary.isEmpty
                        ? "\(state.summary); \(changes)" : changes, &state)
            case .notice(let text):
                clearLine(&state)
                Terminal.error("roost: \(Terminal.line(text, limit: 400))")
                if Terminal.isErrorTerminal, !state.summary.isEmpty { replaceLine(state.summary, &state) }
            }
        }
    }

    /// Returns the local time of day, such as `09:05:07`.
    private static func time(_ date: Date) -> String {
        let parts = Calendar.current.dateComponents([.hour, .minute, .second], from: date)
        return [parts.hour, parts.minute, parts.second].map { String(format: "%02d", $0 ?? 0) }
            .joined(separator: ":")
    }

    /// Removes the line from the terminal.
    func finish() { state.withLock { clearLine(&$0) } }

    private func replaceLine(_ text: String, _ state: inout State) {
        guard !isQuiet else { return }
        guard Terminal.isErrorTerminal else { return Terminal.error(text) }
        let width = max(20, (Terminal.columns ?? 80) - 1)
        let line = "\r\u{1B}[K" + Terminal.line(text, limit: width)
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
        state.isShown = true
    }

    private func clearLine(_ state: inout State) {
        guard state.isShown else { return }
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K".utf8))
        state.isShown = false
    }
}
