public import RoostModel

/// Stores sessions with an agent: the messages of each session and the time of its last access.
///
/// The protocol does not require `Sendable`, so that a plain class can conform. A function that passes a
/// storage between tasks requires `any SessionStorageProtocol & Sendable`. The storages of this package throw
/// `StorageError` with `.notFound` when a session to be changed does not exist; deleting such a session is
/// not an error.
public protocol SessionStorageProtocol {
    /// Creates a session. If a session with this id exists, only the time of its last access changes.
    ///
    /// - Parameters:
    ///   - id: The id of the session.
    ///   - firstMessage: The first message of the user, which serves as a title in lists.
    /// - Throws: `StorageError` with `.invalidBatch` if the id is empty or too long; errors of the storage.
    func saveSession(id: String, firstMessage: String) async throws

    /// Returns all sessions, most recently accessed first.
    ///
    /// - Throws: Errors of the storage.
    func getAllSessions() async throws -> [StoredSession]

    /// Returns a session, or `nil` if it does not exist.
    ///
    /// - Throws: Errors of the storage.
    func getSession(id: String) async throws -> StoredSession?

    /// Sets the time of a session's last access to the current time.
    ///
    /// - Throws: `StorageError` with `.notFound`; errors of the storage.
    func updateLastAccessed(id: String) async throws

    /// Deletes a session with its messages. Deleting a session that does not exist is not an error.
    ///
    /// - Throws: Errors of the storage.
    func deleteSession(id: String) async throws

    /// Deletes all sessions.
    ///
    /// - Throws: Errors of the storage.
    func deleteAllSessions() async throws

    /// Replaces all messages of a session, and updates the time of its last access.
    ///
    /// - Throws: `StorageError` with `.notFound`; errors of the storage. The messages are unchanged in that
    ///   case.
    func updateSessionMessages(id: String, messages: [ChatMessage]) async throws

    /// Changes the id of a session.
    ///
    /// - Throws: `StorageError`: `.notFound`, `.conflict` if another session has the new id; errors of the
    ///   storage. The storage is unchanged in that case.
    func updateSessionId(oldId: String, newId: String) async throws

    /// Adds messages to a session, and updates the time of its last access.
    ///
    /// The default implementation reads all messages and replaces them, which is not atomic.
    ///
    /// - Throws: `StorageError` with `.notFound`; errors of the storage.
    func appendSessionMessages(id: String, messages: [ChatMessage]) async throws

    /// Stores a session that was read from another storage. An existing session with the same id is replaced.
    ///
    /// The default implementation creates the session with the current time.
    ///
    /// - Returns: Whether the dates of the session were preserved; `false` in the default implementation.
    /// - Throws: `StorageError` with `.invalidBatch` if the id is empty or too long; errors of the storage.
    @discardableResult
    func importSession(_ session: StoredSession) async throws -> Bool

    /// Returns a value that changes whenever any process changes the storage. The default implementation
    /// returns `nil`, which means that the storage cannot detect changes.
    ///
    /// - Throws: Errors of the storage.
    func changeToken() async throws -> String?
}

extension SessionStorageProtocol {
    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        guard let session = try await getSession(id: id) else { throw SessionRules.missing }
        try await updateSessionMessages(id: id, messages: session.messages + messages)
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try await saveSession(id: session.id, firstMessage: session.firstUserMessage)
        try await updateSessionMessages(id: session.id, messages: session.messages)
        return false
    }

    public func changeToken() async throws -> String? { nil }
}

extension StorageError {
    /// Returns the error that an implementation throws if it cannot save a session.
    ///
    /// - Parameter error: The cause, which becomes `StorageError/underlying`.
    public static func saveFailed(_ error: any Error) -> StorageError {
        StorageError(.inputOutput, "cannot save the session", underlying: error)
    }
}

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

/// The rules that all session storages of this package share.
enum SessionRules {
    static let missing = StorageError(.notFound, "session not found")

    /// The maximum length of a session id in bytes.
    private static let maximumIDLength = 4096

    static func check(id: String) throws {
        guard !id.isEmpty else { throw StorageError.invalid("invalid session id: it is empty") }
        guard id.utf8.count <= maximumIDLength else {
            throw StorageError.invalid("invalid session id: it exceeds the limit of \(maximumIDLength) bytes")
        }
    }

    static let clash = StorageError(.conflict, "cannot change the session id: another session has the new id")
}
