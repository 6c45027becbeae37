import Foundation
import RoostModel

/// A session storage that keeps sessions in memory, for tests and temporary data.
public actor InMemorySessionStorage: SessionStorageProtocol {
    private var sessions: [Data: SessionRecord] = [:]
    private var changes = 0

    /// Creates an empty storage.
    public init() {}

    /// A session and the number of its last change, which determines the order of sessions with equal access
    /// times.
    private struct SessionRecord {
        var session: StoredSession
        var touch: Int
    }

    /// Returns the UTF-8 bytes of an id, because `String` keys would be compared by Unicode canonical
    /// equivalence.
    private func key(_ id: String) -> Data { Data(id.utf8) }

    private func change(_ id: String, _ body: (inout StoredSession) -> Void) throws {
        guard var record = sessions[key(id)] else { throw SessionRules.missing }
        body(&record.session)
        // The time of the last access never decreases, even if the system clock is set back.
        record.session.lastAccessedAt = max(Date(), record.session.lastAccessedAt)
        changes += 1
        record.touch = changes
        sessions[key(id)] = record
    }

    public func saveSession(id: String, firstMessage: String) async throws {
        try SessionRules.check(id: id)
        if sessions[key(id)] != nil { return try change(id) { _ in } }
        changes += 1
        let now = Date()
        sessions[key(id)] = SessionRecord(
            session: StoredSession(
                id: id, createdAt: now, firstUserMessage: firstMessage, lastAccessedAt: now),
            touch: changes)
    }

    public func getAllSessions() async throws -> [StoredSession] {
        sessions.values.sorted {
            ($0.session.lastAccessedAt, $0.touch) > ($1.session.lastAccessedAt, $1.touch)
        }.map(\.session)
    }

    public func getSession(id: String) async throws -> StoredSession? { sessions[key(id)]?.session }

    public func updateLastAccessed(id: String) async throws { try change(id) { _ in } }

    public func deleteSession(id: String) async throws {
        changes += 1
        sessions[key(id)] = nil
    }

    public func deleteAllSessions() async throws {
        changes += 1
        sessions = [:]
    }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try change(id) { $0.messages = messages }
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try change(id) { $0.messages += messages }
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try SessionRules.check(id: newId)
        guard var record = sessions[key(oldId)] else { throw SessionRules.missing }
        guard key(oldId) != key(newId) else { return }
        guard sessions[key(newId)] == nil else { throw SessionRules.clash }
        changes += 1
        record.session.id = newId
        sessions[key(oldId)] = nil
        sessions[key(newId)] = record
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try SessionRules.check(id: session.id)
        changes += 1
        sessions[key(session.id)] = SessionRecord(session: session, touch: changes)
        return true
    }

    public func changeToken() async throws -> String? { "\(changes)" }
}
