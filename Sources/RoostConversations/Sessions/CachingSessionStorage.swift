import Foundation

/// A decorator that keeps sessions in memory until the storage changes.
///
/// Before it returns a result, the decorator asks the storage for its
/// ``SessionStorageProtocol/changeToken()``, so it notices changes by other storage instances and other
/// processes. If the storage does not support change tokens, nothing is cached.
public actor CachingSessionStorage: SessionStorageDecorator {
    /// The storage that the decorator calls.
    public nonisolated let base: any SessionStorageProtocol & Sendable
    private var token: String?
    private var all: [StoredSession]?
    /// The cached sessions, keyed by the UTF-8 bytes of their ids, because `String` keys would be compared by
    /// Unicode canonical equivalence.
    private var sessions: [Data: StoredSession?] = [:]

    /// Creates a decorator with an empty cache.
    ///
    /// - Parameter storage: The storage that the decorator calls.
    public init(wrapping storage: any SessionStorageProtocol & Sendable) { base = storage }

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
        if try await isUnchanged(since: before) { all = read }
        return read
    }

    public func getSession(id: String) async throws -> StoredSession? {
        let before = try await refresh()
        if let known = sessions[Data(id.utf8)] { return known }
        let read = try await base.getSession(id: id)
        if try await isUnchanged(since: before) {
            sessions[Data(id.utf8)] = .some(read)
        }
        return read
    }
}
