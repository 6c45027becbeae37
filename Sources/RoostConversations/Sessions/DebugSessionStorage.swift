/// A decorator that logs each call and its outcome. It logs ids, but not the text of messages.
public struct DebugSessionStorage: SessionStorageProtocol {
    private let wrapped: any SessionStorageProtocol
    private let log: @Sendable (String) -> Void

    /// Creates a decorator.
    ///
    /// - Parameters:
    ///   - storage: The storage that the decorator calls.
    ///   - log: Called with each log line; `nil` prints the lines to standard output.
    public init(wrapping storage: any SessionStorageProtocol, log: (@Sendable (String) -> Void)? = nil) {
        (wrapped, self.log) = (storage, log ?? { print("[Storage] \($0)") })
    }

    private func logging<Value>(_ call: String, _ body: () async throws -> Value) async throws -> Value {
        log("\(call) …")
        do {
            let value = try await body()
            log("\(call): done")
            return value
        } catch {
            log("\(call): \(error)")
            throw error
        }
    }

    public func saveSession(id: String, firstMessage: String) async throws {
        try await logging("saveSession \(id)") {
            try await wrapped.saveSession(id: id, firstMessage: firstMessage)
        }
    }

    public func getAllSessions() async throws -> [StoredSession] {
        try await logging("getAllSessions") { try await wrapped.getAllSessions() }
    }

    public func getSession(id: String) async throws -> StoredSession? {
        try await logging("getSession \(id)") { try await wrapped.getSession(id: id) }
    }

    public func updateLastAccessed(id: String) async throws {
        try await logging("updateLastAccessed \(id)") { try await wrapped.updateLastAccessed(id: id) }
    }

    public func deleteSession(id: String) async throws {
        try await logging("deleteSession \(id)") { try await wrapped.deleteSession(id: id) }
    }

    public func deleteAllSessions() async throws {
        try await logging("deleteAllSessions") { try await wrapped.deleteAllSessions() }
    }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try await logging("updateSessionMessages \(id), \(messages.count)") {
            try await wrapped.updateSessionMessages(id: id, messages: messages)
        }
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try await logging("updateSessionId \(oldId) to \(newId)") {
            try await wrapped.updateSessionId(oldId: oldId, newId: newId)
        }
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try await logging("appendSessionMessages \(id), \(messages.count)") {
            try await wrapped.appendSessionMessages(id: id, messages: messages)
        }
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try await logging("importSession \(session.id)") { try await wrapped.importSession(session) }
    }

    public func changeToken() async throws -> String? { try await wrapped.changeToken() }
}
