import Foundation
package import RoostFiles

extension StorageError {
    /// Creates the error that reports a refused file operation.
    ///
    /// A full disk or an exhausted quota becomes ``Code/full``, a file system that is mounted read-only
    /// becomes ``Code/readOnly``, and every other `errno` becomes ``Code/inputOutput``. A missing
    /// permission is `.inputOutput` as well, because it can also concern reading.
    package init(_ error: FileError) {
        let code: Code =
            switch error.errno {
            case ENOSPC, EDQUOT: .full
            case EROFS: .readOnly
            default: .inputOutput
            }
        self.init(code, error.description, underlying: error)
    }

    /// Creates the error that reports a lock that another process held for longer than the timeout.
    package init(_ error: LockTimeout) {
        self.init(
            .locked, "\(error); try again when that process has finished", underlying: error,
            isRetryable: true)
    }

    /// Returns the ``StorageError`` for an error of the file layer, and every other error unchanged.
    package static func mapping(_ error: any Error) -> any Error {
        switch error {
        case let error as FileError: StorageError(error)
        case let error as LockTimeout: StorageError(error)
        default: error
        }
    }

    /// Runs `body` and throws its file and lock errors as ``StorageError``.
    package static func mappingFileErrors<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw mapping(error) }
    }
}
