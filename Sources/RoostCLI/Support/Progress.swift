import Foundation

/// Progress on standard error, for work that takes longer than a second, on a terminal only.
final class Progress: Sendable {
    private let start = Date()
    private let isShown: Bool
    private let lock = NSLock()
    nonisolated(unsafe) private var last = Date.distantPast  // under the lock
    nonisolated(unsafe) private var count = 0  // under the lock

    private let unit: String

    /// - Parameter unit: what is counted.
    init(isQuiet: Bool, unit: String = "entries") {
        isShown = Terminal.isErrorTerminal && !isQuiet
        self.unit = unit
    }

    /// How many were done at the last update.
    var done: Int { lock.withLock { count } }

    /// - Parameter fraction: how much of the whole is done, from 0 to 1.
    func update(_ done: Int, fraction: Double) {
        lock.withLock {
            count = done
            let now = Date()
            let elapsed = now.timeIntervalSince(start)
            guard isShown, elapsed > 1, now.timeIntervalSince(last) > 0.2 else { return }
            last = now
            var text = String(format: "\r\u{1B}[K%d %@, %.0f a second", done, unit, Double(done) / elapsed)
            if fraction > 0.01, fraction < 1 {
                text += String(
                    format: ", %.0f %%, %@ left", fraction * 100,
                    Self.duration(elapsed * (1 - fraction) / fraction))
            }
            try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
        }
    }

    /// Clears the line.
    func finish() {
        lock.withLock {
            guard last != .distantPast else { return }
            try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K".utf8))
        }
    }

    private static func duration(_ seconds: TimeInterval) -> String {
        let whole = Int(seconds.rounded(.up))
        return whole < 60 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
    }
}
