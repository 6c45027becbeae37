import ArgumentParser
import Foundation
import Roost
import RoostConversations

struct SessionImport {
    /// The beginning of every SQLite database (https://www.sqlite.org/fileformat.html).
    private static let databaseHeader = Data("SQLite format 3\u{0}".utf8)

    let path: String
    let user: String
    let agent: String

    /// The JSON output.
    private struct Document: Encodable {
        var sessions = 0
        var new = 0
        var known = 0
        var omitted = 0
        /// The number of skipped sessions that cannot be read completely.
        var unreadable = 0
    }

    /// Returns whether a path names a folder or a database, and not a transcript.
    static func isStorage(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        guard path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return false
        }
        return isFolder.boolValue || isDatabase(path)
    }

    /// Returns whether a file is a SQLite database. Nothing is read from a pipe.
    static func isDatabase(_ path: String) -> Bool {
        guard path != "-", FileStatus(path)?.isRegular == true,
            let file = FileHandle(forReadingAtPath: path)
        else { return false }
        return (try? file.read(upToCount: databaseHeader.count)) == databaseHeader
    }

    /// Imports the sessions and prints the result.
    func run(_ options: StoreOptions, asJSON: Bool) async throws {
        let storage = try SQLiteSessionStorage(existing: URL(fileURLWithPath: path)) { damage in
            Terminal.error(
                "skipped an unreadable session: \(Terminal.line(damage.location, limit: 300))")
        }
        let sessions = try await storage.getAllSessions()
        let store = try await options.openOrCreate()
        let memory = ConversationMemory(store)
        var document = Document(sessions: sessions.count)
        document.unreadable = try await storage.damage().count
        for session in sessions.reversed() {
            let report = try await memory.remember(
                session, userId: user, agentId: agent, batchSize: ChatCommand.ImportChats.batchSize)
            document.new += report.messages.new
            document.known += report.messages.known
            document.omitted += report.omitted
        }
        if document.new > 0 { await options.refreshIndex(of: store) }
        try await store.close()
        if asJSON {
            try Terminal.json(document)
        } else {
            Terminal.write(
                "\(Count.text(document.new, "new message")), \(document.known) known, "
                    + "in \(Count.text(sessions.count, "session"))")
            if document.omitted > 0 {
                let omitted = Count.text(document.omitted, "thought or tool call", "thoughts and tool calls")
                options.note("omitted \(omitted)")
            }
        }
        guard document.unreadable == 0 else {
            throw RoostError(
                .badInput,
                "skipped \(Count.text(document.unreadable, "session")) that cannot be read completely")
        }
    }
}
