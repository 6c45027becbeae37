package import Foundation
import RoostFiles

/// What is in a folder, in one pass.
package enum FolderListing {
    package struct Item: Sendable {
        package var name: String
        package var isFolder: Bool
    }

    /// Whether there is a file; a symbolic link is none.
    ///
    /// - Throws: ``FileError`` where that cannot be told.
    package static func isFile(_ path: String) throws -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { return false }
            throw FileError(operation: "look for", path: path, errno: code)
        }
        return status.st_mode & S_IFMT == S_IFREG
    }

    /// - Returns: nothing for a folder that is not there. Symbolic links and other things that are neither
    ///   files nor folders are left out.
    /// - Throws: ``FileError``.
    package static func items(of folder: URL) throws -> [Item] { try items(ofPath: folder.path) }

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
                // Some file systems do not say it here.
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
