import ArgumentParser
import Foundation
import Roost
import RoostRemote

/// Where backups are, and their passphrase.
struct BackupOptions: ParsableArguments {
    @Option(
        name: [.customLong("to"), .customLong("repository")],
        help: ArgumentHelp(
            """
            Where the backups are: a folder, or s3://BUCKET/PREFIX with the credentials of Amazon's tools; \
            `backups/repository` in the store's folder where it is not given.
            """,
            valueName: "PLACE"))
    var repository: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file whose first line is the passphrase (or the passphrase itself in $ROOST_BACKUP_PASSWORD).",
            valueName: "FILE"))
    var passwordFile: String?

    /// - Parameter isToBeMade: whether it is made where there is none.
    func open(_ options: StoreOptions, isToBeMade: Bool = false) async throws -> BackupRepository {
        let place = try place(options)
        let passphrase = try passphrase()
        switch place {
        case .folder(let folder) where isToBeMade:
            return try await StoreBackup.openOrCreate(folder, passphrase: passphrase)
        case .bucket where isToBeMade:
            return try await StoreBackup.openOrCreate(
                in: place.retrieval, named: place.name, passphrase: passphrase)
        default:
            return try await StoreBackup.open(place.retrieval, named: place.name, passphrase: passphrase)
        }
    }

    /// Where a repository is.
    enum Place {
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

        /// Whether what is sent there can be read on the way.
        var isOverheard: Bool {
            if case .bucket(let bucket) = self { bucket.isOverheard } else { false }
        }
    }

    func place(_ options: StoreOptions) throws -> Place {
        guard let repository else { return .folder(StoreBackup(try options.location()).ownRepository) }
        if repository.lowercased().hasPrefix("s3://") {
            return .bucket(try BucketSettings().bucket(repository))
        }
        guard !repository.contains("://"), !repository.lowercased().hasPrefix("s3:") else {
            throw CommandError(
                .usage,
                "backups are kept in folders and in s3://BUCKET/PREFIX; "
                    + "'\(Terminal.line(repository, limit: 80))' is neither")
        }
        return .folder(URL(fileURLWithPath: repository))
    }

    func passphrase() throws -> String? {
        if let passwordFile { return try Self.passphrase(inFile: passwordFile) }
        return Self.passphraseOfEnvironment()
    }

    static func passphraseOfEnvironment() -> String? {
        let given = ProcessInfo.processInfo.environment["ROOST_BACKUP_PASSWORD"]
        return given.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The first line of a file.
    static func passphrase(inFile path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path), data.count < 1 << 16,
            let line = String(decoding: data, as: UTF8.self).split(
                maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: \.isNewline
            ).first.map(String.init), !line.isEmpty
        else {
            throw CommandError(.noInput, "there is no passphrase in \(Terminal.line(path))")
        }
        return line
    }
}
