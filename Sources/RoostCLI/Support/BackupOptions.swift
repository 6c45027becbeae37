import ArgumentParser
import Foundation
import Roost
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

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file whose bytes are the secret, in place of a passphrase. Default: $ROOST_BACKUP_KEY_FILE.",
            valueName: "FILE"))
    var keyFile: String?

    func validate() throws {
        guard passwordFile == nil || keyFile == nil else {
            throw ValidationError("--password-file and --key-file cannot be combined")
        }
    }

    /// Opens the repository.
    ///
    /// - Parameter creatingIfMissing: Whether to create the repository if it does not exist.
    func open(
        _ options: StoreOptions, creatingIfMissing: Bool = false
    ) async throws -> BackupRepository {
        let location = try location(options)
        let secret = try secret()
        if creatingIfMissing, let warning = secret?.lengthWarning,
            try await !location.retrieval.presence(at: StoreBackup.configurationName)
        {
            options.note(warning)
        }
        return try await open(
            location, creatingIfMissing: creatingIfMissing, passphrase: secret?.passphrase)
    }

    /// Opens the repository to read it.
    ///
    /// - Returns: `nil` if no repository is named, and the store has no backups of its own yet.
    func openIfPresent(_ options: StoreOptions) async throws -> BackupRepository? {
        if repository == nil, case .folder(let folder) = try location(options),
            StoreManifest.exists(in: try options.location()),
            !FileManager.default.fileExists(atPath: folder.path)
        {
            return nil
        }
        return try await open(options)
    }

    /// The message about a store without backups.
    static let noBackups = "the store has no backups; create one with `roost backup create`"

    private func open(
        _ location: Location, creatingIfMissing: Bool, passphrase: String?
    ) async throws -> BackupRepository {
        guard creatingIfMissing else {
            return try await StoreBackup.open(
                location.retrieval, named: location.name, passphrase: passphrase)
        }
        do {
            switch location {
            case .folder(let folder):
                return try await StoreBackup.openOrCreate(folder, passphrase: passphrase)
            case .bucket:
                return try await StoreBackup.openOrCreate(
                    in: location.retrieval, named: location.name, passphrase: passphrase)
            }
        } catch ChunkStorageError.storageUnavailable(let reason) {
            throw CommandError(
                .inputOutput,
                "cannot write the backup repository in \(Terminal.line(location.name)): \(reason)")
        } catch ChunkStorageError.readOnly {
            throw CommandError(
                .cannotCreate,
                "cannot write the backup repository in \(Terminal.line(location.name)): the file system is "
                    + "read-only")
        }
    }

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

    /// Returns the secret from `--password-file`, `--key-file` or the environment; `nil` if none of them is
    /// set.
    func secret() throws -> BackupSecret? {
        if let passwordFile { return try .passwordFile(passwordFile) }
        if let keyFile { return try .keyFile(keyFile) }
        return try .environment()
    }

    /// Returns the passphrase that the environment provides for the store's own repository; `nil` if there is
    /// none.
    static func passphraseFromEnvironment() throws -> String? {
        try BackupSecret.environment()?.passphrase
    }
}
