package import Foundation
import RoostFiles

/// The secret that clients send with every request.
package struct AccessToken: Sendable {
    private let bytes: [UInt8]

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The minimum length of a token in bytes. A token that is chosen by a person can be shorter than a
    /// generated one, but must not be easy to guess.
    package static let minimumLength = 16
    private static let maximumLength = 4_096
    private static let generatedBytes = 32

    /// Creates a token from its text.
    ///
    /// - Returns: `nil` if the text is too short or too long, or contains characters other than those that
    ///   bearer tokens may have (RFC 6750).
    package init?(_ text: String) {
        guard (Self.minimumLength...Self.maximumLength).contains(text.utf8.count),
            text.wholeMatch(of: /[A-Za-z0-9\-._~+\/=]+/) != nil
        else { return nil }
        bytes = Array(text.utf8)
    }

    package static func random() -> AccessToken {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<generatedBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return AccessToken(bytes: Array(Hexadecimal.text(bytes).utf8))
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The secret of the cookie by which the page stays signed in. It does not reveal the token, and is valid as long as
    /// the token.
    var session: AccessToken {
        AccessToken(bytes: Array(Hexadecimal.text(SHA256.hash(Data("session \(text)".utf8))).utf8))
    }

    /// Returns whether a client sent this token. The duration depends on the length of the candidate only, so
    /// that an attacker cannot find the token byte by byte.
    package func matches(_ candidate: some StringProtocol) -> Bool {
        var difference: UInt8 = bytes.count == candidate.utf8.count ? 0 : 1
        for (index, byte) in candidate.utf8.enumerated() { difference |= byte ^ bytes[index % bytes.count] }
        return difference == 0
    }

    /// Returns the token in a file, and creates the file with a random token if it does not exist.
    ///
    /// The file is only readable by its owner. If two processes create it at the same time, both return the
    /// same token.
    /// - Throws: ``ServerError`` if the file cannot be read or created, if others can read it, or if it
    ///   contains no token.
    package static func read(orCreateAt file: URL) throws -> AccessToken {
        if let token = try read(file) { return token }
        do {
            try FileSystem.standard.createFolder(file.deletingLastPathComponent())
            try AtomicFile.create(Data((random().text + "\n").utf8), at: file)
        } catch let error as FileError {
            // Another process may have created the file in the meantime.
            if let token = try read(file) { return token }
            throw ServerError("cannot create the token file \(file.path): \(error)")
        }
        guard let token = try read(file) else {
            throw ServerError("cannot read the token file \(file.path): it was removed")
        }
        return token
    }

    /// Returns the token in a file; `nil` if the file does not exist.
    private static func read(_ file: URL) throws -> AccessToken? {
        if let attributes = try? FileManager.default.attributesOfItem(atPath: file.path) {
            // If the file is missing or cannot be examined, opening it reports the reason.
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw ServerError("cannot read the token file \(file.path): it is not a regular file")
            }
            guard ((attributes[.posixPermissions] as? Int) ?? 0) & 0o077 == 0 else {
                throw ServerError(
                    "cannot use the token file \(file.path): other users can read or write it; run "
                        + "`chmod 600` on it, or delete it so that a new token is generated")
            }
        }
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw ServerError("cannot read the token file \(file.path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumLength + 1)
        let count = Foundation.read(descriptor, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard let token = AccessToken(text) else {
            throw ServerError(
                "cannot use the token file \(file.path): it must contain \(minimumLength) or more letters, "
                    + "digits and -._~+/=; delete it so that a new token is generated")
        }
        return token
    }
}
