public import Foundation

/// Whole files that are there in full or not at all, whatever happens in between.
public enum AtomicFile {
    /// Writes a file: a temporary file in the same folder, fsync, rename, fsync of the folder. Mode 0600.
    ///
    /// A reader sees the old file or the new one. After the return, the new one survives a loss of power.
    /// - Throws: ``FileError``; the old file is untouched then, and the temporary one gone.
    public static func write(_ data: some DataProtocol, to url: URL) throws {
        try write(to: url) { file in
            for region in data.regions { try region.withUnsafeBytes { try file.write($0) } }
        }
    }

    /// As ``write(_:to:)``, where there is no such file yet; of several processes one succeeds.
    ///
    /// - Throws: ``FileError``, with `EEXIST` where there is one.
    public static func create(_ data: Data, at url: URL) throws {
        try write(
            to: url,
            publish: { temporary, path in
                defer { unlink(temporary) }
                guard link(temporary, path) == 0 else { throw FileError.last("create", path) }
            }
        ) { file in
            try data.withUnsafeBytes { try file.write($0) }
        }
    }

    /// As ``write(_:to:)``, with bytes that come in pieces.
    public static func write(to url: URL, _ body: (FileDescriptor) throws -> Void) throws {
        try write(
            to: url,
            publish: { temporary, path in
                guard rename(temporary, path) == 0 else { throw FileError.last("rename", temporary) }
            }, body)
    }

    private static func write(
        to url: URL, publish: (_ temporary: String, _ path: String) throws -> Void,
        _ body: (FileDescriptor) throws -> Void
    ) throws {
        let temporary = temporaryPath(for: url.path)
        do {
            let file = try FileDescriptor(temporary, O_WRONLY | O_CREAT | O_EXCL)
            try body(file)
            try file.synchronize()
            try publish(temporary, url.path)
        } catch {
            unlink(temporary)
            if let error = error as? FileError, error.path == temporary {
                // The temporary name would tell the reader nothing.
                throw FileError(operation: "write", path: url.path, errno: error.errno)
            }
            throw error
        }
        try synchronizeFolder(url.deletingLastPathComponent())
    }

    /// Makes the names in a folder survive a loss of power.
    public static func synchronizeFolder(_ url: URL) throws {
        try FileDescriptor(url.path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Creates a folder, with those above it, mode 0700; one that is there stays as it is.
    public static func createFolder(_ url: URL) throws {
        if mkdir(url.path, 0o700) == 0 { return }
        if errno == ENOENT, url.pathComponents.count > 1 {
            try createFolder(url.deletingLastPathComponent())
            if mkdir(url.path, 0o700) == 0 { return }
        }
        let code = errno
        var status = stat()
        if code == EEXIST, stat(url.path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR { return }
            throw FileError(operation: "create the folder", path: url.path, errno: ENOTDIR)
        }
        throw FileError(operation: "create the folder", path: url.path, errno: code)
    }

    static func temporaryPath(for path: String) -> String {
        let folder = (path as NSString).deletingLastPathComponent
        let name = (path as NSString).lastPathComponent
        return "\(folder)/.\(name).\(getpid()).\(UInt64.random(in: 0...UInt64.max)).tmp"
    }
}
