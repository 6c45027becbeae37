/// A session storage that adds behavior to another session storage.
///
/// Every method has a default implementation that calls ``base``. A decorator implements only the methods
/// that it changes.
public protocol SessionStorageDecorator: SessionStorageProtocol {
    /// The storage that the decorator calls.
    var base: any SessionStorageProtocol & Sendable { get async throws }
}

extension SessionStorageDecorator {
    public func saveSession(id: String, firstMessage: String) async throws {
        try await base.saveSession(id: id, firstMessage: firstMessage)
    }

    public func getAllSessions() async throws -> [StoredSession] { try await base.getAllSessions() }

    public func getSession(id: String) async throws -> StoredSession? { try await base.getSession(id: id) }

    public func updateLastAccessed(id: String) async throws { try await base.updateLastAccessed(id: id) }

    public func deleteSession(id: String) async throws { try await base.deleteSession(id: id) }

    public func deleteAllSessions() async throws { try await base.deleteAllSessions() }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try await base.updateSessionMessages(id: id, messages: messages)
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try await base.updateSessionId(oldId: oldId, newId: newId)
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try await base.appendSessionMessages(id: id, messages: messages)
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try await base.importSession(session)
    }

    public func changeToken() async throws -> String? { try await base.changeToken() }
}
