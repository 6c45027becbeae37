import Foundation
import RoostModel

/// Sessions in the user's defaults, for few and small ones: each change writes all of them.
///
/// Written through after every change. Two processes that change sessions at the same moment may lose one of
/// the changes, and a loss of power the last ones: defaults promise no more.
public actor UserDefaultsSessionStorage: SessionStorageProtocol {
    private let defaults: UserDefaults
    private static let key = "roost.sessions"

    /// - Parameter suiteName: `nil` takes the standard defaults.
    public init(suiteName: String? = nil) { defaults = UserDefaults(suiteName: suiteName) ?? .standard }

    /// The last accessed first: of two in one millisecond the order says which it is.
    private func load() throws -> [StoredSession] {
        defaults.synchronize()
        guard let data = defaults.data(forKey: Self.key) else { return [] }
        do {
            return try ConversationMessage.decoder().decode([StoredSession].self, from: data)
        } catch {
            throw StorageError(
                .damaged, "the sessions in the user's defaults cannot be read", underlying: error)
        }
    }

    private func save(_ sessions: [StoredSession]) throws {
        defaults.set(try ConversationMessage.encoder().encode(sessions), forKey: Self.key)
        guard defaults.synchronize() else {
            throw StorageError(.inputOutput, "the user's defaults could not be written")
        }
    }

    private func place(_ id: String, _ sessions: [StoredSession]) -> Int? {
        sessions.firstIndex { $0.id.utf8.elementsEqual(id.utf8) }
    }

    private func change(_ id: String, _ body: (inout StoredSession) -> Void) throws {
        var sessions = try load()
        guard let place = place(id, sessions) else { throw SessionRules.missing }
        var session = sessions.remove(at: place)
        body(&session)
        session.lastAccessedAt = max(Date(), session.lastAccessedAt)
        try save([session] + sessions)
    }

    public func saveSession(id: String, firstMessage: String) async throws {
        try SessionRules.check(id: id)
        let sessions = try load()
        if place(id, sessions) != nil { return try change(id) { _ in } }
        let now = Date()
        try save(
            [StoredSession(id: id, createdAt: now, firstUserMessage: firstMessage, lastAccessedAt: now)]
                + sessions)
    }

    public func getAllSessions() async throws -> [StoredSession] {
        try load().enumerated().sorted {
            ($0.element.lastAccessedAt, $1.offset) > ($1.element.lastAccessedAt, $0.offset)
        }.map(\.element)
    }

    public func getSession(id: String) async throws -> StoredSession? {
        let sessions = try load()
        return place(id, sessions).map { sessions[$0] }
    }

    public func updateLastAccessed(id: String) async throws { try change(id) { _ in } }

    public func deleteSession(id: String) async throws {
        var sessions = try load()
        guard let place = place(id, sessions) else { return }
        sessions.remove(at: place)
        try save(sessions)
    }

    public func deleteAllSessions() async throws { try save([]) }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try change(id) { $0.messages = messages }
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try change(id) { $0.messages += messages }
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try SessionRules.check(id: newId)
        var sessions = try load()
        guard let old = place(oldId, sessions) else { throw SessionRules.missing }
        let other = place(newId, sessions)
        guard other == nil || other == old else { throw SessionRules.clash }
        sessions[old].id = newId
        try save(sessions)
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try SessionRules.check(id: session.id)
        var sessions = try load()
        if let place = place(session.id, sessions) { sessions.remove(at: place) }
        try save([session] + sessions)
        return true
    }
}
