import CRoostKernels
package import Foundation

/// Performs file operations. ``standard`` calls the operating system directly. Tests use instances that call
/// a closure before each modifying operation and can make the operation fail.
package struct FileSystem: Sendable {
    package static let standard = FileSystem(willPerform: nil)

    /// Calls the operating system directly, but does not synchronize individual files. The caller must make
    /// all of them durable with ``synchronizeAll(around:)`` before it publishes any of them.
    package static let deferring = FileSystem(willPerform: nil, synchronizesEachFile: false)

    let synchronizesEachFile: Bool
    private let willPerform: (@Sendable (FileStep) -> FileFault?)?

    /// - Parameter willPerform: Called before each step. It returns the failure to inject, or `nil` to
    ///   perform the step normally.
    package init(
        willPerform: (@Sendable (FileStep) -> FileFault?)?, synchronizesEachFile: Bool = true
    ) {
        (self.willPerform, self.synchronizesEachFile) = (willPerform, synchronizesEachFile)
    }

    /// Synchronizes the whole file system that contains a folder, so all data written to it survives a power
    /// failure.
    package static func synchronizeAll(around folder: URL) throws {
        let file = try FileDescriptor(folder.path, O_RDONLY | O_DIRECTORY)
        guard roost_synchronize_all(file.raw) == 0 else {
            throw FileError.last("synchronize", folder.path)
        }
    }

    func fault(_ kind: FileStep.Kind, _ path: String, count: Int = 0) -> FileFault? {
        willPerform?(FileStep(kind: kind, path: path, count: count))
    }

    func perform(
        _ kind: FileStep.Kind, _ path: String, _ operation: String, _ body: () -> Int32
    ) throws {
        if case .error(let code)? = fault(kind, path) {
            throw FileError(operation: operation, path: path, errno: code)
        }
        guard body() == 0 else { throw FileError.last(operation, path) }
    }

    package func rename(_ path: String, to target: String) throws {
        try perform(.rename, path, "rename") { Foundation.rename(path, target) }
    }

    /// Gives a file a second name (a hard link).
    ///
    /// - Throws: ``FileError``, with `EEXIST` if a file has that name.
    package func link(_ path: String, at target: String) throws {
        try perform(.link, path, "link") { Foundation.link(path, target) }
    }

    /// Removes a file. A missing file is not an error.
    package func unlink(_ path: String) throws {
        do {
            try perform(.unlink, path, "remove") { Foundation.unlink(path) }
        } catch let error as FileError where error.isMissing {
            return
        }
    }

    /// Removes a folder and the files in it. A missing folder is not an error.
    package func removeFolder(_ url: URL) throws {
        guard let status = try Self.status(of: url.path) else { return }
        // Removes only the link if the path is a symbolic link, because the target may belong to another
        // program.
        guard status.isFolder else { return try unlink(url.path) }
        do {
            for name in try FolderListing(url.path).names.sorted() {
                try unlink(url.appendingPathComponent(name).path)
            }
            try perform(.unlink, url.path, "remove") { rmdir(url.path) }
        } catch let error as FileError where error.isMissing {
            // The folder was removed in the meantime.
        }
    }

    /// Creates a folder and its missing parents, with mode 0700. An existing folder is left unchanged.
    package func createFolder(_ url: URL) throws {
        func make() throws {
            try perform(.mkdir, url.path, "create the folder") { mkdir(url.path, 0o700) }
            try synchronizeFolder(url.deletingLastPathComponent())
        }
        do {
            do {
                try make()
            } catch let error as FileError where error.errno == ENOENT && url.pathComponents.count > 1 {
                try createFolder(url.deletingLastPathComponent())
                try make()
            }
        } catch let error as FileError where error.errno == EEXIST {
            var status = stat()
            if stat(url.path, &status) == 0, status.isFolder { return }
            throw FileError(operation: "create the folder", path: url.path, errno: ENOTDIR)
        }
    }

    /// Makes the directory entries of a folder survive a power failure, if the file system supports it.
    package func synchronizeFolder(_ url: URL) throws {
        do {
            try FileDescriptor(url.path, O_RDONLY | O_DIRECTORY, files: self).synchronize()
        } catch let error as FileError where [EINVAL, ENOTSUP, EBADF].contains(error.errno) {
            // Some file systems do not support fsync on folders.
        }
    }

    /// Returns whether this process may write a file, or create files in a folder. The result is `true` if
    /// the file does not exist.
    ///
    /// - Note: The result does not depend on the mode alone: on a read-only file system, it is `false` even
    ///   for the administrator.
    package static func isWritable(_ url: URL) -> Bool {
        faccessat(AT_FDCWD, url.path, W_OK, AT_EACCESS) == 0 || ![EACCES, EPERM, EROFS].contains(errno)
    }

    /// Returns the status of a file, a folder or a symbolic link itself; `nil` if nothing exists at the path.
    package static func status(of path: String) throws -> stat? {
        var status = stat()
        if lstat(path, &status) == 0 { return status }
        let error = FileError.last("look up", path)
        if error.isMissing { return nil }
        throw error
    }

    /// Returns the size of a regular file in bytes; `nil` if no regular file exists at the path.
    package static func sizeOfRegularFile(_ path: String) throws -> Int? {
        try status(of: path).flatMap { $0.isRegularFile ? Int($0.st_size) : nil }
    }

    /// Returns the absolute path of a file without symbolic links; `nil` if the file does not exist or a
    /// folder on the path cannot be searched.
    package static func resolvedPath(_ path: String) -> String? {
        realpath(path, nil).map { pointer in
            defer { free(pointer) }
            return String(cString: pointer)
        }
    }

    /// Returns the number of bytes that this process can still write to the file system of a path; `nil` if
    /// the system does not report it.
    package func freeBytes(at url: URL) -> Int? {
        var status = statvfs()
        guard statvfs(url.path, &status) == 0 else { return nil }
        let (bytes, hasOverflowed) = UInt64(status.f_bavail).multipliedReportingOverflow(
            by: UInt64(status.f_frsize))
        return hasOverflowed ? .max : Int(clamping: bytes)
    }
}

package struct FileStep: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Opens a file for writing, and creates it if it does not exist.
        case create
        case write
        case fsync
        case truncate
        case rename
        case link
        case unlink
        case mkdir
    }

    package let kind: Kind
    package let path: String
    /// The number of bytes that a write operation writes; 0 for other operations.
    package let count: Int
}

/// A failure that a test injects in place of a ``FileStep``.
package enum FileFault: Sendable {
    case error(Int32)
    /// The write fails after its first `count` bytes, with the `errno` that the closure returns.
    case shortWrite(count: Int, then: @Sendable () -> Int32)
}

/// The error of a file operation that the operating system rejected.
package struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    package let operation: String
    package let path: String
    package let errno: Int32

    package init(operation: String, path: String, errno: Int32) {
        (self.operation, self.path, self.errno) = (operation, path, errno)
    }

    package var description: String {
        // The system's text does not state which of the two paths of an operation is a folder.
        let cause =
            errno == EISDIR
            ? "it is a folder, not a file; move it away" : String(cString: strerror(errno))
        return "cannot \(operation) \(path): \(cause)"
    }

    package var isMissing: Bool { errno == ENOENT || errno == ENOTDIR }

    package var deniesPermission: Bool { [EACCES, EPERM].contains(errno) }

    static func last(_ operation: String, _ path: String) -> FileError {
        FileError(operation: operation, path: path, errno: Foundation.errno)
    }
}

package struct FolderListing: Sendable {
    /// The names without `.` and `..`, in the order of the file system.
    package private(set) var names: [String] = []
    /// The names that are not valid UTF-8, with the invalid bytes replaced. ``names`` does not include them.
    package private(set) var invalidNames: [String] = []

    package init(_ folder: String) throws {
        guard let stream = opendir(folder) else { throw FileError.last("list", folder) }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw FileError.last("list", folder) }
                return
            }
            let (name, isValid) = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { bytes in
                    String(validatingCString: bytes).map { ($0, true) } ?? (String(cString: bytes), false)
                }
            }
            if !isValid {
                invalidNames.append(name)
            } else if name != ".", name != ".." {
                names.append(name)
            }
        }
    }
}
