import CRoostSQLite
import Foundation
import GRDB

/// The present row of a statement's result. It is valid until the next row is read or the cursor ends, so it is only
/// fetched with a cursor.
///
/// GRDB's `Row` collects the names of the columns each time that a statement runs, which takes a fifth of the time to
/// read an entry by its id, and copies BLOBs.
struct ResultRow: DatabaseValueConvertible, StatementColumnConvertible {
    private let statement: SQLiteStatement

    init(sqliteStatement: SQLiteStatement, index: CInt) { statement = sqliteStatement }

    static func fromStatement(_ statement: SQLiteStatement, atUncheckedIndex index: CInt) -> ResultRow? {
        ResultRow(sqliteStatement: statement, index: index)
    }

    // Only a statement has rows.
    var databaseValue: DatabaseValue { .null }
    static func fromDatabaseValue(_ value: DatabaseValue) -> ResultRow? { nil }

    /// Returns the value of a column.
    ///
    /// - Throws: `StorageError` if the column contains NULL instead of a value, or a number that is out of range.
    func value<Value: StatementColumnConvertible>(_ index: Int) throws -> Value {
        guard let value = Value.fromStatement(statement, atUncheckedIndex: CInt(index)) else {
            throw Column.damaged("an unexpected value in a column")
        }
        return value
    }

    /// Returns the bytes of a text or BLOB, without copying them; `nil` for NULL.
    func bytesIfPresent(_ index: Int) -> UnsafeRawBufferPointer? {
        guard sqlite3_column_type(statement, CInt(index)) != SQLITE_NULL else { return nil }
        // SQLite determines the number after it has converted the value to a BLOB.
        let start = sqlite3_column_blob(statement, CInt(index))
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, CInt(index))))
    }

    /// Returns the bytes of a text or BLOB that must not be NULL, without copying them.
    func bytes(_ index: Int) throws -> UnsafeRawBufferPointer {
        guard let bytes = bytesIfPresent(index) else {
            throw Column.damaged("an unexpected value in a column")
        }
        return bytes
    }
}
