import Foundation

/// A decorator that keeps sessions in memory until the storage changes.
///
/// Before it returns a result, the decorator asks the storage for its
/// ``SessionStorageProtocol/changeToken()``, so it notices changes by other storage instances and other
/// processes. If the storage does not support change tokens, nothing is cached.
///
/// The cache has a limit: it is cleared when it is full, and the list of all sessions is cached only if it does
/// not exceed the limit.
public actor CachingSessionStorage: SessionStorageDecorator {
    /// The storage that the decorator calls.
    public nonisolated let base: any SessionStorageProtocol & Sendable
    private let limit: Int
    private var token: String?
    private var all: [StoredSession]?
    /// The cached sessions, keyed by the UTF-8 bytes of their ids, because `String` keys would be compared by
    /// Unicode canonical equivalence.
    private var sessions: [Data: StoredSession?] = [:]

    /// Creates a decorator with an empty cache.
    ///
    /// - Parameters:
    ///   - storage: The storage that the decorator calls.
    ///   - limit: The maximum number of sessions in the cache, each with all its messages. With 0, nothing is
    ///     cached.
    public init(wrapping storage: any SessionStorageProtocol & Sendable, limit: Int = 100) {
        base = storage
        self.limit = max(0, limit)
    }

    /// Clears the cache if the storage has changed.
    ///
    /// - Returns: The current change token, or `nil` if the storage does not support tokens.
    private func refresh() async throws -> String? {
        let current = try await base.changeToken()
        if current == nil || current != token { (all, sessions) = (nil, [:]) }
        token = current
        return current
    }

    /// Returns whether the result of a read may be cached: the storage has not changed since the token was
    /// read, and no concurrent call of this actor has refreshed the cache.
    private func isUnchanged(since before: String?) async throws -> Bool {
        guard let before, try await base.changeToken() == before else { return false }
        return token == before
    }

    public func getAllSessions() async throws -> [StoredSession] {
        let before = try await refresh()
        if let all { return all }
        let read = try await base.getAllSessions()
        if read.count <= limit, try await isUnchanged(since: before) { all = read }
        return read
    }

    public func getSession(id: String) async throws -> StoredSession? {
        let before = try await refresh()
        let key = Data(id.utf8)
        if let known = sessions[key] { return known }
        let read = try await base.getSession(id: id)
        if try await isUnchanged(since: before), limit > 0 {
            if sessions.count >= limit { sessions = [:] }
            sessions[key] = .some(read)
        }
        return read
    }
}

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
