import Foundation
import RoostFiles
import RoostModel

/// The files of a synced folder, as found in the file system.
struct FolderScan: Sendable {
    /// A condition that suggests that files are missing by mistake; `nil` for a usual folder.
    private(set) var risk: RemovalRisk.Reason?
    private(set) var isMountPoint = false
    private(set) var files: [FolderWalk.File] = []
    private(set) var skipped: [IngestReport.Skip] = []
    /// The time at which the search began, in nanoseconds since 1970.
    let time = FileStatus.now

    /// Searches a folder on a separate thread.
    ///
    /// - Parameters:
    ///   - tree: The folder and the part to search.
    ///   - omitted: The path of the store's folder, which is not searched, if it has one.
    ///   - willEnter: Called with the path of each folder before its contents are listed.
    /// - Throws: `CancellationError`.
    static func run(
        _ tree: SyncTree, omitting omitted: String?, willEnter: @escaping @Sendable (String) -> Void
    ) async throws -> FolderScan {
        let (folder, scope, wasMountPoint) = (tree.folder, tree.scope, tree.state.isMountPoint)
        let omitted = tree.innerFolders.union([omitted].compactMap(\.self))
        return try await BlockingWork.run { isCancelled in
            var scan = FolderScan()
            scan.inspectRoot(folder.path, wasMountPoint: wasMountPoint)
            guard scan.risk != .missing, scan.risk != .unreadable else { return scan }
            do {
                let walk = try folder.finder.walk(
                    folder.url, scope: scope, omitting: omitted, willEnter: willEnter,
                    isCancelled: isCancelled)
                (scan.files, scan.skipped) = (walk.files, walk.skipped)
            } catch is RoostError {
                // The folder was removed, or its permissions were changed, after the inspection. A folder
                // that can be listed but not entered is unreadable, too.
                var status = stat()
                let exists = stat(folder.path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR)
                scan.risk = exists ? .unreadable : .missing
            }
            return scan
        }
    }

    private mutating func inspectRoot(_ path: String, wasMountPoint: Bool) {
        var (status, parent) = (stat(), stat())
        guard stat(path, &status) == 0 else {
            risk = Self.isMissing(path) ? .missing : .unreadable
            return
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            risk = .missing
            return
        }
        if stat(path + "/..", &parent) == 0 { isMountPoint = status.st_dev != parent.st_dev }
        guard let listing = try? FolderListing(path) else {
            risk = .unreadable
            return
        }
        if wasMountPoint, !isMountPoint {
            risk = .unmounted
        } else if listing.invalidNames.isEmpty, listing.items.allSatisfy({ $0.name.hasPrefix(".") }) {
            risk = .empty
        }
    }

    /// Returns whether the file of a source certainly is no longer at its path. The id of a source contains
    /// no symbolic links, so a path that leads through one belongs to another source.
    static func isMissing(source id: Source.ID) -> Bool {
        let path = URL(string: id)?.path ?? id
        if isMissing(path) { return true }
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        if status.st_mode & S_IFMT == S_IFLNK { return true }
        return FileSystem.resolvedPath(path).map { $0 != path } ?? false
    }

    /// Returns whether a file certainly does not exist. If a folder above it cannot be read, it may exist.
    static func isMissing(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return errno == ENOENT || errno == ENOTDIR }
        // A folder with the name of a file means that the file was removed.
        return status.st_mode & S_IFMT == S_IFDIR
    }
}
