/// Tells what is done with sessions, and how it ended; texts are not told.
public struct DebugSessionStorage: SessionStorageProtocol {
    private let wrapped: any SessionStorageProtocol
    private let log: @Sendable (String) -> Void

    /// - Parameter log: `nil` prints.
    public init(wrapping storage: any SessionStorageProtocol, log: (@Sendable (String) -> Void)? = nil) {
        (wrapped, self.log) = (storage, log ?? { print("[Storage] \($0)") })
    }

    private func telling<Value>(_ what: String, _ body: () async throws -> Value) async throws -> Value {
        log("\(what) …")
        do {
            let value = try await body()
            log("\(what): done")
            return value
        } catch {
            log("\(what): \(error)")
            throw error
        }
    }

    public func saveSession(id: String, firstMessage: String) async throws {
        try await telling("saveSession \(id)") {
            try await wrapped.saveSession(id: id, firstMessage: firstMessage)
        }
    }

    public func getAllSessions() async throws -> [StoredSession] {
        try await telling("getAllSessions") { try await wrapped.getAllSessions() }
    }

    public func getSession(id: String) async throws -> StoredSession? {
        try await telling("getSession \(id)") { try await wrapped.getSession(id: id) }
    }

    public func updateLastAccessed(id: String) async throws {
        try await telling("updateLastAccessed \(id)") { try await wrapped.updateLastAccessed(id: id) }
    }

    public func deleteSession(id: String) async throws {
        try await telling("deleteSession \(id)") { try await wrapped.deleteSession(id: id) }
    }

    public func deleteAllSessions() async throws {
        try await telling("deleteAllSessions") { try await wrapped.deleteAllSessions() }
    }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try await telling("updateSessionMessages \(id), \(messages.count)") {
            try await wrapped.updateSessionMessages(id: id, messages: messages)
        }
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try await telling("updateSessionId \(oldId) to \(newId)") {
            try await wrapped.updateSessionId(oldId: oldId, newId: newId)
        }
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try await telling("appendSessionMessages \(id), \(messages.count)") {
            try await wrapped.appendSessionMessages(id: id, messages: messages)
        }
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try await telling("importSession \(session.id)") { try await wrapped.importSession(session) }
    }

    public func changeToken() async throws -> String? { try await wrapped.changeToken() }
}
