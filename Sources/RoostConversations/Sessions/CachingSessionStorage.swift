import Foundation

/// A decorator that keeps sessions in memory until the storage changes.
///
/// Before it returns a result, the decorator asks the storage for its
/// ``SessionStorageProtocol/changeToken()``, so it notices changes by other storage instances and other
/// processes. If the storage does not support change tokens, nothing is cached.
///
/// The cache has a limit: the sessions that were read least recently are evicted, and the list of all
/// sessions is cached only if it does not exceed the limit.
public actor CachingSessionStorage: SessionStorageDecorator {
    /// The storage that the decorator calls.
    public nonisolated let base: any SessionStorageProtocol & Sendable
    private let limit: Int
    private var token: String?
    private var all: [StoredSession]?
    /// The cached sessions, keyed by the UTF-8 bytes of their ids, because `String` keys would be compared by
    /// Unicode canonical equivalence.
    private var sessions: [Data: CachedSession] = [:]
    /// The number of reads from the cache and of sessions that were added to it.
    private var uses = 0

    private struct CachedSession {
        /// The session; `nil` if the storage does not contain it.
        var session: StoredSession?
        /// The value of ``uses`` at the last read.
        var lastUse: Int
    }

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

    /// Adds a session to the cache, and evicts the one that was read least recently if the limit is exceeded.
    private func cache(_ session: StoredSession?, id: Data) {
        uses += 1
        sessions[id] = CachedSession(session: session, lastUse: uses)
        guard sessions.count > limit, let oldest = sessions.min(by: { $0.value.lastUse < $1.value.lastUse })
        else { return }
        sessions[oldest.key] = nil
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
        if let known = sessions[key] {
            uses += 1
            sessions[key]?.lastUse = uses
            return known.session
        }
        let read = try await base.getSession(id: id)
        if try await isUnchanged(since: before) { cache(read, id: key) }
        return read
    }
}
