import ArgumentParser
import Foundation
import Roost
import RoostChunks
import RoostFiles
import RoostServer

/// Ends the process after an error, with a one-line message and an exit status.
enum Failure {
    static func exit(with error: any Error) -> Never {
        if error is CancellationError {
            Terminal.error("roost: stopped; this command changed nothing")
            Foundation.exit(ExitStatus.interrupted.rawValue)
        }
        guard let (message, status) = explain(error) else { exitFromParser(with: error) }
        Terminal.error("roost: \(message)")
        Foundation.exit(status.rawValue)
    }

    /// Prints a help text, a message of ArgumentParser about the arguments, or that of an unexpected error.
    private static func exitFromParser(with error: any Error) -> Never {
        if let code = error as? ExitCode { Foundation.exit(code.rawValue) }
        switch RoostCommand.exitCode(for: error) {
        case .success:
            let text = RoostCommand.fullMessage(for: error)
            if !text.isEmpty { Terminal.write(Data((text + "\n").utf8)) }
            Foundation.exit(ExitStatus.success.rawValue)
        case .validationFailure:
            // The message contains arguments, which may contain any text.
            let text = Terminal.line(
                unknownCommand.map { "unknown command '\($0)'" } ?? RoostCommand.message(for: error),
                limit: 600)
            let command = (["roost", "help"] + RoostCommand.requestedNames).joined(separator: " ")
            Terminal.error("roost: \(text.hasSuffix(".") ? String(text.dropLast()) : text); see `\(command)`")
            Foundation.exit(ExitStatus.usage.rawValue)
        default:
            Terminal.error("roost: \(Terminal.line(RoostCommand.message(for: error), limit: 400))")
            Foundation.exit(ExitStatus.software.rawValue)
        }
    }

    /// The first argument if it is neither a command nor an option. ArgumentParser reports its options
    /// instead.
    private static var unknownCommand: String? {
        guard let first = CommandLine.arguments.dropFirst().first, !first.hasPrefix("-") else { return nil }
        return RoostCommand.requestedNames.isEmpty && first != "help" ? first : nil
    }

    /// Returns the message and status of an error; `nil` for errors of the argument parser, which formats
    /// them itself.
    private static func explain(_ error: any Error) -> (String, ExitStatus)? {
        switch error {
        case let error as RoostError: (RemedyText.message(error.message, error.remedy), status(error.code))
        case let error as StorageError: (RemedyText.message(error.message, error.remedy), status(error.code))
        case let error as EmbedderError: (RemedyText.message(error.message, error.remedy), status(error.code))
        case let error as ClusteringError:
            switch error.code {
            case .tooManyClusters: (error.message + "; request fewer with --clusters", .usage)
            case .noVectors: (RemedyText.message(error.message, .reembed), .noInput)
            default: (error.message, .usage)
            }
        case let error as CommandError: (error.message, error.status)
        case let error as OperationError:
            (Terminal.line(error.message, limit: 400), error.code == .notFound ? .noInput : .usage)
        case let error as ServerError: (error.message, .configuration)
        case let error as BackupError: (RemedyText.message(error.message, error.remedy), status(error.code))
        case let error as ChunkStorageError:
            (RemedyText.message(error.description, remedy(of: error)), status(error))
        case let error as FileError:
            (
                RemedyText.message(error.description, StorageError(error).remedy),
                error.isMissing ? .noInput : .inputOutput
            )
        case is DecodingError: ("cannot read a file: its JSON does not have the expected structure", .badData)
        case let error as CocoaError: (error.localizedDescription, .inputOutput)
        default: nil
        }
    }

    private static func status(_ code: RoostError.Code) -> ExitStatus {
        switch code {
        case .noStore, .noInput, .emptyStore, .notFound, .nothingToUndo: .noInput
        case .storeExists: .cannotCreate
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

    private static func remedy(of error: ChunkStorageError) -> Remedy? {
        if case .storageFull = error { .freeSpace } else { nil }
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

/// The exit statuses, as defined by sysexits.h, with 1 for a search without results.
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

enum RemedyText {
    static func message(_ message: String, _ remedy: Remedy?) -> String {
        guard let remedy, let text = texts[remedy] else { return message }
        // Some messages of the library already end with the next step.
        let isGiven = message.hasSuffix(text) || (remedy == .retryLater && message.hasSuffix("try again"))
        guard !isGiven else { return message }
        return "\(message); \(text)"
    }

    static func advice(_ remedy: Remedy) -> String? { texts[remedy] }

    private static let texts: [Remedy: String] = [
        // The store
        .createStore: "create one with `roost init`",
        .nameStoreExplicitly: "if you trust this store, name it with --store",
        .inspectStore: "run `roost doctor` for details",
        .repairStore: "run `roost doctor --repair`",
        .restoreBackup: "restore a backup with `roost backup restore latest --into DIR`",
        .reopenStore: "run the command again",
        .compact: "free space with `roost doctor --compact`",
        .compactOrRaiseSizeLimit: "free space with `roost doctor --compact`, or raise the limit with "
            + "`roost doctor --compact --max-size SIZE`",
        .rebuildIndex: "run `roost index`",
        .upgradeRoost: "upgrade Roost",
        // Entries and clusters
        .addEntries: "add entries with `roost ingest PATH`",
        .keepOriginals: "ingest the files again with `roost ingest --keep-originals`",
        .copyEntries: "run `roost copy FROM TO`",
        .removeEntry: "remove the entry with `roost remove`",
        .recluster: "run `roost recluster`",
        // Models
        .reembed: "run `roost model use NAME`",
        .installModel: "install the model with `roost model pull` or `roost model add`",
        .installModelOrUseLexical: "install a model with `roost model pull` or `roost model add`, or use "
            + "the model lexical",
        // Backups
        .createBackup: "create a backup with `roost backup create`",
        .chooseSnapshot: "run `roost backup list` to list the snapshots",
        .forgetSnapshot: "remove it with `roost backup forget SNAPSHOT`",
        .verifyBackup: "run `roost backup verify --read-data`",
        .provideBackupPassphrase: "set $ROOST_BACKUP_PASSWORD to the passphrase of the store's backups",
        .openWithPassphrase: "use --password-file or $ROOST_BACKUP_PASSWORD",
        // Inputs
        .nameTextColumn: "name the column that contains the text with --text-column",
        // The system
        .retryLater: "try again later",
        .freeSpace: "free disk space",
        .checkPermissions: "check the owner and permissions of the files",
        .closeOtherProcesses: "close the other programs that use the store",
    ]
}
