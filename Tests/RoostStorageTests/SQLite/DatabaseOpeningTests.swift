import Foundation
import RoostModel
import RoostStorage
import TestSupport
import Testing

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
        #expect(try await store.synchronousSetting() == expected)
        try await store.close()
    }
}
