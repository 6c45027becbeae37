import CRoostKernels
public import Foundation

/// One thing that is about to be done to a file.
public struct FileStep: Sendable, Hashable, CustomStringConvertible {
    public enum Kind: String, Sendable, CaseIterable {
        /// A file is opened for writing, and created if it is not there.
        case create
        case write
        case fsync
        case truncate
        case rename
        case link
        case unlink
        /// A folder is created.
        case mkdir
    }

    public let kind: Kind
    public let path: String
    /// For a write, how many bytes.
    public let count: Int

    public var description: String { "\(kind.rawValue) \((path as NSString).lastPathComponent)" }
}

/// What goes wrong instead of a step.
public enum FileFault: Sendable {
    /// The system call fails with this `errno`.
    case error(Int32)
    /// The first bytes of a write are written, then it fails with what the closure returns.
    case shortWrite(count: Int, then: @Sendable () -> Int32)
}

/// The way to files. `standard` goes straight to the operating system; another asks, before each step that
/// changes something, what shall go wrong: so that tests can stop a program at every step of what it does.
public struct FileSystem: Sendable {
    public static let standard = FileSystem(willPerform: nil)

    /// Goes straight to the operating system, and leaves it to ``synchronizeAll(around:)`` to make many files
    /// last at once: for what nobody relies on before that.
    public static let deferring = FileSystem(willPerform: nil, synchronizesEach: false)

    let synchronizesEach: Bool
    private let willPerform: (@Sendable (FileStep) -> FileFault?)?

    /// - Parameter willPerform: called before each step; `nil` lets it happen.
    public init(willPerform: (@Sendable (FileStep) -> FileFault?)?) {
        self.init(willPerform: willPerform, synchronizesEach: true)
    }

    private init(willPerform: (@Sendable (FileStep) -> FileFault?)?, synchronizesEach: Bool) {
        (self.willPerform, self.synchronizesEach) = (willPerform, synchronizesEach)
    }

    /// Makes all that was written to the disk of a folder survive a loss of power.
    ///
    /// - Throws: ``FileError``.
    public static func synchronizeAll(around folder: URL) throws {
        let file = try FileDescriptor(folder.path, O_RDONLY | O_DIRECTORY)
        guard roost_synchronize_all(file.raw) == 0 else { throw FileError.last("synchronise", folder.path) }
    }

    func fault(_ kind: FileStep.Kind, _ path: String, count: Int = 0) -> FileFault? {
        willPerform?(FileStep(kind: kind, path: path, count: count))
    }

    private func perform(
        _ kind: FileStep.Kind, _ path: String, _ operation: String, _ body: () -> Int32
    ) throws {
        if case .error(let code)? = fault(kind, path) {
            throw FileError(operation: operation, path: path, errno: code)
        }
        guard body() == 0 else { throw FileError.last(operation, path) }
    }

    /// Gives a file another name, in place of one that has it.
    public func rename(_ path: String, to target: String) throws {
        try perform(.rename, path, "rename") { Foundation.rename(path, target) }
    }

    /// Gives a file a second name.
    ///
    /// - Throws: ``FileError``, with `EEXIST` where the name is taken.
    public func link(_ path: String, at target: String) throws {
        try perform(.link, path, "link") { Foundation.link(path, target) }
    }

    /// Removes a file; one that is not there is no error.
    public func unlink(_ path: String) throws {
        do {
            try perform(.unlink, path, "remove") { Foundation.unlink(path) }
        } catch let error as FileError where error.isMissing {
            return
        }
    }

    /// Removes a folder and the files in it; one that is not there is no error.
    public func removeFolder(_ url: URL) throws {
        let manager = FileManager.default
        var status = stat()
        // What a symbolic link in its place points to is not ours.
        if lstat(url.path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR { return try unlink(url.path) }
        guard let names = try? manager.contentsOfDirectory(atPath: url.path) else { return }
        for name in names.sorted() { try unlink(url.appendingPathComponent(name).path) }
        try perform(.unlink, url.path, "remove") { rmdir(url.path) }
    }

    /// Creates a folder, with those above it, mode 0700; one that is there stays as it is.
    public func createFolder(_ url: URL) throws {
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
            if stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
            throw FileError(operation: "create the folder", path: url.path, errno: ENOTDIR)
        }
    }

    /// Makes the names in a folder survive a loss of power, where the file system can.
    public func synchronizeFolder(_ url: URL) throws {
        do {
            try FileDescriptor(url.path, O_RDONLY | O_DIRECTORY, files: self).synchronize()
        } catch let error as FileError where [EINVAL, ENOTSUP, EBADF].contains(error.errno) {
            // Some file systems have no such thing for folders.
        }
    }

    /// How many bytes this process may still write where a path is.
    public func freeBytes(at url: URL) -> Int? {
        var status = statvfs()
        guard statvfs(url.path, &status) == 0 else { return nil }
        let (bytes, isTooMany) = UInt64(status.f_bavail).multipliedReportingOverflow(
            by: UInt64(status.f_frsize))
        return isTooMany ? .max : Int(clamping: bytes)
    }
}
