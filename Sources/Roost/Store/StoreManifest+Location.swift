package import Foundation

extension StoreManifest {
    static func path(in directory: URL) -> String { directory.appendingPathComponent(fileName).path }

    /// Returns the folder of the store that contains a file or folder, which need not exist, and the path
    /// relative to that folder; `nil` for a path outside of all stores. A folder does not contain itself.
    package static func store(around url: URL) -> (folder: URL, path: String)? {
        // Symbolic links can lead into the folder of a store. The end of the path need not exist.
        let components = (RecordReader.resolvedPath(url.standardizedFileURL) as NSString).pathComponents
        for count in (1..<max(1, components.count)).reversed() {
            let folder = URL(
                fileURLWithPath: NSString.path(withComponents: Array(components.prefix(count))),
                isDirectory: true)
            if isStore(folder) { return (folder, components.dropFirst(count).joined(separator: "/")) }
        }
        return nil
    }

    /// The files and folders that a store creates in its folder (Documentation/Formats.md).
    private static let ownNames: Set<String> = [
        "backups", "folders", "folders.json", "index", "lock", "lock-inside", "originals", "reembed",
        "skipped.json", "Storage", "store.json", "undo",
    ]
    private static let prefixesOfOwnNames = ["damaged-", "roost.sqlite"]

    /// Returns whether a path relative to the folder of a store is one of the store's own files or inside one
    /// of its own folders. The folder can contain other files if it is that of a project.
    package static func isOwnFile(_ path: String) -> Bool { ownName(of: path) != nil }

    /// Returns the name of the store's own file or folder that a relative path is or is inside, as the store
    /// writes it. Some file systems ignore case, so that of the path does not matter.
    static func ownName(of path: String) -> String? {
        let name = path.prefix { $0 != "/" }.lowercased()
        if let own = ownNames.first(where: { $0.lowercased() == name }) { return own }
        return prefixesOfOwnNames.contains { name.hasPrefix($0) } ? name : nil
    }

    /// Checks that a new store does not become a part of the folder of another one, where their files could
    /// conflict.
    package static func requireOutsideOfStores(_ directory: URL) throws(RoostError) {
        guard let outer = store(around: directory) else { return }
        throw RoostError(
            .configuration,
            "cannot create a store in \(directory.path): it is inside the folder of the store in "
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
