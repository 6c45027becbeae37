import Foundation
import GRDB
import RoostConversations
import RoostFiles
import RoostModel
import RoostVectors
import TestSupport
import Testing

@testable import RoostStorage

/// Tests that readers do not need the writers' lock.
@Suite(.temporaryFolders) struct LockFreeReadingTests {
    /// Calls `body` while the writers' lock is held, as by a process that was stopped during a write.
    private func whileLocked(_ url: URL, _ body: () async throws -> Void) async throws {
        let lock = try FileLock.acquire(url.appendingPathExtension("lock"), timeout: 0)
        defer { lock.release() }
        try await body()
    }

    @Test(arguments: [false, true])
    func `a store can be opened and read while a writer holds the lock`(hasLog: Bool) async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("roost.sqlite")
        let writer = try await SQLiteStorageProvider(databaseURL: url)
        try await writer.saveEntry(Entry(content: "a swift", embeddings: [1], tags: ["bird"]))
        if !hasLog { try await writer.close() }
        var options = SQLiteStorageProvider.Options()
        // A reader that waited for the lock would fail at once.
        options.lockTimeout = 0
        try await whileLocked(url) {
            let reader = try await SQLiteStorageProvider(databaseURL: url, options: options)
            #expect(try await reader.fetchEntries().map(\.content) == ["a swift"])
            let snapshot = try await reader.snapshot()
            #expect(try await snapshot.rows(matching: EntryFilter(tags: ["bird"])).count == 1)
            let error = await #expect(throws: StorageError.self) {
                try await reader.saveEntry(Entry(content: "refused", embeddings: [1]))
            }
            #expect(error?.code == .locked)
            try await reader.close()
        }
        // The same handle can write when the lock is free.
        let later = try await SQLiteStorageProvider(databaseURL: url, options: options)
        try await later.saveEntry(Entry(content: "a stork", embeddings: [1]))
        #expect(try await later.fetchEntries().count == 2)
        try await later.close()
        if hasLog { try await writer.close() }
    }

    @Test func `opening and closing a reader changes neither the database nor its log`() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("roost.sqlite")
        let writer = try await SQLiteStorageProvider(databaseURL: url)
        try await writer.saveEntry(Entry(content: "in the log", embeddings: [1]))
        func files() throws -> [String: Data] {
            try folder.files().filter { !$0.key.hasSuffix("-shm") && !$0.key.hasSuffix("lock") }
        }
        let before = try files()
        for _ in 0..<3 {
            let reader = try await SQLiteStorageProvider(databaseURL: url)
            #expect(try await reader.fetchEntries().count == 1)
            try await reader.close()
        }
        #expect(try files() == before)
        try await writer.close()
    }
}

/// Tests of databases whose numbers another program has changed. Such a number must not end the process.
@Suite(.temporaryFolders) struct ManipulatedDatabaseTests {
    private func store(after statement: String) async throws -> SQLiteStorageProvider {
        let url = try TemporaryFolder().url.appendingPathComponent("test.sqlite")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        var entry = Entry(content: "text", embeddings: [1, 0])
        entry.passages = [Passage(ordinal: 0, utf8Range: 0..<4, tokenCount: 1, vector: [1, 0])]
        try await store.saveEntry(entry)
        try await store.close()
        let queue = try DatabaseQueue(path: url.path)
        try await queue.write { try $0.execute(sql: statement) }
        try queue.close()
        return try await SQLiteStorageProvider(databaseURL: url)
    }

    private func isDamage(_ error: any Error) -> Bool { (error as? StorageError)?.code == .damaged }

    @Test(arguments: [Int64.min, -1, 0, 2])
    func `a wrong number of passages is reported`(count: Int64) async throws {
        let store = try await store(after: "UPDATE entries SET passages = \(count)")
        let snapshot = try await store.snapshot()
        await #expect(
            performing: { _ = try await snapshot.vectors(of: .passages, after: nil, limit: 10) },
            throws: isDamage)
        try await store.close()
    }
}

/// Tests of removals that a database forgets.
@Suite(.temporaryFolders) struct TombstoneTests {
    /// The dates of three removals relative to now, in days, and the removals that remain.
    ///
    /// In the last case, the clock was wrong while the first removal was made.
    @Test(
        arguments: [([-60, -50, -1], [2]), ([-1, -1, -1], [0, 1, 2]), ([4000, -60, -1], [0, 2])]
            as [([Int64], [Int])])
    func `old removals are forgotten`(days: [Int64], remaining: [Int]) async throws {
        let url = try TemporaryFolder().url.appendingPathComponent("test.sqlite")
        let entries = (0..<4).map { Entry(content: "text \($0)") }
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntries(entries)
        for entry in entries[..<3] { try await store.deleteEntry(entry.id) }
        try await store.close()
        let now = Date().milliseconds
        let queue = try DatabaseQueue(path: url.path)
        try await queue.write { database in
            for (entry, day) in zip(entries, days) {
                try database.execute(
                    sql: "UPDATE tombstones SET removed = ? WHERE id = ?",
                    arguments: [now + day * 86_400_000, Column.bytes(entry.id)])
            }
        }
        try queue.close()
        let reopened = try await SQLiteStorageProvider(databaseURL: url)
        try await reopened.saveEntry(Entry(content: "new"))
        try await reopened.close()
        let left = try DatabaseQueue(path: url.path)
        let ids = try await left.read { try Set(Data.fetchAll($0, sql: "SELECT id FROM tombstones")) }
        try left.close()
        #expect(ids == Set(remaining.map { Column.bytes(entries[$0].id) }))
    }
}

/// A process that closes any descriptor of a file loses all its POSIX locks on it, including SQLite's. The
/// next process that closes the database would then consider itself the only user and delete the write-ahead
/// log, which other processes still use.
@Suite(.temporaryFolders) struct DatabaseLockTests {
    private func isLocked(_ url: URL) throws -> Bool {
        let process = Process()
        process.executableURL = StorageWorker.tool
        process.arguments = ["is-locked", url.path]
        try TestTool.start(process)
        process.waitUntilExit()
        #expect(process.terminationStatus <= 1)
        return process.terminationStatus == 0
    }

    @Test func `opening a conversation database a second time keeps its locks`() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("c.sqlite")
        let sessions = try SQLiteSessionStorage(databasePath: url.path)
        try await sessions.saveSession(id: "a", firstMessage: "x")
        #expect(try isLocked(url))
        let chats = try SQLiteChatStorage(databasePath: url.path)
        #expect(try await chats.fetchAllChats(userId: "u", sessionId: "s").isEmpty)
        _ = try SQLiteSessionStorage(existing: url)
        #expect(try isLocked(url))
        #expect(try await sessions.getAllSessions().count == 1)
    }

    @Test func `opening and inspecting a store a second time keeps its locks`() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("roost.sqlite")
        let first = try await SQLiteStorageProvider(databaseURL: url)
        try await first.saveEntry(Entry(content: "one", embeddings: [1, 0]))
        #expect(try isLocked(url))
        let second = try await SQLiteStorageProvider(databaseURL: url)
        #expect(try isLocked(url))
        #expect(
            try await SQLiteStorageProvider.inspect(databaseURL: url).allSatisfy { $0.severity != .damage })
        #expect(try isLocked(url))
        #expect(try await second.fetchEntries().count == 1)
        try await second.close()
        #expect(try isLocked(url))
        #expect(try await first.fetchEntries().count == 1)
        try await first.close()
    }
}
