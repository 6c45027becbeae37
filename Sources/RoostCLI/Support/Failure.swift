import ArgumentParser
import Foundation
import Roost
import RoostBackups
import RoostChunks
import RoostFiles
import RoostHTTP
import Synchronization

/// The exit statuses, as defined by sysexits.h, with 1 for a search without results. ``ExitStatuses``
/// explains them to users.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case nothingFound = 1
    case usage = 64
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    case configuration = 78
    case interrupted = 130
}

/// Ends the process after an error, with a one-line message and an exit status.
enum Failure {
    /// Prints the message of an error and exits with its status.
    static func exit(with error: any Error) -> Never {
        if error is CancellationError {
            Terminal.error("roost: stopped; this command changed nothing")
            Foundation.exit(ExitStatus.interrupted.rawValue)
        }
        guard let (message, status) = explain(error) else {
            let code = RoostCommand.exitCode(for: error)
            guard code == .validationFailure else {
                if code == .success, !(error is ExitCode) {
                    // A help text, a completion script or the version.
                    let text = HelpText.formatted(RoostCommand.fullMessage(for: error))
                    if !text.isEmpty { Terminal.write(Data((text + "\n").utf8)) }
                    Foundation.exit(ExitStatus.success.rawValue)
                }
                if code == .failure, !(error is ExitCode) {
                    // An error that the command does not expect. Its message may contain any text.
                    Terminal.error("roost: \(Terminal.line(RoostCommand.message(for: error), limit: 400))")
                    Foundation.exit(ExitStatus.software.rawValue)
                }
                RoostCommand.exit(withError: error)
            }
            let names = CommandNames().path(in: Array(CommandLine.arguments.dropFirst()))
            let text = UsageText.message(RoostCommand.message(for: error), command: names)
            Terminal.error("roost: \(Terminal.line(text, limit: 600))")
            Foundation.exit(ExitStatus.usage.rawValue)
        }
        Terminal.error("roost: \(message)")
        Foundation.exit(status.rawValue)
    }

    /// Returns the message and status of an error; `nil` for errors of the argument parser, which formats
    /// them itself.
    private static func explain(_ error: any Error) -> (String, ExitStatus)? {
        switch error {
        case let error as RoostError: (RemedyText.message(error.message, error.remedy), status(error.code))
        case let error as StorageError: (RemedyText.message(error.message, error.remedy), status(error.code))
        case let error as EmbedderError:
            (RemedyText.message(error.message, error.remedy), status(error.code))
        case let error as ClusteringError:
            (
                error.message + (error.code == .tooManyClusters ? "; request fewer with --clusters" : ""),
                error.code == .noVectors ? .noInput : .usage
            )
        case let error as CommandError: (error.message, error.status)
        case let error as ServerError: (error.message, .configuration)
        case let error as BackupError: (RemedyText.message(error.message, error.remedy), status(error.code))
        case let error as ChunkStorageError: (error.description, status(error))
        case let error as FileError: (error.description, error.isMissing ? .noInput : .inputOutput)
        case is DecodingError: ("cannot read a file: its JSON does not have the expected structure", .badData)
        case let error as CocoaError: (error.localizedDescription, .inputOutput)
        default: nil
        }
    }

    private static func status(_ code: RoostError.Code) -> ExitStatus {
        switch code {
        case .noStore, .noInput, .emptyStore, .notFound, .nothingToUndo: .noInput
        case .storeExists: .cannotCreate
        case .incompleteWork: .tryAgain
        case .damagedManifest, .newerFormat, .badInput: .badData
        case .foreignStore, .spaceMismatch, .configuration: .configuration
        default: .software
        }
    }

    private static func status(_ code: EmbedderError.Code) -> ExitStatus {
        switch code {
        case .modelNotFound, .unavailable, .badAnswer: .unavailable
        case .refused, .configuration: .configuration
        case .badOutput: .cannotCreate
        default: .badData
        }
    }

    private static func status(_ code: BackupError.Code) -> ExitStatus {
        switch code {
        case .notFound: .noInput
        case .exists: .cannotCreate
        case .wrongPassphrase: .configuration
        case .locked: .tryAgain
        case .badInput: .usage
        default: .badData
        }
    }

    private static func status(_ error: ChunkStorageError) -> ExitStatus {
        switch error {
        case .invalidPath, .invalidIdentifier, .corrupt, .tooLarge: .badData
        case .wrongKey: .configuration
        case .storageUnavailable, .storageFull: .inputOutput
        case .readOnly: .cannotCreate
        case .unsupported: .software
        }
    }

    private static func status(_ code: StorageError.Code) -> ExitStatus {
        switch code {
        case .conflict, .locked: .tryAgain
        case .invalidBatch, .dimensionMismatch, .damaged, .newerFormat: .badData
        case .notFound: .noInput
        case .inputOutput, .full: .inputOutput
        case .readOnly: .cannotCreate
        case .unavailable, .unsupported: .unavailable
        case .configuration: .configuration
        default: .software
        }
    }
}

/// An error raised by the command itself, not by the library.
struct CommandError: Error {
    var message: String
    var status: ExitStatus

    /// The error for an unsupported storage name.
    static func unknownProvider(_ name: String) -> CommandError {
        CommandError(
            .usage,
            "unknown storage '\(Terminal.line(name, limit: 40))'; use sqlite or json, "
                + "or postgres with `roost init`")
    }

    init(_ status: ExitStatus, _ message: String) {
        self.message = message
        self.status = status
    }
}

/// Handles Ctrl-C: the first press cancels the work at the next safe point, the second ends the process.
///
/// Some commands have steps without such points. They end anyway after a time, which is safe, because they
/// write only to the store, and its commits are atomic. `export` is not one of them: it would leave temporary
/// files in the user's folder.
enum Interruption {
    /// The commands with long steps, such as the decoding of a large file, that end without a safe point.
    private static let commandsWithLongSteps: Set = [
        "compact", "doctor", "duplicates", "import", "index", "recluster",
    ]
    /// The time in seconds after which Ctrl-C ends the process of such a command.
    private static let maximumDelay = 0.8

    /// Whether to ignore Ctrl-C, because an editor runs in the terminal and handles it.
    static let isIgnored = Atomic(false)

    /// The message after Ctrl-C at a time when nothing has been changed.
    private static let message: StaticString = "roost: stopped; this command changed nothing\n"

    /// Lets Ctrl-C end the process with the message and status of a canceled command until ``run(_:)`` is
    /// called.
    static func prepare() {
        signal(SIGINT) { _ in
            // Only functions that are safe in a handler of signals are called.
            _ = write(STDERR_FILENO, Interruption.message.utf8Start, Interruption.message.utf8CodeUnitCount)
            _exit(ExitStatus.interrupted.rawValue)
        }
    }

    /// Runs the body in a task that Ctrl-C cancels.
    ///
    /// - Parameter command: The first name of the command.
    static func run(
        _ command: String?, _ body: sending @escaping () async throws -> Void
    ) async throws {
        let hasLongSteps = command.map(commandsWithLongSteps.contains) ?? false
        let task = Task { try await body() }
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        let presses = Presses()
        source.setEventHandler {
            if isIgnored.load(ordering: .relaxed) { return }
            guard presses.isFirst() else { Foundation.exit(ExitStatus.interrupted.rawValue) }
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
