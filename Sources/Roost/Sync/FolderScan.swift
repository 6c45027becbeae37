import Foundation
import RoostFiles
import RoostModel

struct FolderScan: Sendable {
    /// A condition that suggests that files are missing by mistake; `nil` for a usual folder.
    private(set) var risk: RemovalRisk.Reason?
    private(set) var files: [FolderWalk.File] = []
    private(set) var skipped: [IngestReport.Finding] = []
    /// The time at which the search began, in nanoseconds since 1970.
    let time = FileStatus.now

    static func run(
        _ tree: SyncTree, omitting omitted: String?, willEnter: @escaping @Sendable (String) -> Void
    ) async throws -> FolderScan {
        let (folder, finder) = (tree.folder, tree.finder)
        let omitted = tree.innerFolders.union([omitted].compactMap(\.self))
        return try await BlockingWork.run { isCancelled in
            var scan = FolderScan()
            do {
                let walk = try finder.walk(
                    folder.url, omitting: omitted, willEnter: willEnter,
                    isCancelled: isCancelled)
                (scan.files, scan.skipped) = (walk.files, walk.skipped)
            } catch is RoostError {
                var status = stat()
                let isMissing =
                    stat(folder.path, &status) == 0
                    ? status.st_mode & S_IFMT != S_IFDIR : errno == ENOENT || errno == ENOTDIR
                scan.risk = isMissing ? .missing : .unreadable
            }
            return scan
        }
    }

    /// Returns whether the file of a source certainly is no longer at its path. The id of a source contains
    /// no symbolic links, so a path that leads through one belongs to another source.
    static func isMissing(source id: Source.ID) -> Bool {
        let path = URL(string: id)?.path ?? id
        guard let status = try? FileSystem.status(of: path) else { return isMissing(path) }
        if status.isFolder || status.st_mode & S_IFMT == S_IFLNK { return true }
        return FileSystem.resolvedPath(path).map { $0 != path } ?? false
    }

    /// Returns whether a file certainly does not exist. If a folder above it cannot be read, it may exist.
    static func isMissing(_ path: String) -> Bool {
        do {
            // A folder with the name of a file means that the file was removed.
            return try FileSystem.status(of: path)?.isFolder ?? true
        } catch {
            return false
        }
    }
}

struct SyncTree: Sendable {
    let folder: SyncedFolder
    let finder: FileFinder
    let reader: RecordReader
    var state: SyncState
    /// The paths of other folders inside the folder. Their files belong to them alone.
    private(set) var innerFolders: Set<String> = []

    init(folder: SyncedFolder, state: SyncState) {
        (self.folder, self.state, finder, reader) = (folder, state, folder.finder, folder.reader)
    }

    /// Creates the tree of a folder that the store does not remember.
    init(_ url: URL, _ finder: FileFinder, _ reader: RecordReader) {
        (folder, state, self.finder, self.reader) = (SyncedFolder(url), SyncState(), finder, reader)
    }

    /// Leaves the files of other folders to them: each file belongs to the innermost folder that contains it.
    mutating func exclude(_ folders: [SyncedFolder]) {
        innerFolders = Set(folders.map(\.path).filter { folder.relativePath(of: $0)?.isEmpty == false })
        guard !innerFolders.isEmpty else { return }
        // The state is from before the other folder was added.
        for path in state.files.keys
        where innerFolders.contains(where: { "\(folder.path)/\(path.text)".hasPrefix($0 + "/") }) {
            state.files[path] = nil
        }
    }
}

/// The data about a file that change whenever its contents change.
///
/// The date of the last status change is included, because programs can set the date of the last change of
/// the contents to any value.
struct FileStatus: Sendable, Hashable {
    var size: Int64
    /// The time of the last change of the contents, in nanoseconds since 1970.
    var modified: Int64
    /// The time of the last change of the contents or the attributes, in nanoseconds since 1970.
    var changed: Int64
    var inode: UInt64

    /// The time in nanoseconds after which a further change certainly has another time: some file systems
    /// record times with a resolution of two seconds.
    static let settlingTime: Int64 = 2_000_000_000

    /// Returns a time in nanoseconds since 1970. Times that 64 bits cannot hold, before 1678 and after 2262,
    /// are replaced with the nearest ones that they can.
    static func nanoseconds(_ time: timespec) -> Int64 {
        let maximum = Int64.max / 1_000_000_000 - 60
        return min(max(Int64(time.tv_sec), -maximum), maximum) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return nanoseconds(time)
    }

    /// Returns whether a change after the given time would change the status.
    func isSettled(at time: Int64, after settlingTime: Int64 = Self.settlingTime) -> Bool {
        changed < time - settlingTime
    }
}

extension FileStatus {
    init(_ status: stat) {
        self.init(
            size: Int64(status.st_size), modified: Self.nanoseconds(status.modificationTime),
            changed: Self.nanoseconds(status.statusChangeTime),
            inode: UInt64(truncatingIfNeeded: status.st_ino))
    }
}
