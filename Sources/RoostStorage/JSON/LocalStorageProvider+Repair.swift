public import Foundation
import RoostFiles
public import RoostModel

extension LocalStorageProvider {
    /// Checks every byte of the files of a store, even if the store cannot be opened. Does not change any
    /// file.
    ///
    /// - Parameters:
    ///   - directory: The folder of the store.
    ///   - options: Options for opening the folder.
    /// - Returns: The findings, each with the effect that a repair would have. If the store is intact, none
    ///   of the findings is damage.
    /// - Throws: `StorageError`: `.inputOutput`, `.newerFormat`; `CancellationError`.
    public static func inspect(
        directory: URL, options: Options = Options()
    ) async throws -> [StorageFinding] {
        try await BlockingWork.run { isCancelled in
            try LocalFiles.mappingErrors {
                var recovery = Recovery(
                    folder: StoreFolder(directory), files: options.files, isCancelled: isCancelled)
                _ = try recovery.inspect()
                return recovery.findings
            }
        }
    }

    /// Rebuilds a damaged store from the newest intact generation and the journals after it, in a new epoch.
    ///
    /// Damaged files are not deleted but moved to a folder with the date in its name. If the store is intact,
    /// the method only removes temporary files that terminated processes left.
    ///
    /// - Atomicity: Readers find either the damaged store or the repaired one.
    /// - Parameters:
    ///   - directory: The folder of the store.
    ///   - options: Options for opening the folder.
    /// - Returns: The findings of the check, and the actions taken.
    /// - Throws: `StorageError`: `.locked`, `.inputOutput`, `.newerFormat`; `.damaged` if nothing can be
    ///   recovered; `CancellationError`. In both cases, the store is unchanged.
    public static func repair(
        directory: URL, options: Options = Options()
    ) async throws -> [StorageFinding] {
        try await BlockingWork.run { isCancelled in
            try LocalFiles.mappingErrors {
                let folder = StoreFolder(directory)
                let lock = try FileLock.acquire(
                    folder.lock(options), timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                var recovery = Recovery(folder: folder, files: options.files, isCancelled: isCancelled)
                try recovery.repair()
                return recovery.findings
            }
        }
    }
}
