import CRoostSQLite
import GRDB

extension Database {
    /// The number of instructions of SQLite's virtual machine between two checks: a few milliseconds of work.
    private static var instructionsPerCheck: Int32 { 20_000 }

    /// Runs `body`, and lets SQLite end its statements when the task is canceled.
    ///
    /// - Throws: `CancellationError`; the errors of `body`.
    func withCancellation<Value>(
        checking isCancelled: () -> Bool, _ body: () throws -> Value
    ) throws -> Value {
        try withoutActuallyEscaping(isCancelled) { isCancelled in
            let check = CancellationCheck(isCancelled: isCancelled)
            sqlite3_progress_handler(
                sqliteConnection, Self.instructionsPerCheck,
                { context in
                    guard let context else { return 0 }
                    let check = Unmanaged<CancellationCheck>.fromOpaque(context).takeUnretainedValue()
                    return check.isCancelled() ? 1 : 0
                }, Unmanaged.passUnretained(check).toOpaque())
            defer {
                sqlite3_progress_handler(sqliteConnection, 0, nil, nil)
                withExtendedLifetime(check) {}
            }
            do {
                return try body()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
                throw CancellationError()
            }
        }
    }

    /// A check that a callback of SQLite can refer to.
    private final class CancellationCheck {
        let isCancelled: () -> Bool

        init(isCancelled: @escaping () -> Bool) {
            self.isCancelled = isCancelled
        }
    }
}

extension DatabasePool {
    /// Frees the space of removed rows by copying all rows. Other writers wait until this is done.
    ///
    /// - Parameter isCancelled: Whether to stop. It is called while rows are copied, but no longer while the
    ///   copy replaces the database.
    /// - Throws: `CancellationError`; `DatabaseError`. In both cases, the database is unchanged.
    func vacuum(isCancelled: () -> Bool) throws {
        try writeWithoutTransaction { database in
            try database.withCancellation(checking: isCancelled) { try database.execute(sql: "VACUUM") }
        }
    }
}
