import Foundation
import Roost

/// What people see: results on standard output, everything else on standard error, colours on a terminal
/// only.
enum Terminal {
    static let isOutputTerminal = isatty(STDOUT_FILENO) == 1
    static let isErrorTerminal = isatty(STDERR_FILENO) == 1
    private static let usesColour =
        isOutputTerminal && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty

    static func write(_ text: String) { write(Data((text + "\n").utf8)) }

    static func write(_ data: Data) {
        // A closed pipe ends the process by SIGPIPE, quietly.
        try? FileHandle.standardOutput.write(contentsOf: data)
    }

    static func error(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }

    static func bold(_ text: String) -> String { usesColour ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
    static func dim(_ text: String) -> String { usesColour ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        write(try encoder.encode(value) + Data("\n".utf8))
    }

    /// Text of a user's on one line, bounded, without control characters that would move the cursor.
    static func line(_ text: String, limit: Int = 160) -> String {
        var result = ""
        var count = 0
        var isSpace = false
        for character in text {
            if count >= limit { return result + "…" }
            if character.isWhitespace
                || character.unicodeScalars.allSatisfy({ $0.properties.generalCategory == .control })
            {
                isSpace = !result.isEmpty
                continue
            }
            if isSpace { result += " " }
            isSpace = false
            result.append(character)
            count += 1
        }
        return result
    }

    static func score(_ value: Float) -> String { String(format: "%.3f", Double(value)) }
}

/// Progress on standard error, for work that takes longer than a second, on a terminal only.
final class Progress: Sendable {
    private let start = Date()
    private let total: Int?
    private let isShown: Bool
    private let lock = NSLock()
    nonisolated(unsafe) private var last = Date.distantPast  // under the lock
    nonisolated(unsafe) private var count = 0  // under the lock

    init(total: Int?, isQuiet: Bool) {
        self.total = total
        isShown = Terminal.isErrorTerminal && !isQuiet
    }

    var done: Int { lock.withLock { count } }

    func update(_ done: Int) {
        lock.withLock {
            count = done
            let now = Date()
            guard isShown, now.timeIntervalSince(start) > 1, now.timeIntervalSince(last) > 0.2 else { return }
            last = now
            let rate = Double(done) / now.timeIntervalSince(start)
            var text = "\r\u{1B}[K\(done)"
            if let total {
                text += " of \(total)"
                if rate > 0, total > done { text += ", \(Int(Double(total - done) / rate)) s left" }
            }
            text += String(format: ", %.0f entries/s", rate)
            try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
        }
    }

    func finish() {
        lock.withLock {
            if last != .distantPast {
                try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K".utf8))
            }
        }
    }
}
