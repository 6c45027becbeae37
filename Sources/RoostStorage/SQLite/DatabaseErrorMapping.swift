import Foundation
import GRDB
import RoostFiles
package import RoostModel

/// Converts errors of SQLite, GRDB and the file layer into `StorageError`. All databases in the package use
/// this mapping.
package struct DatabaseErrorMapping: Sendable {
    private let path: String
    private let damageRemedy: Remedy?
    private let fullRemedy: Remedy

    package init(path: String, ifDamaged damageRemedy: Remedy? = nil, ifFull fullRemedy: Remedy = .freeSpace)
    {
        self.path = path
        self.damageRemedy = damageRemedy
        self.fullRemedy = fullRemedy
    }

    /// Returns the `StorageError` for an error of a database or file; other errors are returned unchanged.
    package func mapped(_ error: any Error) -> any Error {
        switch error {
        case let error as DatabaseError: storageError(error)
        case is RowDecodingError:
            StorageError(
                .damaged, "\(path) is damaged: a row contains a value of an unexpected type",
                underlying: error, remedy: damageRemedy)
        default: StorageError.mapping(error)
        }
    }

    package func mapping<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw mapped(error) }
    }

    package func runBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        try await BlockingWork.run { isCancelled in try mapping { try body(isCancelled) } }
    }

    private func storageError(_ error: DatabaseError) -> StorageError {
        let reason = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        let message = "\(path): \(reason)"
        if error.extendedResultCode == PageChecksums.mismatch {
            return StorageError(
                .damaged, "\(path) is damaged: the checksum of a page does not match", underlying: error,
                remedy: damageRemedy)
        }
        if error.resultCode == .SQLITE_CANTOPEN, let denial = missingPermission {
            return StorageError(denial)
        }
        if [.SQLITE_CANTOPEN, .SQLITE_IOERR].contains(error.resultCode), let folder = folderNotFile {
            return StorageError(FileError(operation: "open", path: folder, errno: EISDIR))
        }
        return switch error.resultCode {
        case .SQLITE_NOTADB:
            StorageError(
                .damaged, "\(path) is not an SQLite database", underlying: error, remedy: damageRemedy)
        case .SQLITE_CORRUPT:
            StorageError(.damaged, message, underlying: error, remedy: damageRemedy)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            StorageError(.locked, message, underlying: error, isRetryable: true, remedy: .retryLater)
        case .SQLITE_FULL:
            StorageError(
                .full,
                "\(path): the disk is full"
                    + (fullRemedy == .freeSpace ? "" : ", or the database has reached its size limit"),
                underlying: error, remedy: fullRemedy)
        case .SQLITE_CANTOPEN:
            StorageError(.inputOutput, message, underlying: error, remedy: .checkPermissions)
        case .SQLITE_READONLY, .SQLITE_PERM:
            StorageError(.readOnly, message, underlying: error, remedy: .checkPermissions)
        case .SQLITE_MISUSE:
            // GRDB reports the use of a closed connection with this code.
            StorageError(.closed, "\(path) was closed", underlying: error)
        default: StorageError(.inputOutput, message, underlying: error)
        }
    }

    /// The path of a file of the database that is a folder; `nil` if none is. SQLite reports an I/O error.
    private var folderNotFile: String? {
        ["", "-wal", "-shm"].map { path + $0 }.first { path in
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
    }

    /// The error for a file of the database that this process may not read; `nil` if it may read all of them.
    /// SQLite reports only that it cannot open the database.
    private var missingPermission: FileError? {
        for suffix in ["", "-wal", "-shm"] where faccessat(AT_FDCWD, path + suffix, R_OK, AT_EACCESS) != 0 {
            let error = FileError(operation: "read", path: path + suffix, errno: errno)
            if error.deniesPermission { return error }
        }
        return nil
    }

    /// Returns whether an error means that data is damaged, rather than that it temporarily cannot be read.
    ///
    /// `SQLITE_ERROR` is included, because a damaged schema makes valid statements invalid.
    package static func reportsDamage(_ error: any Error) -> Bool {
        switch error {
        case let error as DatabaseError where error.extendedResultCode == PageChecksums.mismatch: true
        case let error as DatabaseError:
            [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_FORMAT].contains(
                error.resultCode)
        case let error as StorageError: error.code == .damaged
        case is RowDecodingError: true
        default: false
        }
    }
}
