package import Foundation
import RoostFiles

extension StoreManifest {
    /// Returns the folder of the store that contains a file or folder, which need not exist, and the path
    /// relative to that folder; `nil` for a path outside of all stores. A folder does not contain itself.
    package static func store(around url: URL) -> (folder: URL, path: String)? {
        // Symbolic links can lead into the folder of a store. The end of the path need not exist.
        var existing = url.standardizedFileURL.path
        var components: [String] = []
        while existing != "/", FileSystem.resolvedPath(existing) == nil {
            components.insert((existing as NSString).lastPathComponent, at: 0)
            existing = (existing as NSString).deletingLastPathComponent
        }
        components = ((FileSystem.resolvedPath(existing) ?? existing) as NSString).pathComponents + components
        for count in (1..<max(1, components.count)).reversed() {
            let folder = URL(
                fileURLWithPath: NSString.path(withComponents: Array(components.prefix(count))),
                isDirectory: true)
            if isStore(folder) { return (folder, components.dropFirst(count).joined(separator: "/")) }
        }
        return nil
    }

    /// Checks that a new store does not become a part of the folder of another one, where their files could
    /// conflict.
    ///
    /// - Throws: ``RoostError`` with `.configuration`.
    package static func requireOutsideOfStores(_ directory: URL) throws(RoostError) {
        guard let outer = store(around: directory) else { return }
        throw RoostError(
            .configuration,
            "cannot create a store in \(directory.path): this is inside the folder of the store in "
                + "\(outer.folder.path); name another folder")
    }

    /// Returns whether a folder contains a valid manifest. Other programs also create files with its name.
    private static func isStore(_ folder: URL) -> Bool {
        do {
            _ = try read(in: folder)
            return true
        } catch {
            return (error as? RoostError)?.code == .newerFormat
        }
    }
}
