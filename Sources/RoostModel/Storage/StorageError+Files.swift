import Foundation
package import RoostFiles

extension StorageError {
    /// Creates the error for a file operation that failed.
    ///
    /// The code is ``Code/full`` for a full disk, an exhausted quota or the limit of `ulimit -f`,
    /// ``Code/readOnly`` for a file system that is mounted read-only, and ``Code/inputOutput`` for every
    /// other `errno`. A missing permission is `.inputOutput` and not `.readOnly`, because reading may not be
    /// permitted either; its remedy is ``Remedy/checkPermissions``. That of a full disk is
    /// ``Remedy/freeSpace``.
    package init(_ error: FileError) {
        let code: Code =
            switch error.errno {
            case ENOSPC, EDQUOT, EFBIG: .full
            case EROFS: .readOnly
            default: .inputOutput
            }
        // The limit of `ulimit -f` is not a matter of free space.
        let isFull = error.errno == ENOSPC || error.errno == EDQUOT
        self.init(
            code, error.description, underlying: error,
            remedy: error.deniesPermission ? .checkPermissions : isFull ? .freeSpace : nil)
    }

    /// Creates the error for a lock that another process held for longer than the timeout.
    package init(_ error: LockTimeout) {
        self.init(
            .locked, "\(error); try again when that process has finished", underlying: error,
            isRetryable: true)
    }

    /// Converts an error of the file layer to a ``StorageError``, and returns every other error unchanged.
    package static func mapping(_ error: any Error) -> any Error {
        switch error {
        case let error as FileError: StorageError(error)
        case let error as LockTimeout: StorageError(error)
        default: error
        }
    }

    /// Returns the error for a file or database whose format this version does not know.
    package static func newerFormat(_ format: Int, of path: String, supported: Int) -> StorageError {
        StorageError(
            .newerFormat,
            "cannot open \(path): format \(format) is newer than this version supports (\(supported))",
            remedy: .upgradeRoost)
    }

    /// Runs `body` and rethrows its file and lock errors as ``StorageError``.
    package static func mappingFileErrors<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw mapping(error) }
    }
}
