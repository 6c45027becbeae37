import Foundation
import Roost

extension Entry {
    /// The path for `--format paths`, relative to the current folder if the file is in it; `nil` if the entry
    /// did not come from a file.
    var listedPath: String? { sourcePath.map { _ in displayPath } }

    /// The source in readable form: a relative path for files below the current folder.
    var displayPath: String {
        guard let path = sourcePath else { return source ?? "-" }
        let here = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
    }
}
