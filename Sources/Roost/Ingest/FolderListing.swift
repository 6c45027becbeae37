import Foundation

/// The names of the files and folders in a folder.
struct FolderListing {
    /// The names in ascending order, without `.` and `..`.
    private(set) var names: [String] = []
    /// The names that are not valid UTF-8, with the invalid bytes replaced.
    private(set) var invalidNames: [String] = []

    /// Reads the names in a folder; `nil` if the folder cannot be read.
    init?(_ path: String) {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        while true {
            errno = 0
            guard let entry = readdir(folder) else { break }
            let (name, isValid) = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { bytes in
                    String(validatingCString: bytes).map { ($0, true) } ?? (String(cString: bytes), false)
                }
            }
            guard isValid else {
                invalidNames.append(name)
                continue
            }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { return nil }
        names.sort()
        invalidNames.sort()
    }
}
