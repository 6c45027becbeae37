import Foundation

/// Keeps sessions that were read in memory, as long as nobody changes the storage: another handle, another
/// process.
///
/// Whether somebody has is asked of the storage before each answer
/// (``SessionStorageProtocol/changeToken()``);
/// of one that cannot tell, nothing is kept.
public actor CachingSessionStorage: SessionStorageDecorator {
    public nonisolated let base: any SessionStorageProtocol & Sendable
    private var token: String?
    private var all: [StoredSession]?
    /// By the bytes of their ids: two spellings of one letter are two.
    private var sessions: [Data: StoredSession?] = [:]

    public init(wrapping storage: any SessionStorageProtocol & Sendable) { base = storage }

    /// Forgets what is of before, and tells whether anything may be kept.
    ///
    /// - Returns: the token of what is read after this.
    private func refresh() async throws -> String? {
        let now = try await base.changeToken()
        if now == nil || now != token { (all, sessions) = (nil, [:]) }
        token = now
        return now
    }

    /// Whether nobody has written since: what was read meanwhile may be of before or after. Another call may
    /// have come between, so that what is kept is of a later state.
    private func isStill(_ before: String?) async throws -> Bool {
        guard let before, try await base.changeToken() == before else { return false }
        return token == before
    }

    public func getAllSessions() async throws -> [StoredSession] {
        let before = try await refresh()
        if let all { return all }
        let read = try await base.getAllSessions()
        if try await isStill(before) { all = read }
        return read
    }

    public func getSession(id: String) async throws -> StoredSession? {
        let before = try await refresh()
        if let known = sessions[Data(id.utf8)] { return known }
        let read = try await base.getSession(id: id)
        if try await isStill(before) {
            sessions[Data(id.utf8)] = .some(read)
        }
        return read
    }
}
