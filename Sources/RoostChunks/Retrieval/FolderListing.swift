package import Foundation
import RoostFiles

/// Lists folders and looks up files with single system calls.
package enum FolderListing {
    /// A file or a subfolder.
    package struct Item: Sendable {
        package var name: String
        package var isFolder: Bool
    }

    /// Returns whether a regular file exists at a path. A symbolic link is not a regular file.
    ///
    /// - Throws: `FileError` if the file system cannot tell whether the file exists.
    package static func isFile(_ path: String) throws -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { return false }
            throw FileError(operation: "look up", path: path, errno: code)
        }
        return status.st_mode & S_IFMT == S_IFREG
    }

    /// Returns the regular files and subfolders of a folder. Everything else, such as symbolic links, is
    /// omitted.
    ///
    /// - Returns: An empty array if the folder does not exist.
    /// - Throws: `FileError`.
    package static func items(of folder: URL) throws -> [Item] { try items(ofPath: folder.path) }

    /// Does the same as ``items(of:)``, for a folder given as a path.
    package static func items(ofPath folder: String) throws -> [Item] {
        guard let stream = opendir(folder) else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { return [] }
            throw FileError(operation: "list", path: folder, errno: code)
        }
        defer { closedir(stream) }
        var items: [Item] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                let code = errno
                guard code == 0 else { throw FileError(operation: "list", path: folder, errno: code) }
                return items
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
            }
            guard let name, name != ".", name != ".." else { continue }
            var type = Int32(entry.pointee.d_type)
            if type == Int32(DT_UNKNOWN) {
                // Some file systems do not report the type in a directory entry.
                var status = stat()
                guard lstat(folder + "/" + name, &status) == 0 else { continue }
                let mode = status.st_mode & S_IFMT
                type = mode == S_IFDIR ? Int32(DT_DIR) : mode == S_IFREG ? Int32(DT_REG) : Int32(DT_UNKNOWN)
            }
            if type == Int32(DT_DIR) {
                items.append(Item(name: name, isFolder: true))
            } else if type == Int32(DT_REG) {
                items.append(Item(name: name, isFolder: false))
            }
        }
    }
}
