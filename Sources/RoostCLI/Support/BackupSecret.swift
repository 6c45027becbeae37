import Foundation
import RoostChunks

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
        var line = try SecretFile.read(path, kind: "passphrase")[...]
        if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
            line = line[..<end]
            if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        }
        return try BackupSecret(line, origin: path)
    }

    /// Reads a key file, all of whose bytes are the secret.
    static func keyFile(_ path: String) throws -> BackupSecret {
        let data = try SecretFile.read(path, kind: "key")
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
