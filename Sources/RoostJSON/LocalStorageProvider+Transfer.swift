package import Foundation
import RoostFiles
package import RoostModel

/// Transfers a complete store to or from another provider, including its rows, revisions and tombstones.
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

    /// Returns the state of the store. Entries that are not in memory are read on demand.
    package func transferableState() async throws -> StoreState { try await local.currentState() }

    /// Writes a state into a folder that does not contain a store. Replaces the files that an interrupted
    /// call has left.
    ///
    /// - Parameter progress: Receives the number of entries written so far, every few megabytes.
    /// - Atomicity: The rename of `CURRENT` is the commit point.
    /// - Throws: `StorageError`. In that case, the folder does not contain a store, unless only a step after
    ///   the commit point failed; the store is then complete, but its published copies may be missing.
    package static func fill(
        directory: URL, options: Options, from state: StoreState,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws {
        try await BlockingWork.run { isCancelled in
            try LocalFiles.mappingErrors {
                let folder = StoreFolder(directory)
                try options.files.createFolder(directory)
                let lock = try FileLock.acquire(
                    folder.lock(options), timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                guard try StoreFolder.contents(of: folder.current) == nil else {
                    throw FileError(operation: "write a store to", path: directory.path, errno: EEXIST)
                }
                let generation = try Generation.write(
                    state, number: 1, in: folder, from: nil, files: options.files,
                    isCancelled: isCancelled, progress: progress)
                if isCancelled() { throw CancellationError() }
                try AtomicFile.write(try generation.encoded(), to: folder.current, files: options.files)
                CommitMark(generation: 1, length: 0).write(to: folder, options.files)
                for name in [Generation.entriesFile, Generation.clustersFile] {
                    let source = folder.generation(1).appendingPathComponent(name)
                    try AtomicFile.copy(source, to: folder.file(name), files: options.files)
                }
            }
        }
    }
}
