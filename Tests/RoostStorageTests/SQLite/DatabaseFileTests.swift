import Foundation
import GRDB
import RoostConversations
import RoostFiles
import RoostModel
import TestSupport
import Testing

@testable import RoostStorage

@Suite(.temporaryFolders) struct DatabaseFileTests {
    @Test func `only the owner can read a created file and its log`() throws {
        let folder = try TemporaryFolder()
        let file = DatabaseFile(folder.url.appendingPathComponent("a.sqlite"))
        #expect(try file.size() == nil)
        try file.create()
        #expect(try file.size() == 0)
        let pool = try file.openPool(Configuration())
        try pool.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        for path in [file.url.path, file.url.path + "-wal"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600, "\(path)")
        }
        let size = try #require(try file.size())
        try file.create()
        #expect(try file.size() == size)
        try pool.close()
    }

    @Test func `the log stays when a database is closed, unless a checkpoint is enabled`() throws {
        let folder = try TemporaryFolder()
        let file = DatabaseFile(folder.url.appendingPathComponent("a.sqlite"))
        var configuration = Configuration()
        configuration.prepareDatabase { try WriteAheadLog.disableImplicitCheckpoints($0) }
        var pool = try file.openPool(configuration)
        try pool.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        try pool.close()
        #expect(WriteAheadLog.size(ofDatabase: file.url.path) > 0)
        pool = try file.openPool(configuration)
        try pool.writeWithoutTransaction { database in
            try WriteAheadLog.empty(database)
            try WriteAheadLog.enableCheckpointOnClose(database)
        }
        #expect(WriteAheadLog.size(ofDatabase: file.url.path) == 0)
        try pool.close()
        #expect(!FileManager.default.fileExists(atPath: file.url.path + "-wal"))
        #expect(try file.openReadOnly(configuration).read { try $0.tableExists("t") })
    }

    @Test func `a database with an unknown migration is of a newer version`() throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { _ in }
        try migrator.check(applied: [], path: "/a")
        try migrator.check(applied: ["1"], path: "/a")
        let error = #expect(throws: StorageError.self) {
            try migrator.check(applied: ["1", "2"], path: "/a")
        }
        #expect(error?.code == .newerFormat && error?.remedy == .upgradeRoost)
    }
}

@Suite(.temporaryFolders) struct DatabaseOpeningTests {
    @Test(arguments: [false, true])
    func `a database that was lost is not created again next to its log`(hasEmptyFile: Bool) async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("roost.sqlite")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntry(Entry(content: "kept", embeddings: [1]))
        let log = try Data(contentsOf: URL(fileURLWithPath: url.path + "-wal"))
        let copy = folder.url.appendingPathComponent("copy")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        let lost = copy.appendingPathComponent("roost.sqlite")
        try log.write(to: URL(fileURLWithPath: lost.path + "-wal"))
        if hasEmptyFile { try Data().write(to: lost) }
        let error = await #expect(throws: StorageError.self) {
            try await SQLiteStorageProvider(databaseURL: lost)
        }
        #expect(error?.code == .damaged && error?.remedy == .restoreBackup)
        #expect(try Data(contentsOf: URL(fileURLWithPath: lost.path + "-wal")) == log)
        try await store.close()
    }

    @Test(arguments: [(SQLiteStorageProvider.Durability.full, 2), (.normal, 1)])
    func `commits are synchronized as the options request`(
        durability: SQLiteStorageProvider.Durability, expected: Int
    ) async throws {
        let folder = try TemporaryFolder()
        var options = SQLiteStorageProvider.Options()
        options.durability = durability
        let store = try await SQLiteStorageProvider(
            databaseURL: folder.url.appendingPathComponent("roost.sqlite"), options: options)
        #expect(try store.connections.openedWriter().synchronousSetting() == expected)
        try await store.close()
    }
}

/// Tests of long calls that are canceled.
@Suite(.temporaryFolders) struct DatabaseCancellationTests {
    @Test func `A canceled vacuum changes nothing, and a later one succeeds`() throws {
        let path = try TemporaryFolder().url.appendingPathComponent("test.sqlite").path
        let pool = try DatabasePool(path: path)
        defer { try? pool.close() }
        try pool.write { database in
            try database.execute(sql: "CREATE TABLE numbers (number INTEGER, text TEXT)")
            for number in 0..<20_000 {
                try database.execute(
                    sql: "INSERT INTO numbers VALUES (?, ?)", arguments: [number, "text \(number)"])
            }
            try database.execute(sql: "DELETE FROM numbers WHERE number >= 10000")
        }
        #expect(throws: CancellationError.self) { try pool.vacuum(isCancelled: { true }) }
        func count() throws -> Int? {
            try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM numbers") }
        }
        func freePages() throws -> Int? {
            try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA freelist_count") }
        }
        #expect(try count() == 10_000)
        #expect(try freePages() ?? 0 > 0)
        try pool.vacuum(isCancelled: { false })
        #expect(try count() == 10_000 && freePages() == 0)
    }

    @Test func `An inspection can be canceled while it reads a table`() async throws {
        let url = try TemporaryFolder().url.appendingPathComponent("test.sqlite")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntries((0..<5000).map { Entry(content: "text \($0)", tags: ["t"]) })
        try await store.close()
        let inspection = DatabaseInspection(DatabaseFile(url), .init(), reportingAs: url.path)
        var calls = 0
        #expect(try inspection.run { false }.allSatisfy { $0.severity == .note })
        #expect(throws: CancellationError.self) {
            try inspection.run {
                calls += 1
                // There are fewer checks, so one of them is interrupted.
                return calls > 30
            }
        }
    }
}

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
