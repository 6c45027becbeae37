public import Foundation
import RoostFiles
public import RoostModel

extension LocalStorageProvider {
    /// Checks every byte of a store's files, whether it can be opened or not.
    ///
    /// - Returns: what was found, with what a repair would do; no damage where the store is whole.
    /// - Throws: ``StorageError``: `.inputOutput`, `.newerFormat`.
    public static func inspect(directory: URL, options: Options = Options()) async throws -> [StorageFinding]
    {
        try await BlockingWork.run { _ in
            try LocalFiles.translating {
                var recovery = Recovery(directory: directory, files: options.files)
                _ = try recovery.inspect()
                return recovery.findings
            }
        }
    }

    /// Puts a damaged store together from what is whole: the newest good generation and the journals since,
    /// under a new epoch. What is damaged is moved into a folder with the date in its name; nothing is
    /// deleted. A store that is whole stays as it is, less what dead processes left.
    ///
    /// - Atomicity: the store is the damaged one or the mended one.
    /// - Returns: what was found and done.
    /// - Throws: ``StorageError``: `.locked`, `.inputOutput`, `.newerFormat`; `.damaged` where nothing can be
    ///   had, and nothing was changed.
    public static func repair(directory: URL, options: Options = Options()) async throws -> [StorageFinding] {
        try await BlockingWork.run { isCancelled in
            try LocalFiles.translating {
                let lockURL = options.lockURL ?? directory.appendingPathComponent("lock")
                let lock = try FileLock.acquire(
                    lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                var recovery = Recovery(directory: directory, files: options.files)
                try recovery.repair()
                return recovery.findings
            }
        }
    }
}
