import Foundation

package struct FolderListing: Sendable {
    package struct Item: Sendable {
        /// The type of an item. Links are not followed.
        package enum Kind: Sendable {
            case file, folder
            /// A symbolic link, a pipe, or another special file.
            case other
        }

        package let name: String
        package let kind: Kind
    }

    /// The items, without `.` and `..`, in the order of the file system.
    package private(set) var items: [Item] = []
    /// The names that are not valid UTF-8, with the invalid bytes replaced. ``items`` does not include them.
    package private(set) var invalidNames: [String] = []

    package init(_ folder: String) throws {
        guard let stream = opendir(folder) else { throw FileError.last("list", folder) }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw FileError.last("list", folder) }
                return
            }
            let (name, isValid) = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { bytes in
                    String(validatingCString: bytes).map { ($0, true) } ?? (String(cString: bytes), false)
                }
            }
            guard isValid else {
                invalidNames.append(name)
                continue
            }
            guard name != ".", name != "..",
                let kind = Item.Kind(entry.pointee.d_type, at: folder + "/" + name)
            else { continue }
            items.append(Item(name: name, kind: kind))
        }
    }
}

extension FolderListing.Item.Kind {
    /// Creates the type that a directory entry states; `nil` if the item no longer exists.
    fileprivate init?(_ type: UInt8, at path: String) {
        switch Int32(type) {
        case Int32(DT_REG): self = .file
        case Int32(DT_DIR): self = .folder
        case Int32(DT_UNKNOWN):
            // Some file systems do not report the type in a directory entry.
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            switch status.st_mode & S_IFMT {
            case S_IFREG: self = .file
            case S_IFDIR: self = .folder
            default: self = .other
            }
        default: self = .other
        }
    }
}
