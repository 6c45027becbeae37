package import Foundation
import RoostConversations
package import RoostFiles

/// A fixed sequence of changes of conversations. A child process makes the changes and is killed at some
/// step. The test knows the expected contents after each change.
package struct ConversationWorkload: Sendable {
    package enum Backend: String, Sendable, CaseIterable {
        case fileHistories = "file-histories"
        case databaseHistories = "database-histories"
        case databaseSessions = "database-sessions"

        package var isDatabase: Bool { self == .databaseHistories || self == .databaseSessions }
    }

    /// The contents of a storage: the name of each history or session, and its texts.
    package typealias State = [String: [String]]

    private enum Storage: Sendable {
        case histories(any ChatStorage)
        case sessions(any SessionStorageProtocol & Sendable)
    }

    private let storage: Storage

    package init(_ backend: Backend, in folder: URL, files: FileSystem = .standard) throws {
        let path = folder.appendingPathComponent("conversations.sqlite").path
        let directory = folder.appendingPathComponent("conversations")
        storage =
            switch backend {
            case .fileHistories: .histories(FileChatStorage(directory: directory, files: files))
            case .databaseHistories: .histories(try SQLiteChatStorage(databasePath: path))
            case .databaseSessions: .sessions(try SQLiteSessionStorage(databasePath: path))
            }
    }

    package static let count = 330

    /// Makes a change.
    ///
    /// - Parameter number: The index of the change. Each is made once, in ascending order.
    package func perform(_ number: Int) async throws {
        switch storage {
        case .histories(let storage):
            // One history keeps all messages. The other keeps only the latest messages, so its file is rewritten.
            let isWhole = number % 10 == 0
            try await storage.saveMessages(
                [
                    ConversationMessage(role: .user, content: "q\(number)"),
                    ConversationMessage(role: .assistant, content: "a\(number)"),
                ], userId: "u", sessionId: isWhole ? "whole" : "window", agentId: "a",
                maxMessages: isWhole ? nil : 6)
        case .sessions(let storage):
            let id = "session \(number / 11)"
            let message = ChatMessage(role: .user, content: "\(number)")
            switch number % 11 {
            case 0: try await storage.saveSession(id: id, firstMessage: "\(number)")
            case 4: try await storage.updateSessionMessages(id: id, messages: [message, message])
            case 7: try await storage.updateSessionId(oldId: id, newId: id + " renamed")
            case 8: try await storage.updateLastAccessed(id: id + " renamed")
            case 9 where number % 2 == 0: try await storage.deleteSession(id: id + " renamed")
            case 9: try await storage.updateSessionId(oldId: id + " renamed", newId: id)
            case 10:
                let date = Date(timeIntervalSince1970: 1_700_000_000)
                try await storage.importSession(
                    StoredSession(
                        id: id, createdAt: date, firstUserMessage: "\(number)", lastAccessedAt: date,
                        messages: [message]))
            default: try await storage.appendSessionMessages(id: id, messages: [message, message])
            }
        }
    }

    /// Adds a question and an answer with the same text to the conversation that all processes share.
    package func addPair(_ text: String) async throws {
        switch storage {
        case .histories(let storage):
            try await storage.saveMessages(
                [
                    ConversationMessage(role: .user, content: text),
                    ConversationMessage(role: .assistant, content: text),
                ], userId: "u", sessionId: "whole", agentId: "a", maxMessages: nil)
        case .sessions(let storage):
            try await storage.saveSession(id: "shared", firstMessage: "")
            try await storage.appendSessionMessages(
                id: "shared",
                messages: [
                    ChatMessage(role: .user, content: text), ChatMessage(role: .assistant, content: text),
                ])
        }
    }

    /// Returns the texts that ``addPair(_:)`` added, each twice.
    package func pairs() async throws -> [String] {
        let state = try await state()
        return state["whole"] ?? state["shared"].map { Array($0.dropFirst()) } ?? []
    }

    package func state() async throws -> State {
        switch storage {
        case .histories(let storage):
            var state = State()
            for session in ["whole", "window"] {
                let found = try await storage.fetch(
                    userId: "u", sessionId: session, agentId: "a", maxMessages: nil)
                if !found.isEmpty { state[session] = found.map(\.content) }
            }
            return state
        case .sessions(let storage):
            let sessions = try await storage.getAllSessions()
            let texts = sessions.map { ($0.id, [$0.firstUserMessage] + $0.messages.map(\.content)) }
            return State(texts) { first, _ in first + ["twice"] }
        }
    }

    /// Returns the contents before the first change and after each change.
    package static func expected(_ backend: Backend) async throws -> [State] {
        let inMemory: Storage =
            switch backend {
            case .fileHistories, .databaseHistories: .histories(InMemoryChatStorage())
            case .databaseSessions: .sessions(InMemorySessionStorage())
            }
        let workload = ConversationWorkload(storage: inMemory)
        var states = [State()]
        for number in 0..<count {
            try await workload.perform(number)
            states.append(try await workload.state())
        }
        return states
    }

    private init(storage: Storage) { self.storage = storage }
}
