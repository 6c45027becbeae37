import ArgumentParser
import Foundation
import Roost
import RoostChunks
import RoostRemote

struct BackupOptions: ParsableArguments {
    @Option(
        name: [.customLong("to"), .customLong("repository")],
        help: ArgumentHelp(
            """
            The backup repository: a folder, or s3://BUCKET/PREFIX with the credentials of the AWS tools. \
            Default: NAME-ID in ~/.local/share/roost/backups, or in the folder of the setting `backups`.
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
        guard let repository else {
            return .folder(StoreBackup(try options.location(), try Self.ownSettings()).ownRepository)
        }
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

    static func ownSettings() throws -> BackupSettings {
        let folder = try UserConfiguration(UserDirectories().configurationFile).value(of: "backups")
        return BackupSettings(
            folder: folder.map { URL(fileURLWithPath: $0) },
            passphrase: try BackupSecret.environment()?.passphrase)
    }
}

/// The secret of an encrypted backup repository: a passphrase, or all bytes of a key file.
struct BackupSecret {
    let passphrase: String

    /// The prefix of the passphrase that stands for a key file; Base64 of all bytes of the file follows.
    private static let keyPrefix = "roost-key-file:"
    /// The minimum length of a passphrase, in characters, below which a warning is printed: an attacker with
    /// a copy of the repository can try any number of passphrases.
    private static let recommendedLength = 12

    /// Reads a password file: the passphrase is its first line, in UTF-8, without the line feed, or carriage
    /// return and line feed, that ends it.
    static func passwordFile(_ path: String) throws -> BackupSecret {
        var line = try InputFile.secret(path, kind: "passphrase")[...]
        if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
            line = line[..<end]
            if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        }
        return try BackupSecret(line, origin: path)
    }

    static func keyFile(_ path: String) throws -> BackupSecret {
        let data = try InputFile.secret(path, kind: "key")
        return BackupSecret(passphrase: keyPrefix + data.base64EncodedString())
    }

    /// Returns the secret that `$ROOST_BACKUP_KEY_FILE` or `$ROOST_BACKUP_PASSWORD` provides; `nil` if both
    /// are unset or empty.
    static func environment() throws -> BackupSecret? {
        if let path = ProcessInfo.processInfo.environment["ROOST_BACKUP_KEY_FILE"], !path.isEmpty {
            return try keyFile(path)
        }
        // `ProcessInfo` replaces bytes that are not UTF-8.
        guard let value = getenv("ROOST_BACKUP_PASSWORD"), value.pointee != 0 else { return nil }
        return try BackupSecret(
            Data(bytes: value, count: strlen(value)), origin: "$ROOST_BACKUP_PASSWORD")
    }

    private init(passphrase: String) { self.passphrase = passphrase }

    private init(_ line: Data, origin: String) throws {
        guard let text = String(validating: line, as: UTF8.self), !text.isEmpty, !text.contains("\0") else {
            throw CommandError(
                .badData,
                "cannot read a passphrase from \(Terminal.line(origin)): it is empty or not UTF-8 text; to "
                    + "use all bytes of a file as the secret, use --key-file")
        }
        passphrase = text
    }

    /// The warning about a short passphrase; `nil` if the passphrase is long enough.
    var lengthWarning: String? {
        guard !passphrase.hasPrefix(Self.keyPrefix), passphrase.count < Self.recommendedLength else {
            return nil
        }
        return "warning: the passphrase has only \(Count.text(passphrase.count, "character")); an attacker "
            + "with a copy of the repository can guess short ones"
    }
}

struct BucketSettings {
    private let environment = ProcessInfo.processInfo.environment
    private let settings: UserConfiguration

    init() throws { settings = try UserConfiguration() }

    func bucket(_ address: String) throws -> S3Bucket {
        guard let credentials = S3Credentials.standard(environment: environment) else {
            throw CommandError(
                .configuration,
                "cannot open \(Self.redacted(address)): no credentials; set AWS_ACCESS_KEY_ID and "
                    + "AWS_SECRET_ACCESS_KEY, or write them to ~/.aws/credentials")
        }
        let file = value("AWS_CONFIG_FILE").map { URL(fileURLWithPath: $0) }
        let profile = AWSProfile(
            value("AWS_PROFILE") ?? "default",
            in: file
                ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".aws/config"))
        let endpoint =
            try value("AWS_ENDPOINT_URL_S3") ?? value("AWS_ENDPOINT_URL")
            ?? settings.value(of: "s3-endpoint") ?? profile["endpoint_url"]
        let region =
            try value("AWS_REGION") ?? value("AWS_DEFAULT_REGION") ?? settings.value(of: "s3-region")
            ?? profile["region"] ?? "us-east-1"
        do {
            var bucket = try S3Bucket(
                address, endpoint: endpoint, region: region, credentials: credentials)
            bucket.environment = environment
            return bucket
        } catch is ChunkStorageError {
            throw CommandError(
                .configuration,
                "cannot use the bucket \(Self.redacted(address)) at \(Self.redacted(endpoint ?? region)); "
                    + "the address must have the form s3://BUCKET/PREFIX, the endpoint must be an http or https "
                    + "address without a path, and the region a name such as eu-north-1")
        }
    }

    private func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns an address for use in messages, without the part before an `@`, which may contain a password.
    private static func redacted(_ text: String) -> String {
        Terminal.line(text.contains("@") ? "…@" + (text.split(separator: "@").last ?? "") : text, limit: 80)
    }
}
