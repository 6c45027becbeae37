package import Foundation

/// A file that is written piece by piece and appears atomically when it is complete: until then, readers find
/// the old file.
///
/// The bytes are written to a temporary file in the same folder, which ``publish()`` renames. If the
/// instance is released before, the temporary file is removed and the old file is unchanged.
package final class ReplacementFile: Sendable {
    private let url: URL
    private let files: FileSystem
    private let file: FileDescriptor

    /// Creates the temporary file, with mode 0600.
    ///
    /// - Throws: ``FileError``, which names `url`.
    package init(of url: URL, files: FileSystem = .standard) throws {
        self.url = url
        self.files = files
        let temporary = AtomicFile.temporaryPath(for: url.path)
        do {
            file = try FileDescriptor(temporary, O_WRONLY | O_CREAT | O_EXCL, files: files)
        } catch let error as FileError where error.path == temporary {
            throw FileError(operation: "write", path: url.path, errno: error.errno)
        }
    }

    // After a successful rename, no file has the temporary name, so this call has no effect.
    deinit { unlink(file.path) }

    /// Calls a function with the temporary file.
    ///
    /// - Throws: The errors of `body`. A ``FileError`` names the target, because users do not know the
    ///   temporary file.
    package func withFile(_ body: (FileDescriptor) throws -> Void) throws {
        do {
            try body(file)
        } catch let error as FileError where error.path == file.path {
            throw FileError(operation: "write", path: url.path, errno: error.errno)
        }
    }

    /// Adds bytes at the end.
    ///
    /// - Throws: ``FileError``.
    package func write(_ data: Data) throws {
        try withFile { file in try data.withUnsafeBytes { try file.write($0) } }
    }

    /// Makes the written bytes survive a power failure. A full disk is reported here or by a write.
    ///
    /// - Throws: ``FileError``.
    package func synchronize() throws { try withFile { try $0.synchronize() } }

    /// Replaces the target. The temporary file is synchronized and renamed, and then the folder is
    /// synchronized. After the method returns, the new file survives a power failure.
    ///
    /// - Throws: ``FileError``. In that case, the old file is unchanged, unless only the last step failed.
    package func publish() throws { try publish(by: files.rename) }

    /// As ``publish()``, with another way to move the temporary file to the target.
    func publish(by move: (_ temporary: String, _ path: String) throws -> Void) throws {
        try withFile { file in
            try file.synchronize()
            try move(file.path, url.path)
        }
        try files.synchronizeFolder(url.deletingLastPathComponent())
    }
}
