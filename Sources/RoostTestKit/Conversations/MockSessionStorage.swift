public import RoostConversations

/// An in-memory session storage for tests. It records its calls, and can be made to fail.
public actor MockSessionStorage: SessionStorageProtocol {
    /// A call of a method.
    public struct Call: Sendable, Hashable {
        /// The name of the method, without its parameters.
        public var name: String
        /// The session id that was passed to the call; `nil` for a call without one.
        public var id: String?
    }

    private let storage = InMemorySessionStorage()
    /// All calls so far in order, including those that failed.
    public private(set) var calls: [Call] = []
    private var failure: (@Sendable (Call) -> (any Error)?)?

    /// Creates a storage that contains no sessions.
    public init() {}

    /// Makes calls fail.
    ///
    /// - Parameter failure: Returns the error that a call must throw without doing anything, or `nil` if the
    ///   call must be carried out. Pass `nil` instead of a closure to let all calls succeed again.
    public func fail(_ failure: (@Sendable (Call) -> (any Error)?)?) { self.failure = failure }

    private func record(_ name: String, _ id: String? = nil) throws {
        let call = Call(name: name, id: id)
        calls.append(call)
        if let error = failure?(call) { throw error }
    }

    public func saveSession(id: String, firstMessage: String) async throws {
        try record("saveSession", id)
        try await storage.saveSession(id: id, firstMessage: firstMessage)
    }

    public func getAllSessions() async throws -> [StoredSession] {
        try record("getAllSessions")
        return try await storage.getAllSessions()
    }

    public func getSession(id: String) async throws -> StoredSession? {
        try record("getSession", id)
        return try await storage.getSession(id: id)
    }

    public func updateLastAccessed(id: String) async throws {
        try record("updateLastAccessed", id)
        try await storage.updateLastAccessed(id: id)
    }

    public func deleteSession(id: String) async throws {
        try record("deleteSession", id)
        try await storage.deleteSession(id: id)
    }

    public func deleteAllSessions() async throws {
        try record("deleteAllSessions")
        try await storage.deleteAllSessions()
    }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try record("updateSessionMessages", id)
        try await storage.updateSessionMessages(id: id, messages: messages)
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try record("updateSessionId", oldId)
        try await storage.updateSessionId(oldId: oldId, newId: newId)
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try record("appendSessionMessages", id)
        try await storage.appendSessionMessages(id: id, messages: messages)
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try record("importSession", session.id)
        return try await storage.importSession(session)
    }
}
