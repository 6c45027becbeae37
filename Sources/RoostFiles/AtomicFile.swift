public import Foundation

/// Whole files that are there in full or not at all, whatever happens in between.
public enum AtomicFile {
    /// Writes a file: a temporary file in the same folder, fsync, rename, fsync of the folder. Mode 0600.
    ///
    /// A reader sees the old file or the new one. After the return, the new one survives a loss of power.
    /// - Throws: ``FileError``; the old file is untouched then, and the temporary one gone.
    public static func write(
        _ data: some DataProtocol, to url: URL, files: FileSystem = .standard
    ) throws {
        try write(to: url, files: files) { file in
            for region in data.regions { try region.withUnsafeBytes { try file.write($0) } }
        }
    }

    /// As ``write(_:to:)``, where there is no such file yet; of several processes one succeeds.
    ///
    /// - Throws: ``FileError``, with `EEXIST` where there is one.
    public static func create(_ data: Data, at url: URL, files: FileSystem = .standard) throws {
        try write(to: url, files: files, publish: files.link) { file in
            try data.withUnsafeBytes { try file.write($0) }
        }
    }

    /// As ``write(_:to:)``, with bytes that come in pieces.
    public static func write(
        to url: URL, files: FileSystem = .standard, _ body: (FileDescriptor) throws -> Void
    ) throws {
        try write(to: url, files: files, publish: files.rename, body)
    }

    /// Copies a file in place of another, sharing its blocks where the file system can.
    public static func copy(_ source: URL, to url: URL, files: FileSystem = .standard) throws {
        let original = try FileDescriptor(source.path, O_RDONLY)
        try write(to: url, files: files) { file in
            #if os(Linux)
                // FICLONE of linux/fs.h.
                if ioctl(file.raw, 0x4004_9409, original.raw) == 0 { return }
            #endif
            let size = try original.size()
            for offset in stride(from: 0, to: size, by: 4 << 20) {
                let piece = try original.read(at: offset, count: min(4 << 20, size - offset))
                try piece.withUnsafeBytes { try file.write($0) }
            }
        }
    }

    private static func write(
        to url: URL, files: FileSystem, publish: (_ temporary: String, _ path: String) throws -> Void,
        _ body: (FileDescriptor) throws -> Void
    ) throws {
        let temporary = temporaryPath(for: url.path)
        // After a rename there is nothing left under the temporary name.
        defer { unlink(temporary) }
        do {
            let file = try FileDescriptor(temporary, O_WRONLY | O_CREAT | O_EXCL, files: files)
            try body(file)
            try file.synchronize()
            try publish(temporary, url.path)
        } catch let error as FileError where error.path == temporary {
            // The temporary name would tell the reader nothing.
            throw FileError(operation: "write", path: url.path, errno: error.errno)
        }
        try files.synchronizeFolder(url.deletingLastPathComponent())
    }

    /// Removes what dead processes left half-written in a folder. Call it where nobody else can be writing
    /// there: under a lock.
    ///
    /// - Returns: the names of what was removed.
    @discardableResult
    public static func removeLeftovers(in folder: URL, files: FileSystem = .standard) throws -> [String] {
        let leftovers = leftovers(in: folder)
        for name in leftovers { try files.unlink(folder.appendingPathComponent(name).path) }
        return leftovers
    }

    /// The names of what is half-written in a folder, by the dead or the living.
    public static func leftovers(in folder: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { name in
            // `.NAME.PROCESS.NUMBER.tmp`: other programs have temporary files of their own.
            let parts = name.split(separator: ".")
            return name.hasPrefix(".") && parts.count >= 4 && parts.last == "tmp"
                && UInt64(parts[parts.count - 2]) != nil && Int32(parts[parts.count - 3]) != nil
        }.sorted()
    }

    static func temporaryPath(for path: String) -> String {
        let folder = (path as NSString).deletingLastPathComponent
        let name = (path as NSString).lastPathComponent
        return "\(folder)/.\(name).\(getpid()).\(UInt64.random(in: 0...UInt64.max)).tmp"
    }
}
