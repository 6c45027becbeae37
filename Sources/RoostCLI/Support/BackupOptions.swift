import ArgumentParser
import Foundation
import Roost
import RoostBackups
import RoostChunks
import RoostRemote

/// The options that select a backup repository and its passphrase.
struct BackupOptions: ParsableArguments {
    @Option(
        name: [.customLong("to"), .customLong("repository")],
        help: ArgumentHelp(
            """
            The backup repository: a folder, or s3://BUCKET/PREFIX with the credentials of the AWS tools. \
            Default: `backups/repository` in the store's folder.
            """,
            valueName: "LOCATION"))
    var repository: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file whose first line is the passphrase. Default: the value of $ROOST_BACKUP_PASSWORD.",
            valueName: "FILE"))
    var passwordFile: String?

    /// Opens the repository.
    ///
    /// - Parameter creatingIfMissing: Whether to create the repository if it does not exist.
    func open(
        _ options: StoreOptions, creatingIfMissing: Bool = false
    ) async throws -> BackupRepository {
        let location = try location(options)
        let passphrase = try passphrase()
        switch location {
        case .folder(let folder) where creatingIfMissing:
            return try await StoreBackup.openOrCreate(folder, passphrase: passphrase)
        case .bucket where creatingIfMissing:
            return try await StoreBackup.openOrCreate(
                in: location.retrieval, named: location.name, passphrase: passphrase)
        default:
            return try await StoreBackup.open(
                location.retrieval, named: location.name, passphrase: passphrase)
        }
    }

    /// The location of a repository.
    enum Location {
        case folder(URL)
        case bucket(S3Bucket)

        var name: String {
            switch self {
            case .folder(let url): url.path
            case .bucket(let bucket): bucket.address
            }
        }

        var retrieval: any ChunkStorageRetrieval {
            switch self {
            case .folder(let url): FileSystemRetrieval(baseURL: url)
            case .bucket(let bucket): S3Retrieval(bucket)
            }
        }

        /// Whether data that is sent to this location crosses the network unencrypted.
        var isReadableInTransit: Bool {
            if case .bucket(let bucket) = self { bucket.isUnencrypted } else { false }
        }
    }

    /// Returns the location that `--to` names, or the store's own repository.
    func location(_ options: StoreOptions) throws -> Location {
        guard let repository else { return .folder(StoreBackup(try options.location()).ownRepository) }
        if repository.lowercased().hasPrefix("s3://") {
            return .bucket(try BucketSettings().bucket(repository))
        }
        guard !repository.contains("://"), !repository.lowercased().hasPrefix("s3:") else {
            throw CommandError(
                .usage,
                "unsupported backup location '\(Terminal.line(repository, limit: 80))'; "
                    + "use a folder or s3://BUCKET/PREFIX")
        }
        return .folder(URL(fileURLWithPath: repository))
    }

    /// Returns the passphrase from `--password-file` or the environment; `nil` if neither is set.
    func passphrase() throws -> String? {
        if let passwordFile { return try Self.passphrase(inFile: passwordFile) }
        return Self.passphraseFromEnvironment()
    }

    /// Returns the value of `$ROOST_BACKUP_PASSWORD`; `nil` if it is unset or empty.
    static func passphraseFromEnvironment() -> String? {
        let given = ProcessInfo.processInfo.environment["ROOST_BACKUP_PASSWORD"]
        return given.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The maximum size, in bytes, of a file that contains a passphrase or key. The limit prevents the
    /// command from reading a large file that was named by mistake.
    static let maximumSecretFileSize = 1 << 16

    /// Returns the first line of a file.
    ///
    /// - Throws: ``CommandError`` if the file cannot be read or its first line is empty.
    static func passphrase(inFile path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path), data.count < maximumSecretFileSize,
            let line = String(decoding: data, as: UTF8.self).split(
                maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: \.isNewline
            ).first.map(String.init), !line.isEmpty
        else {
            throw CommandError(
                .noInput,
                "cannot read a passphrase from \(Terminal.line(path)): the file is missing, unreadable, "
                    + "too large, or its first line is empty")
        }
        return line
    }
}
