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

    /// As ``write(_:to:)``, with bytes that come in pieces.
    public static func write(to url: URL, _ body: (FileDescriptor) throws -> Void) throws {
        let temporary = temporaryPath(for: url.path)
        do {
            let file = try FileDescriptor(temporary, O_WRONLY | O_CREAT | O_EXCL)
            try body(file)
            try file.synchronize()
            guard rename(temporary, url.path) == 0 else { throw FileError.last("rename", temporary) }
        } catch {
            unlink(temporary)
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
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            let code = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)?.code
            throw FileError(operation: "create the folder", path: url.path, errno: Int32(code ?? Int(EACCES)))
        }
    }

    static func temporaryPath(for path: String) -> String {
        let folder = (path as NSString).deletingLastPathComponent
        let name = (path as NSString).lastPathComponent
        return "\(folder)/.\(name).\(getpid()).\(UInt64.random(in: 0...UInt64.max)).tmp"
    }
}
