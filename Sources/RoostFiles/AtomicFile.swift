package import Foundation
import Synchronization

/// Writes whole files atomically: readers find either the complete old file or the complete new one.
package enum AtomicFile {
    /// Replaces a file with the given bytes, as ``write(to:files:_:)`` does.
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
        let file = try ReplacementFile(of: url, files: files)
        try file.write(data)
        try file.publish(by: files.link)
    }

    /// Replaces a file with the bytes that `body` writes, atomically and durably (``ReplacementFile/publish()``),
    /// with mode 0600.
    ///
    /// - Throws: ``FileError``, and the errors of `body`.
    package static func write(
        to url: URL, files: FileSystem = .standard, _ body: (FileDescriptor) throws -> Void
    ) throws {
        let file = try ReplacementFile(of: url, files: files)
        try file.withFile(body)
        try file.publish()
    }

    /// Replaces a file atomically with a copy of another file. The copy shares the original's disk blocks if
    /// the file system supports it.
    package static func copy(_ source: URL, to url: URL, files: FileSystem = .standard) throws {
        let original = try FileDescriptor(source.path, O_RDONLY)
        try write(to: url, files: files) { file in
            #if os(Linux)
                if ioctl(file.raw, ioctlShareBlocks, original.raw) == 0 { return }
            #endif
            try original.copy(to: file)
        }
    }

    #if os(Linux)
        /// The value of `FICLONE` in `linux/fs.h`, a macro that Swift cannot import.
        private static let ioctlShareBlocks: UInt = 0x4004_9409
    #endif

    /// Removes the temporary files that terminated processes left in a folder. The caller must hold a lock
    /// that keeps other processes from writing to the folder.
    package static func removeLeftovers(in folder: URL, files: FileSystem = .standard) throws {
        for name in leftovers(in: folder) { try files.unlink(folder.appendingPathComponent(name).path) }
    }

    /// Returns the names of all temporary files in a folder, including those whose writers are still running.
    package static func leftovers(in folder: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { writer(ofTemporary: $0) != nil }.sorted()
    }

    /// Returns the number of the process that wrote a temporary file; `nil` if the name does not have the form
    /// `.NAME.PROCESS.NUMBER.tmp`, because other programs' temporary files must not be removed.
    private static func writer(ofTemporary name: String) -> Int32? {
        let parts = name.split(separator: ".")
        guard name.hasPrefix("."), parts.count >= 4, parts.last == "tmp",
            UInt64(parts[parts.count - 2]) != nil
        else { return nil }
        return Int32(parts[parts.count - 3])
    }

    /// The folders from which this process has removed abandoned files.
    private static let cleanedFolders = Mutex<Set<String>>([])

    /// Removes the temporary files of processes that have ended, when this process first writes to a folder. A
    /// writer locks its file, which also protects the files of processes that this one cannot see. Failures are
    /// ignored, because the files only take up space.
    fileprivate static func removeAbandoned(in folder: URL) {
        guard cleanedFolders.withLock({ $0.insert(folder.path).inserted }) else { return }
        for name in leftovers(in: folder) {
            guard let process = writer(ofTemporary: name), kill(process, 0) != 0, errno == ESRCH,
                let file = try? FileDescriptor(folder.path + "/" + name, O_RDONLY | O_NOFOLLOW),
                flock(file.raw, LOCK_EX | LOCK_NB) == 0
            else { continue }
            unlink(file.path)
        }
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

/// A file that is written piece by piece and appears atomically when it is complete: until then, readers find
/// the old file.
///
/// The bytes are written to a temporary file in the same folder, which ``publish()`` renames. If the
/// instance is released before, the temporary file is removed and the old file is unchanged.
package final class ReplacementFile: Sendable {
    private let url: URL
    private let files: FileSystem
    private let file: FileDescriptor

    /// - Throws: ``FileError``, which names `url`.
    package init(of url: URL, files: FileSystem = .standard) throws {
        self.url = url
        self.files = files
        if files.synchronizesEachFile { AtomicFile.removeAbandoned(in: url.deletingLastPathComponent()) }
        let temporary = AtomicFile.temporaryPath(for: url.path)
        do {
            file = try FileDescriptor(temporary, O_WRONLY | O_CREAT | O_EXCL, files: files)
        } catch let error as FileError where error.path == temporary {
            throw FileError(operation: "write", path: url.path, errno: error.errno)
        }
        _ = flock(file.raw, LOCK_EX | LOCK_NB)
    }

    // After a successful rename, no file has the temporary name, so this call has no effect.
    deinit { unlink(file.path) }

    /// - Throws: The errors of `body`. A ``FileError`` names the target, because users do not know the
    ///   temporary file.
    package func withFile(_ body: (FileDescriptor) throws -> Void) throws {
        do {
            try body(file)
        } catch let error as FileError where error.path == file.path {
            throw FileError(operation: "write", path: url.path, errno: error.errno)
        }
    }

    package func write(_ data: Data) throws {
        try withFile { file in try data.withUnsafeBytes { try file.write($0) } }
    }

    /// Makes the written bytes survive a power failure. A full disk is reported here or by a write.
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
