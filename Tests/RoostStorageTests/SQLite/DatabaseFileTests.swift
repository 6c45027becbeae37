import Foundation
import GRDB
import RoostModel
import RoostStorage
import TestSupport
import Testing

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

    @Test(arguments: [(DatabaseFile.Synchronous.full, 2), (.normal, 1)])
    func `a pool has the requested synchronous setting`(
        synchronous: DatabaseFile.Synchronous, expected: Int
    ) throws {
        let folder = try TemporaryFolder()
        let file = DatabaseFile(folder.url.appendingPathComponent("a.sqlite"))
        let pool = try file.openPool(Configuration(), synchronous: synchronous)
        #expect(try pool.synchronousSetting() == expected)
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
        #expect(try file.read(configuration) { try $0.tableExists("t") })
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
