import Foundation

/// Keeps sessions that were read in memory, as long as nobody changes the storage: another handle, another
/// process.
///
/// Whether somebody has is asked of the storage before each answer
/// (``SessionStorageProtocol/changeToken()``);
/// of one that cannot tell, nothing is kept.
public actor CachingSessionStorage: SessionStorageProtocol {
    private let wrapped: any SessionStorageProtocol & Sendable
    private var token: String?
    private var all: [StoredSession]?
    /// By the bytes of their ids: two spellings of one letter are two.
    private var sessions: [Data: StoredSession?] = [:]

    public init(wrapping storage: any SessionStorageProtocol & Sendable) { wrapped = storage }

    /// Forgets what is of before, and tells whether anything may be kept.
    ///
    /// - Returns: the token of what is read after this.
    private func refresh() async throws -> String? {
        let now = try await wrapped.changeToken()
        if now == nil || now != token { (all, sessions) = (nil, [:]) }
        token = now
        return now
    }

    public func getAllSessions() async throws -> [StoredSession] {
        let before = try await refresh()
        if let all { return all }
        let read = try await wrapped.getAllSessions()
        // What was read while somebody wrote may be of before or after.
        if before != nil, before == token, try await wrapped.changeToken() == before { all = read }
        return read
    }

    public func getSession(id: String) async throws -> StoredSession? {
        let before = try await refresh()
        if let known = sessions[Data(id.utf8)] { return known }
        let read = try await wrapped.getSession(id: id)
        if before != nil, before == token, try await wrapped.changeToken() == before {
            sessions[Data(id.utf8)] = .some(read)
        }
        return read
    }

    public func saveSession(id: String, firstMessage: String) async throws {
        try await wrapped.saveSession(id: id, firstMessage: firstMessage)
    }

    public func updateLastAccessed(id: String) async throws { try await wrapped.updateLastAccessed(id: id) }

    public func deleteSession(id: String) async throws { try await wrapped.deleteSession(id: id) }

    public func deleteAllSessions() async throws { try await wrapped.deleteAllSessions() }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try await wrapped.updateSessionMessages(id: id, messages: messages)
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try await wrapped.updateSessionId(oldId: oldId, newId: newId)
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try await wrapped.appendSessionMessages(id: id, messages: messages)
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try await wrapped.importSession(session)
    }

    public func changeToken() async throws -> String? { try await wrapped.changeToken() }
}
