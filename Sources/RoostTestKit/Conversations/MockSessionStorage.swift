public import RoostConversations

/// Sessions in memory that write down what was called, and fail where they are told to.
public actor MockSessionStorage: SessionStorageProtocol {
    /// A call, with its id where it has one.
    public struct Call: Sendable, Hashable {
        public var name: String
        public var id: String?
    }

    private let storage = InMemorySessionStorage()
    public private(set) var calls: [Call] = []
    private var failure: (@Sendable (Call) -> (any Error)?)?

    public init() {}

    /// From now on each call for which `failure` gives an error throws it, and does nothing.
    public func fail(_ failure: (@Sendable (Call) -> (any Error)?)?) { self.failure = failure }

    private func note(_ name: String, _ id: String? = nil) throws {
        let call = Call(name: name, id: id)
        calls.append(call)
        if let error = failure?(call) { throw error }
    }

    public func saveSession(id: String, firstMessage: String) async throws {
        try note("saveSession", id)
        try await storage.saveSession(id: id, firstMessage: firstMessage)
    }

    public func getAllSessions() async throws -> [StoredSession] {
        try note("getAllSessions")
        return try await storage.getAllSessions()
    }

    public func getSession(id: String) async throws -> StoredSession? {
        try note("getSession", id)
        return try await storage.getSession(id: id)
    }

    public func updateLastAccessed(id: String) async throws {
        try note("updateLastAccessed", id)
        try await storage.updateLastAccessed(id: id)
    }

    public func deleteSession(id: String) async throws {
        try note("deleteSession", id)
        try await storage.deleteSession(id: id)
    }

    public func deleteAllSessions() async throws {
        try note("deleteAllSessions")
        try await storage.deleteAllSessions()
    }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try note("updateSessionMessages", id)
        try await storage.updateSessionMessages(id: id, messages: messages)
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try note("updateSessionId", oldId)
        try await storage.updateSessionId(oldId: oldId, newId: newId)
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try note("appendSessionMessages", id)
        try await storage.appendSessionMessages(id: id, messages: messages)
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try note("importSession", session.id)
        return try await storage.importSession(session)
    }
}
