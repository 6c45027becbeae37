import Foundation

/// Reads files that contain a passphrase or a key.
enum SecretFile {
    /// The maximum size in bytes. The limit prevents the command from reading a large file, or a device, that
    /// was named by mistake.
    static let maximumSize = 64 << 10

    /// Returns all bytes of a file, which may also be a pipe.
    ///
    /// - Parameter kind: The kind of secret, for messages: `passphrase` or `key`.
    static func read(_ path: String, kind: String) throws -> Data {
        func failure(_ cause: String, _ status: ExitStatus = .noInput) -> CommandError {
            CommandError(status, "cannot read a \(kind) from \(Terminal.line(path)): \(cause)")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumSize + 1)
        var count = 0
        while count < bytes.count {
            let result = bytes.withUnsafeMutableBytes {
                Foundation.read(descriptor, $0.baseAddress! + count, $0.count - count)
            }
            if result < 0 {
                if errno == EINTR { continue }
                throw failure(String(cString: strerror(errno)))
            }
            if result == 0 { break }
            count += result
        }
        guard count <= maximumSize else {
            throw failure("it is larger than \(maximumSize >> 10) KiB", .badData)
        }
        guard count > 0 else { throw failure("it is empty", .badData) }
        return Data(bytes.prefix(count))
    }
}
