import Foundation
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
