import Foundation
import Synchronization

/// Shows the progress of work that takes longer than a second, as a line on standard error. Nothing is shown
/// unless standard error is a terminal.
final class Progress: Sendable {
    private let start = Date()
    private let isShown: Bool
    private let state = Mutex(State())
    private let unit: String

    private struct State {
        /// The time at which the line was written last.
        var last = Date.distantPast
        var count = 0
    }

    /// Creates a progress line that is not shown yet.
    ///
    /// - Parameter unit: The plural name of the counted items.
    init(isQuiet: Bool, unit: String = "entries") {
        isShown = Terminal.isErrorTerminal && !isQuiet
        self.unit = unit
    }

    /// The number of finished items at the last update.
    var done: Int { state.withLock { $0.count } }

    /// Updates the line, at most five times a second.
    ///
    /// - Parameter fraction: The finished share of the work, from 0 to 1; 0 if it is unknown.
    func update(_ done: Int, fraction: Double) {
        state.withLock { $0.count = done }
        show(fraction) { String(format: "%d %@, %.0f per second", done, unit, Double(done) / $0) }
    }

    /// Updates the line, at most five times a second.
    ///
    /// - Parameters:
    ///   - step: The present step of the work.
    ///   - fraction: The finished share of the work, from 0 to 1; 0 if it is unknown.
    func update(_ step: String, fraction: Double) { show(fraction) { _ in step } }

    /// Runs work whose finished share may be unknown, and shows its name and its duration meanwhile, unless
    /// the work updates the line itself.
    ///
    /// - Parameter step: The name of the work.
    func during<Value>(_ step: String, _ work: () async throws -> Value) async throws -> Value {
        let ticker = Task {
            while !Task.isCancelled {
                let isIdle = state.withLock { Date().timeIntervalSince($0.last) > 0.9 }
                if isIdle { show(0) { "\(step), \(Self.duration($0))" } }
                try? await Task.sleep(for: .milliseconds(250))
            }
        }
        func stop() async {
            ticker.cancel()
            await ticker.value
            finish()
        }
        do {
            let value = try await work()
            await stop()
            return value
        } catch {
            await stop()
            throw error
        }
    }

    private func show(_ fraction: Double, _ description: (_ elapsed: TimeInterval) -> String) {
        state.withLock { state in
            let now = Date()
            let elapsed = now.timeIntervalSince(start)
            guard isShown, elapsed > 1, now.timeIntervalSince(state.last) > 0.2 else { return }
            state.last = now
            var text = "\r\u{1B}[K" + description(elapsed)
            if fraction > 0.01, fraction < 1 {
                text += String(
                    format: ", %.0f %%, %@ left", fraction * 100,
                    Self.duration(elapsed * (1 - fraction) / fraction))
            }
            try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
        }
    }

    /// Clears the line if it was shown.
    func finish() {
        state.withLock { state in
            guard state.last != .distantPast else { return }
            try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K".utf8))
        }
    }

    private static func duration(_ seconds: TimeInterval) -> String {
        let rounded = Int(seconds.rounded(.up))
        return rounded < 60 ? "\(rounded) s" : "\(rounded / 60) min \(rounded % 60) s"
    }
}
