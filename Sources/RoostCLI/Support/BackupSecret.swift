import Foundation
import RoostBackups

/// The secret of an encrypted backup repository: a passphrase, or all bytes of a key file.
struct BackupSecret {
    /// The origin of the secret, for messages, such as the path of a file.
    let origin: String
    /// The passphrase of the repository; `nil` if the input is not a valid secret, but older versions
    /// accepted it.
    private let passphrase: String?
    /// The reason why the input is not a valid secret.
    private let fault: String
    /// The passphrase that older versions read from the same input, if it differs. They replaced bytes that
    /// are not UTF-8, so different inputs could give the same passphrase. Such a passphrase only opens
    /// repositories that exist.
    private let formerPassphrase: String?

    /// The prefix of the passphrase that stands for a key file; Base64 of all bytes of the file follows.
    private static let keyPrefix = "roost-key-file:"
    /// The minimum length of a passphrase, in characters, below which a warning is printed: an attacker with
    /// a copy of the repository can try any number of passphrases.
    private static let recommendedLength = 12

    private init(_ origin: String, _ passphrase: String?, fault: String = "", former: String? = nil) {
        self.origin = origin
        self.passphrase = passphrase
        self.fault = fault
        formerPassphrase = former == passphrase ? nil : former
    }

    // MARK: Reading

    /// Reads a password file: the passphrase is its first line, in UTF-8, without the line feed, or carriage
    /// return and line feed, that ends it.
    ///
    /// - Throws: ``CommandError`` if the file cannot be read, or if no version accepts its contents.
    static func passwordFile(_ path: String) throws -> BackupSecret {
        try BackupSecret(passwordData: try SecretFile.read(path, kind: "passphrase"), origin: path)
    }

    /// Reads a key file, all of whose bytes are the secret.
    ///
    /// - Throws: ``CommandError`` if the file cannot be read or is empty.
    static func keyFile(_ path: String) throws -> BackupSecret {
        let data = try SecretFile.read(path, kind: "key")
        return BackupSecret(path, keyPrefix + data.base64EncodedString())
    }

    /// Returns the secret that `$ROOST_BACKUP_KEY_FILE` or `$ROOST_BACKUP_PASSWORD` provides; `nil` if both
    /// are unset or empty.
    ///
    /// - Throws: ``CommandError``.
    static func environment() throws -> BackupSecret? {
        if let path = ProcessInfo.processInfo.environment["ROOST_BACKUP_KEY_FILE"], !path.isEmpty {
            return try keyFile(path)
        }
        // `ProcessInfo` replaces bytes that are not UTF-8.
        guard let value = getenv("ROOST_BACKUP_PASSWORD"), value.pointee != 0 else { return nil }
        return try BackupSecret(
            passwordData: Data(bytes: value, count: strlen(value)), origin: "$ROOST_BACKUP_PASSWORD",
            isFile: false)
    }

    private init(passwordData data: Data, origin: String, isFile: Bool = true) throws {
        let text = String(decoding: data, as: UTF8.self)
        // Older versions applied this rule.
        let former =
            isFile
            ? text.split(maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                .first.map(String.init) ?? "" : text
        var line = data[...]
        if isFile, let end = line.firstIndex(of: UInt8(ascii: "\n")) {
            line = line[..<end]
            if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        }
        let fault: String?
        if line.isEmpty {
            fault = isFile ? "its first line is empty" : "it is empty"
        } else if line.contains(0) {
            fault = "it contains a zero byte"
        } else if String(validating: line, as: UTF8.self) == nil {
            fault = "it is not valid UTF-8"
        } else {
            fault = nil
        }
        guard let fault else {
            self.init(origin, String(decoding: line, as: UTF8.self), former: former.isEmpty ? nil : former)
            return
        }
        guard !former.isEmpty else {
            throw CommandError(
                .badData, "cannot read a passphrase from \(Terminal.line(origin)): \(fault)")
        }
        self.init(origin, nil, fault: fault, former: former)
    }

    // MARK: Use

    /// Returns the passphrase for a new repository, or for a new key of an existing one.
    ///
    /// - Throws: ``CommandError`` if the input is not a valid secret.
    func newPassphrase() throws -> String {
        guard let passphrase else {
            throw CommandError(
                .badData,
                "cannot use \(Terminal.line(origin)) as a passphrase: \(fault); to use all bytes of a file "
                    + "as the secret, use --key-file")
        }
        return passphrase
    }

    /// Calls `body` with the passphrase and, if that is wrong, with the passphrase that older versions read
    /// from the same input.
    ///
    /// - Returns: The result of `body`, and a warning if only the passphrase of older versions is right.
    func open<Result>(
        _ body: (String) async throws -> Result
    ) async throws -> (result: Result, warning: String?) {
        guard let formerPassphrase else { return (try await body(try newPassphrase()), nil) }
        guard let passphrase else {
            do {
                return (try await body(formerPassphrase), formerReadingWarning)
            } catch let error as BackupError where [.wrongPassphrase, .notFound].contains(error.code) {
                _ = try newPassphrase()
                throw error
            }
        }
        do {
            return (try await body(passphrase), nil)
        } catch let error as BackupError where error.code == .wrongPassphrase {
            guard let result = try? await body(formerPassphrase) else { throw error }
            return (result, formerReadingWarning)
        }
    }

    private var formerReadingWarning: String {
        let reason = passphrase == nil ? "\(fault), and other secrets open" : "another secret opens"
        return
            "warning: the passphrase in \(Terminal.line(origin)) was interpreted as in older versions: "
            + "\(reason) the repository too; run `roost backup password` to change it"
    }

    /// The warning about a short passphrase; `nil` if the passphrase is long enough.
    var lengthWarning: String? {
        guard let passphrase, !passphrase.hasPrefix(Self.keyPrefix),
            passphrase.count < Self.recommendedLength
        else { return nil }
        return "warning: the passphrase has only \(Count.text(passphrase.count, "character")); an attacker "
            + "with a copy of the repository can guess short ones"
    }
}
