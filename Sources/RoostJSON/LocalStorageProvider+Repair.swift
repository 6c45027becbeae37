public import Foundation
import RoostFiles
public import RoostModel

extension LocalStorageProvider {
    /// Checks every byte of a store's files, also of a store that cannot be opened. Reads only.
    ///
    /// - Parameters:
    ///   - directory: The folder of the store.
    ///   - options: Options for opening the folder.
    /// - Returns: The findings, each with the effect of a repair. None of them is damage if the store is
    ///   intact.
    /// - Throws: `StorageError`: `.inputOutput`, `.newerFormat`.
    public static func inspect(
        directory: URL, options: Options = Options()
    ) async throws -> [StorageFinding] {
        try await BlockingWork.run { _ in
            try LocalFiles.mappingErrors {
                var recovery = Recovery(folder: StoreFolder(directory), files: options.files)
                _ = try recovery.inspect()
                return recovery.findings
            }
        }
    }

    /// Rebuilds a damaged store from the newest intact generation and the journals after it, in a new epoch.
    ///
    /// Damaged files are moved to a folder with the date in its name; nothing is deleted. In an intact store,
    /// only the files that terminated processes left are removed.
    ///
    /// - Atomicity: Readers find the damaged store or the repaired one.
    /// - Parameters:
    ///   - directory: The folder of the store.
    ///   - options: Options for opening the folder.
    /// - Returns: The findings and the actions.
    /// - Throws: `StorageError`: `.locked`, `.inputOutput`, `.newerFormat`; `.damaged` if nothing can be
    ///   recovered. The store is then unchanged.
    public static func repair(
        directory: URL, options: Options = Options()
    ) async throws -> [StorageFinding] {
        try await BlockingWork.run { isCancelled in
            try LocalFiles.mappingErrors {
                let folder = StoreFolder(directory)
                let lock = try FileLock.acquire(
                    folder.lock(options), timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                var recovery = Recovery(folder: folder, files: options.files)
                try recovery.repair()
                return recovery.findings
            }
        }
    }
}
