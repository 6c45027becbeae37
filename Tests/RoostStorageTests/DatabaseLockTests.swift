import Foundation
import RoostConversations
import RoostModel
import RoostStorage
import TestSupport
import Testing

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
