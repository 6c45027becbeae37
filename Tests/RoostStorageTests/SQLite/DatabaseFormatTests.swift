import Foundation
import GRDB
import RoostModel
import TestSupport
import Testing

@testable import RoostStorage

@Suite(.temporaryFolders) struct DatabaseFormatTests {
    @Test func `a database of a later format is refused and not changed`() async throws {
        let url = try TemporaryFolder().url.appendingPathComponent("roost.sqlite")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntry(Entry(content: "a note"))
        _ = try await store.writing { database in
            try database.execute(sql: "UPDATE meta SET value = '2' WHERE key = 'format'")
            try Meta.seal(database)
        }
        let open = await #expect(throws: StorageError.self) {
            try await store.saveEntry(Entry(content: "after the change"))
        }
        #expect(open?.code == .newerFormat)
        try await store.close()
        let before = try Data(contentsOf: url)
        let error = await #expect(throws: StorageError.self) {
            try await SQLiteStorageProvider(databaseURL: url)
        }
        #expect(error?.code == .newerFormat && error?.remedy == .upgradeRoost)
        #expect(error?.message.contains("format 2 is newer than this version supports (1)") == true)
        await #expect(throws: StorageError.self) { try await SQLiteStorageProvider.repair(databaseURL: url) }
        #expect(try Data(contentsOf: url) == before)
    }

    @Test func `a commit between the reads of the mark and of the database is not damage`() async throws {
        let url = try TemporaryFolder().url.appendingPathComponent("roost.sqlite")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntry(Entry(content: "a note"))
        func lost(_ afterRead: (Meta) -> Void) throws -> Bool {
            try RevisionMark.lost(by: url.path) {
                let meta = try store.connections.readers.read { try Meta($0) }
                afterRead(meta)
                return meta
            } != nil
        }
        let isLost = try lost { meta in
            RevisionMark(epoch: meta.epoch, revision: meta.revision.next).write(of: url.path)
        }
        #expect(!isLost)
        // The mark states a commit that the database does not have.
        #expect(try lost { _ in })
        try await store.close()
    }

    @Test func `only the connections that request it treat a file as immutable`() async throws {
        let url = try TemporaryFolder().url.appendingPathComponent("roost.sqlite")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntry(Entry(content: "in the file", embeddings: [1]))
        try await store.compact()
        try await store.saveEntry(Entry(content: "in the log", embeddings: [1]))
        let configuration = SQLiteStorageProvider.configuration(SQLiteStorageProvider.Options())
        func count(_ file: DatabaseFile) throws -> Int {
            let readers = try file.openReaders(configuration)
            let count = try readers.read { try Meta($0).entryCount }
            try readers.close()
            return count
        }
        let immutable = try DatabaseFile(url, isImmutable: true).openReaders(configuration)
        #expect(try await immutable.read { try Meta($0).entryCount } == 1)
        #expect(try count(DatabaseFile(url)) == 2)
        // A new file with the same path, or the same inode, is not affected either.
        try await store.close()
        for suffix in ["", "-wal", "-shm", "-mark"] { unlink(url.path + suffix) }
        try immutable.close()
        let other = try await SQLiteStorageProvider(databaseURL: url)
        for _ in 0..<3 { try await other.saveEntry(Entry(content: "new", embeddings: [1])) }
        #expect(try count(DatabaseFile(url)) == 3)
        try await other.close()
    }
}
