import ArgumentParser
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
        var last = Date.distantPast
        var count = 0
    }

    init(isQuiet: Bool, unit: String = "entries") {
        isShown = Terminal.isErrorTerminal && !isQuiet
        self.unit = unit
    }

    /// The number of finished items at the last update.
    var done: Int { state.withLock { $0.count } }

    /// Updates the line, at most five times a second.
    func update(_ done: Int, fraction: Double) {
        state.withLock { $0.count = done }
        show(fraction) { String(format: "%d %@, %.0f per second", done, unit, Double(done) / $0) }
    }

    func update(_ done: Int, of all: Int) { update(done, fraction: Double(done) / Double(max(1, all))) }

    /// Updates the line, at most five times a second.
    func update(_ step: String, fraction: Double) { show(fraction) { _ in step } }

    /// Runs work whose finished share may be unknown, and shows its name and its duration meanwhile, unless
    /// the work updates the line itself.
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

    /// Runs work that updates the line, and clears the line at the end.
    ///
    /// - Parameter message: The message of the error that is thrown if the work is canceled.
    func untilStopped<Value>(
        _ message: @autoclosure () -> String, _ work: () async throws -> Value
    ) async throws -> Value {
        defer { finish() }
        do {
            return try await work()
        } catch is CancellationError {
            throw CommandError(.interrupted, message())
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

/// Asks the user for confirmation before a command makes extensive changes.
enum Confirmation {
    private static let maximumLength = 256

    /// The maximum number of entries or messages that a command removes without a confirmation, few enough to
    /// review them in the output of `--dry-run`.
    private static let maximumUnconfirmed = 20

    /// Returns whether a command may remove entries or messages. For many of them, the user must confirm it.
    static func permitsRemoval(of count: Int, _ things: String, isConfirmed: Bool) throws -> Bool {
        guard count > maximumUnconfirmed, !isConfirmed else { return true }
        guard isPossible else {
            throw CommandError(
                .usage,
                "cannot remove \(count) \(things) without confirmation; use --yes to remove them, or "
                    + "--dry-run to only report them")
        }
        return try ask("remove \(count) \(things)?")
    }

    /// Whether a user at a terminal can see a question and answer it.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && Terminal.isErrorTerminal }

    static func ask(_ question: String) throws -> Bool {
        try? FileHandle.standardError.write(contentsOf: Data("\(question) [y/N] ".utf8))
        var answer: [UInt8] = []
        while answer.last != UInt8(ascii: "\n"), answer.count < maximumLength {
            var byte: [UInt8] = [0]
            guard try StandardInput.read(into: &byte) > 0 else { break }
            answer += byte
        }
        let text = String(decoding: answer, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return ["y", "yes"].contains(text.lowercased())
    }
}
