import Foundation
import RoostFiles
import Synchronization

/// Writes messages to a file descriptor, one at a time and in the order of the calls.
///
/// Messages are written on a separate thread: a client that does not read would otherwise block the threads
/// of tasks, and with them all its other calls.
final class LineWriter: Sendable {
    private struct State {
        /// The bytes of the messages that are not yet written.
        var backlog = 0
        /// Whether writing has failed, for example because the client has exited.
        var hasFailed = false
        /// The task that waits, and the backlog for which it waits.
        var waiting: (continuation: CheckedContinuation<Void, Never>, maximum: Int)?

        /// Returns the waiting task if it can continue.
        mutating func takeReady() -> CheckedContinuation<Void, Never>? {
            guard let ready = waiting, hasFailed || backlog <= ready.maximum else { return nil }
            waiting = nil
            return ready.continuation
        }
    }

    private let output: Int32
    private let queue = DispatchQueue(label: "roost.lines")
    private let state = Mutex(State())

    /// Creates a writer.
    init(_ output: Int32) { self.output = output }

    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// Writes a message and a line feed, and returns before they are written.
    func write(_ message: Data) {
        let line = message + Data("\n".utf8)
        state.withLock { $0.backlog += line.count }
        queue.async { [self] in
            let isWritten = !hasFailed && writeAll(line)
            let ready = state.withLock { state in
                state.backlog -= line.count
                state.hasFailed = state.hasFailed || !isWritten
                return state.takeReady()
            }
            ready?.resume()
        }
    }

    /// Waits until at most `maximum` bytes remain to be written, writing has failed, or the task is canceled.
    /// One task can wait at a time.
    func waitForBacklog(of maximum: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state in
                    state.waiting = (continuation, Task.isCancelled ? .max : maximum)
                    return state.takeReady()
                }
                ready?.resume()
            }
        } onCancel: {
            let ready = state.withLock { state in
                state.waiting?.maximum = .max
                return state.takeReady()
            }
            ready?.resume()
        }
    }

    /// Returns whether all bytes were written.
    private func writeAll(_ line: Data) -> Bool {
        var rest = line
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(output, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || !DescriptorReadiness.canRetry(after: errno, .writing, output) {
                return false
            }
        }
        return true
    }
}
