import Foundation
import GRDB
import RoostConversations
import RoostFiles
import RoostModel
import RoostStorage
import TestSupport
import Testing

@Suite(.temporaryFolders) struct DatabaseErrorMappingTests {
    private let mapping = DatabaseErrorMapping(
        path: "/a/b.sqlite", ifDamaged: .inspectStore, ifFull: .compactOrRaiseSizeLimit)

    @Test(arguments: [
        (ResultCode.SQLITE_NOTADB, StorageError.Code.damaged, Remedy.inspectStore as Remedy?),
        (.SQLITE_CORRUPT, .damaged, .inspectStore), (.SQLITE_BUSY, .locked, .retryLater),
        (.SQLITE_LOCKED, .locked, .retryLater), (.SQLITE_FULL, .full, .compactOrRaiseSizeLimit),
        (.SQLITE_READONLY, .readOnly, .checkPermissions), (.SQLITE_PERM, .readOnly, .checkPermissions),
        (.SQLITE_MISUSE, .closed, nil), (.SQLITE_IOERR, .inputOutput, nil),
        (.SQLITE_CANTOPEN, .inputOutput, .checkPermissions),
    ])
    func `an SQLite error becomes the storage error of its cause`(
        result: ResultCode, code: StorageError.Code, remedy: Remedy?
    ) throws {
        let cause = DatabaseError(resultCode: result, message: "reason")
        let error = try #require(mapping.mapped(cause) as? StorageError)
        #expect(error.code == code && error.remedy == remedy)
        #expect(error.isRetryable == (code == .locked))
        #expect(error.message.contains("/a/b.sqlite"))
        #expect((error.underlying as? DatabaseError)?.resultCode == result)
    }

    @Test func `only a database with a size limit can have reached it`() {
        let cause = DatabaseError(resultCode: .SQLITE_FULL)
        let error = DatabaseErrorMapping(path: "/a/b.sqlite").mapped(cause) as? StorageError
        #expect(error?.message == "/a/b.sqlite: the disk is full" && error?.remedy == .freeSpace)
        let limited = mapping.mapped(cause) as? StorageError
        #expect(
            limited?.message == "/a/b.sqlite: the disk is full, or the database has reached its size limit")
    }

    @Test func `errors of the file layer and other errors are mapped in the same way`() {
        let full = mapping.mapped(FileError(operation: "write", path: "/a", errno: ENOSPC)) as? StorageError
        #expect(full?.code == .full)
        #expect(mapping.mapped(CancellationError()) is CancellationError)
    }

    @Test func `a write to a database that is open for reading throws readOnly`() throws {
        let folder = try TemporaryFolder()
        let file = DatabaseFile(folder.url.appendingPathComponent("a.sqlite"))
        try file.openPool(Configuration()).close()
        let queue = try file.openReadOnly(Configuration())
        let error = #expect(throws: StorageError.self) {
            try DatabaseErrorMapping(path: file.url.path).mapping {
                try queue.write { try $0.execute(sql: "CREATE TABLE t (x)") }
            }
        }
        #expect(error?.code == .readOnly)
    }

    @Test func `a file that is not a database is damaged for stores and for conversations`() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("a.sqlite")
        try Data(String(repeating: "not a database ", count: 100).utf8).write(to: url)
        let ofStore = await #expect(throws: StorageError.self) {
            try await SQLiteStorageProvider(databaseURL: url)
        }
        let ofConversations = #expect(throws: StorageError.self) {
            try SQLiteSessionStorage(databasePath: url.path)
        }
        #expect(ofStore?.code == .damaged && ofConversations?.code == .damaged)
        #expect(ofStore?.message == ofConversations?.message)
    }

    @Test func `damage is distinguished from other failures to read`() {
        #expect(DatabaseErrorMapping.reportsDamage(DatabaseError(resultCode: .SQLITE_CORRUPT)))
        #expect(DatabaseErrorMapping.reportsDamage(StorageError(.damaged, "damaged")))
        #expect(!DatabaseErrorMapping.reportsDamage(DatabaseError(resultCode: .SQLITE_IOERR)))
        #expect(!DatabaseErrorMapping.reportsDamage(StorageError(.locked, "locked")))
        #expect(!DatabaseErrorMapping.reportsDamage(CancellationError()))
    }
}
