import ArgumentParser
import Foundation
import Roost

/// Where backups are, and their passphrase.
struct BackupOptions: ParsableArguments {
    @Option(
        name: [.customLong("to"), .customLong("repository")],
        help: ArgumentHelp(
            "The folder of the backups; `backups/repository` in the store's where it is not given.",
            valueName: "DIR"))
    var repository: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file whose first line is the passphrase (or the passphrase itself in $ROOST_BACKUP_PASSWORD).",
            valueName: "FILE"))
    var passwordFile: String?

    /// - Parameter isToBeMade: whether it is made where there is none.
    func open(_ options: StoreOptions, isToBeMade: Bool = false) async throws -> BackupRepository {
        let folder = try folder(options)
        let passphrase = try passphrase()
        return if isToBeMade {
            try await StoreBackup.openOrCreate(folder, passphrase: passphrase)
        } else {
            try await StoreBackup.open(folder, passphrase: passphrase)
        }
    }

    func folder(_ options: StoreOptions) throws -> URL {
        if let repository {
            guard !repository.contains("://") else {
                throw CommandError(
                    .usage, "backups are kept in folders; '\(Terminal.line(repository, limit: 80))' is none")
            }
            return URL(fileURLWithPath: repository)
        }
        return StoreBackup(try options.location()).ownRepository
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
