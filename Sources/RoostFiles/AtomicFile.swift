package import Foundation

/// Writes whole files atomically: readers find either the complete old file or the complete new one.
package enum AtomicFile {
    /// Replaces a file atomically and durably, with mode 0600.
    ///
    /// The bytes are written to a temporary file in the same folder. The temporary file is synchronized and
    /// renamed, and then the folder is synchronized. After the method returns, the new file survives a power
    /// failure.
    ///
    /// - Throws: ``FileError``. In that case, the temporary file is removed, and the old file is unchanged,
    ///   unless only the synchronization of the folder failed.
    package static func write(
        _ data: some DataProtocol, to url: URL, files: FileSystem = .standard
    ) throws {
        try write(to: url, files: files) { file in
            for region in data.regions { try region.withUnsafeBytes { try file.write($0) } }
        }
    }

    /// Creates a file atomically and durably if no file with this name exists. If several processes call this
    /// method at the same time, exactly one call succeeds.
    ///
    /// - Throws: ``FileError``, with `EEXIST` if the file exists.
    package static func create(_ data: Data, at url: URL, files: FileSystem = .standard) throws {
        try write(to: url, files: files, publish: files.link) { file in
            try data.withUnsafeBytes { try file.write($0) }
        }
    }

    /// Replaces a file atomically and durably with the bytes that `body` writes.
    ///
    /// - Throws: ``FileError``, and the errors of `body`. In that case, the old file is unchanged, unless
    ///   only the synchronization of the folder failed.
    package static func write(
        to url: URL, files: FileSystem = .standard, _ body: (FileDescriptor) throws -> Void
    ) throws {
        try write(to: url, files: files, publish: files.rename, body)
    }

    /// Replaces a file atomically with a copy of another file. The copy shares the original's disk blocks if
    /// the file system supports it.
    package static func copy(_ source: URL, to url: URL, files: FileSystem = .standard) throws {
        let original = try FileDescriptor(source.path, O_RDONLY)
        try write(to: url, files: files) { file in
            #if os(Linux)
                if ioctl(file.raw, ioctlShareBlocks, original.raw) == 0 { return }
            #endif
            let size = try original.size()
            for offset in stride(from: 0, to: size, by: copyBufferSize) {
                let data = try original.read(at: offset, count: min(copyBufferSize, size - offset))
                try data.withUnsafeBytes { try file.write($0) }
            }
        }
    }

    /// Removes a file if a condition is true. A file that another process puts in its place at the same time
    /// remains.
    ///
    /// - Parameter condition: Returns whether the file with the given URL, which is the path or a temporary
    ///   one, is the file to remove.
    package static func remove(_ url: URL, if condition: (URL) -> Bool) {
        guard condition(url) else { return }
        // Between the check and the removal, the path can become the name of another file. The temporary path
        // cannot.
        let temporary = URL(fileURLWithPath: temporaryPath(for: url.path))
        guard rename(url.path, temporary.path) == 0 else { return }
        if !condition(temporary), link(temporary.path, url.path) != 0, errno != EEXIST {
            // The file system has no links.
            rename(temporary.path, url.path)
        }
        unlink(temporary.path)
    }

    #if os(Linux)
        /// The value of `FICLONE` in `linux/fs.h`, a macro that Swift cannot import.
        private static let ioctlShareBlocks: UInt = 0x4004_9409
    #endif

    /// The size of the copy buffer in bytes: large enough to make the cost of system calls negligible, and
    /// small enough to use little memory.
    private static let copyBufferSize = 4 << 20

    private static func write(
        to url: URL, files: FileSystem, publish: (_ temporary: String, _ path: String) throws -> Void,
        _ body: (FileDescriptor) throws -> Void
    ) throws {
        let replacement = try ReplacementFile(of: url, files: files)
        try replacement.withFile(body)
        try replacement.publish(by: publish)
    }

    /// Removes the temporary files that terminated processes left in a folder. The caller must hold a lock
    /// that keeps other processes from writing to the folder.
    ///
    /// - Returns: The names of the removed files.
    @discardableResult
    package static func removeLeftovers(in folder: URL, files: FileSystem = .standard) throws -> [String] {
        let leftovers = leftovers(in: folder)
        for name in leftovers { try files.unlink(folder.appendingPathComponent(name).path) }
        return leftovers
    }

    /// Returns the names of all temporary files in a folder, including those whose writers are still running.
    package static func leftovers(in folder: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { name in
            // Matches only names of the form `.NAME.PROCESS.NUMBER.tmp`, so other programs' temporary files
            // are not removed.
            let parts = name.split(separator: ".")
            return name.hasPrefix(".") && parts.count >= 4 && parts.last == "tmp"
                && UInt64(parts[parts.count - 2]) != nil && Int32(parts[parts.count - 3]) != nil
        }.sorted()
    }

    /// The maximum length in bytes of the name of a file within the name of its temporary file. File systems
    /// allow 255 bytes; the rest is for the other parts of the name.
    private static let maximumNameLength = 200

    /// Returns an unused path for a temporary file in the folder of a file. ``leftovers(in:)`` recognizes it.
    static func temporaryPath(for path: String) -> String {
        let folder = (path as NSString).deletingLastPathComponent
        var name = Substring((path as NSString).lastPathComponent)
        while name.utf8.count > maximumNameLength { name.unicodeScalars.removeLast() }
        return "\(folder)/.\(name).\(getpid()).\(UInt64.random(in: 0...UInt64.max)).tmp"
    }
}
