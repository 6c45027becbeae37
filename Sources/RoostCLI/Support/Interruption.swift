import Foundation
import Synchronization

/// Handles Ctrl-C: the first press cancels the work at the next safe point, the second ends the process.
///
/// Some commands have steps without such points. They end anyway after a time, which is safe, because they
/// write only to the store, and its commits are atomic. `export` is not one of them: it would leave temporary
/// files in the user's folder.
enum Interruption {
    /// The commands with long steps, such as the decoding of a large file, that end without a safe point.
    private static let commandsWithLongSteps: Set = [
        "doctor", "import", "index", "recluster", "similar",
    ]
    /// The time in seconds after which Ctrl-C ends the process of such a command.
    private static let maximumDelay = 0.8

    /// Whether to ignore Ctrl-C, because an editor runs in the terminal and handles it.
    static let isIgnored = Atomic(false)

    /// The message after Ctrl-C at a time when nothing has been changed.
    private static let message: StaticString = "roost: stopped; this command changed nothing\n"

    /// Contains a byte for each press since the call of ``run(_:_:)``, until it is handled.
    private static let presses = Pipe()
    /// The descriptor to which the handler of the signal writes; -1 before the call of ``run(_:_:)``.
    private static let pressWriter = Atomic<CInt>(-1)

    /// Handles Ctrl-C from now on. Until ``run(_:_:)`` is called, it ends the process with the message and
    /// status of a canceled command.
    static func prepare() {
        // The handler must not initialize the variable.
        pressWriter.store(-1, ordering: .relaxed)
        signal(SIGINT) { _ in
            // Only functions that are safe in a handler of signals are called.
            let writer = Interruption.pressWriter.load(ordering: .relaxed)
            guard writer < 0 else {
                let earlier = errno
                _ = write(writer, Interruption.message.utf8Start, 1)
                errno = earlier
                return
            }
            _ = write(STDERR_FILENO, Interruption.message.utf8Start, Interruption.message.utf8CodeUnitCount)
            _exit(ExitStatus.interrupted.rawValue)
        }
    }

    static func run(
        _ command: String?, _ body: sending @escaping () async throws -> Void
    ) async throws {
        let hasLongSteps = command.map(commandsWithLongSteps.contains) ?? false
        let reader = presses.fileHandleForReading.fileDescriptor
        pressWriter.store(presses.fileHandleForWriting.fileDescriptor, ordering: .relaxed)
        let task = Task { try await body() }
        // A press before the source is registered waits in the pipe.
        let source = DispatchSource.makeReadSource(fileDescriptor: reader, queue: .global())
        let state = Presses()
        source.setEventHandler {
            var press: UInt8 = 0
            guard read(reader, &press, 1) == 1, !isIgnored.load(ordering: .relaxed) else { return }
            guard state.isFirst() else { Foundation.exit(ExitStatus.interrupted.rawValue) }
            task.cancel()
            guard hasLongSteps else { return }
            DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + maximumDelay) {
                Terminal.error(
                    "roost: stopped; committed changes are kept; run the same command again to complete them")
                Foundation.exit(ExitStatus.interrupted.rawValue)
            }
        }
        source.resume()
        defer { source.cancel() }
        try await task.value
    }

    private final class Presses: Sendable {
        private let hasPressed = Atomic(false)

        func isFirst() -> Bool { !hasPressed.exchange(true, ordering: .relaxed) }
    }
}

enum StandardStreams {
    /// Opens the streams that the parent process closed. Otherwise, the next file or queue of events that is
    /// opened would have the number of a stream, and would receive the output.
    ///
    /// Standard input cannot be read and standard output not be written, so that commands report an error;
    /// messages are lost.
    static func openMissing() {
        let modes = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
        for (stream, mode) in modes where fcntl(stream, F_GETFD) == -1 {
            // The lowest free number is that of the stream.
            _ = open("/dev/null", mode)
        }
    }
}
