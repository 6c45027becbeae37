import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// The transport over standard input and output: one JSON message per line.
package struct LineTransport: Sendable {
    private let input: Int32
    private let output: Int32

    /// The maximum length of a message in bytes. A longer line is skipped and answered with an error.
    private static let maximumLength = 16 << 20
    private static let chunkSize = 1 << 16

    package init(input: Int32 = 0, output: Int32 = 1) { (self.input, self.output) = (input, output) }

    /// Serves the client until the end of the input, and then answers the remaining requests.
    package func serve(_ server: MCPServer) async throws {
        let writer = LineWriter(output)
        let connection = MCPConnection(server) { writer.write($0) }
        // Blocking reads run on a separate thread, because they must not block the threads of tasks.
        let (lines, continuation) = AsyncStream<Line>.makeStream(bufferingPolicy: .unbounded)
        let input = input
        // A semaphore that is released with a smaller value than its initial one ends the process, so it
        // starts with 0.
        let permits = DispatchSemaphore(value: 0)
        for _ in 0..<Self.maximumWaitingLines { permits.signal() }
        Thread.detachNewThread {
            Self.read(from: input) { line in
                permits.wait()
                if case .terminated = continuation.yield(line) { return false }
                return true
            }
            continuation.finish()
        }
        for await line in lines {
            permits.signal()
            switch line {
            case .complete(let data): await connection.receive(data)
            case .tooLong:
                writer.write(
                    ProtocolError(.invalidRequest, "the message is longer than \(Self.maximumLength) bytes")
                        .response(to: nil).serialized())
            }
            // No further requests are read while the client does not read the answers of earlier ones.
            await writer.waitForBacklog(of: Self.maximumBacklog)
            if writer.hasFailed { break }
        }
        // The thread may wait for a permit; it ends when it finds that the stream has finished.
        continuation.finish()
        permits.signal()
        if Task.isCancelled || writer.hasFailed { connection.cancel() }
        await connection.finish()
        await writer.waitForBacklog(of: 0)
        try Task.checkCancellation()
    }

    /// The number of bytes that wait to be written above which no requests are read.
    private static let maximumBacklog = 1 << 20

    /// The number of lines that are read before the first of them is handled.
    private static let maximumWaitingLines = 8

    private enum Line: Sendable {
        case complete(Data)
        case tooLong
    }

    /// Reads lines until the end of the input, or until `receive` returns `false`. Empty lines are skipped.
    private static func read(from input: Int32, _ receive: (Line) -> Bool) {
        var line = Data()
        var isTooLong = false
        var chunk = [UInt8](repeating: 0, count: chunkSize)
        func finishLine() -> Bool {
            defer { (line, isTooLong) = (Data(), false) }
            if isTooLong { return receive(.tooLong) }
            let isEmpty = line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }
            return isEmpty || receive(.complete(line))
        }
        while true {
            let count = Foundation.read(input, &chunk, chunkSize)
            if count < 0, DescriptorReadiness.canRetry(after: errno, Int32(POLLIN), input) { continue }
            guard count > 0 else { break }
            var rest = chunk[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if !isTooLong { line += rest[..<end] }
                isTooLong = isTooLong || line.count > maximumLength
                guard finishLine() else { return }
                rest = rest[(end + 1)...]
            }
            if !isTooLong { line += rest }
            if line.count > maximumLength { (line, isTooLong) = (Data(), true) }
        }
        _ = finishLine()
    }
}

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

        mutating func takeReady() -> CheckedContinuation<Void, Never>? {
            guard let ready = waiting, hasFailed || backlog <= ready.maximum else { return nil }
            waiting = nil
            return ready.continuation
        }
    }

    private let output: Int32
    private let queue = DispatchQueue(label: "roost.lines")
    private let state = Mutex(State())

    init(_ output: Int32) { self.output = output }

    var hasFailed: Bool { state.withLock { $0.hasFailed } }

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

    private func writeAll(_ line: Data) -> Bool {
        var rest = line
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(output, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || !DescriptorReadiness.canRetry(after: errno, Int32(POLLOUT), output) {
                return false
            }
        }
        return true
    }
}
