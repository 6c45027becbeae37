package import Foundation

extension LocalStorageProvider {
    /// Returns the total size of the current generation and its journal in bytes, or 0 if they cannot be
    /// read.
    package static func presentSize(of directory: URL) -> Int {
        let folder = StoreFolder(directory)
        let current = folder.current
        guard let data = try? StoreFolder.contents(of: current),
            let generation = try? Generation.decoded(data, path: current.path)
        else { return 0 }
        let journal = folder.journal(generation.number).path
        let attributes = try? FileManager.default.attributesOfItem(atPath: journal)
        return generation.size + ((attributes?[.size] as? Int) ?? 0)
    }

    /// Returns whether a folder contains a store, or files of another program that would be read as one.
    package static func hasContents(in directory: URL) -> Bool {
        // A folder that may not be listed can contain a store: opening it then reports the missing
        // permission.
        if access(directory.path, R_OK | X_OK) != 0, errno == EACCES { return true }
        let folder = StoreFolder(directory)
        let names = [folder.current.lastPathComponent, Generation.entriesFile, Generation.clustersFile]
        return folder.hasHistory || !Set(folder.names).isDisjoint(with: names)
    }
}
