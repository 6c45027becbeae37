import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A temporary folder that only the current user can open (mode 0700). It is removed with its files when the
/// value is released.
final class PrivateFolder {
    /// The absolute path of the folder.
    let path: String

    /// Creates a folder with a random name.
    ///
    /// - Throws: ``DocumentError/missingProgram(_:)`` if the folder for temporary files is not writable.
    init() throws {
        var template = Array((NSTemporaryDirectory() + "/roost-document-XXXXXX").utf8CString)
        guard let created = mkdtemp(&template) else {
            throw DocumentError.missingProgram(
                "no temporary folder can be created in \(NSTemporaryDirectory()): "
                    + "\(String(cString: strerror(errno))); set TMPDIR to a writable folder")
        }
        path = String(cString: created)
    }

    deinit {
        // The folder contains only files that this type created; a failure leaves a file in the folder for
        // temporary files, which the system removes.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file that only the current user can read (mode 0600), and returns its path.
    func write(_ data: Data, to name: String) throws -> String {
        let file = path + "/" + name
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure(file) }
        defer { close(descriptor) }
        try data.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let written = Self.write(descriptor, bytes[offset...])
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else { throw Self.failure(file) }
                offset += written
            }
        }
        return file
    }

    private static func write(_ descriptor: Int32, _ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        let rest = UnsafeRawBufferPointer(rebasing: bytes)
        #if canImport(Glibc)
            return Glibc.write(descriptor, rest.baseAddress, rest.count)
        #elseif canImport(Musl)
            return Musl.write(descriptor, rest.baseAddress, rest.count)
        #else
            return Darwin.write(descriptor, rest.baseAddress, rest.count)
        #endif
    }

    private static func failure(_ file: String) -> DocumentError {
        .missingProgram(
            "the temporary file \(file) cannot be written: \(String(cString: strerror(errno))); "
                + "free some space or set TMPDIR to another folder")
    }
}
