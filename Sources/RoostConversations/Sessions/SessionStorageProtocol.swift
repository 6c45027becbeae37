public import RoostModel

/// Keeps sessions with an agent: what was said in each, and when it was last looked at.
///
/// Not refined to `Sendable`, so that a plain class can conform; whoever passes one between tasks asks for
/// `any SessionStorageProtocol & Sendable`. Where a session is not there, Roost's own stores throw
/// ``StorageError`` with `.notFound` from what would change it; deleting it is no error.
public protocol SessionStorageProtocol {
    /// Makes a session, or touches the one that there is: its first message stays then.
    ///
    /// - Throws: ``StorageError`` with `.invalidBatch` for an empty id; what the storage throws.
    func saveSession(id: String, firstMessage: String) async throws

    /// All sessions, the last accessed first.
    func getAllSessions() async throws -> [StoredSession]

    /// A session; `nil` where there is none.
    func getSession(id: String) async throws -> StoredSession?

    /// Says that a session was looked at now.
    ///
    /// - Throws: ``StorageError`` with `.notFound`.
    func updateLastAccessed(id: String) async throws

    /// Removes a session with its messages; one that is not there is no error.
    func deleteSession(id: String) async throws

    /// Removes all sessions.
    func deleteAllSessions() async throws

    /// Replaces all messages of a session, and touches it.
    ///
    /// - Throws: ``StorageError`` with `.notFound`; the messages are as they were then.
    func updateSessionMessages(id: String, messages: [ChatMessage]) async throws

    /// Gives a session another id.
    ///
    /// - Throws: ``StorageError``: `.notFound`, `.conflict` where there is another session with the new id;
    ///   nothing has changed then.
    func updateSessionId(oldId: String, newId: String) async throws

    /// Adds messages to a session, and touches it. The default reads all and replaces all.
    ///
    /// - Throws: ``StorageError`` with `.notFound`.
    func appendSessionMessages(id: String, messages: [ChatMessage]) async throws

    /// Takes in a session of another storage, in the place of one with its id.
    ///
    /// - Returns: whether its dates were kept. The default cannot keep them: to it the session is made and
    ///   accessed now.
    @discardableResult
    func importSession(_ session: StoredSession) async throws -> Bool

    /// Something that is another after each change, whoever made it; `nil`, the default, where that cannot be
    /// told.
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

/// What Roost's own stores hold to.
enum SessionRules {
    static let missing = StorageError(.notFound, "there is no session with this id")

    static func check(id: String) throws {
        guard !id.isEmpty else { throw StorageError.invalid("a session has an id that is not empty") }
        guard id.utf8.count <= 4096 else {
            throw StorageError.invalid("a session's id has at most 4,096 bytes")
        }
    }

    static let clash = StorageError.conflict("there is another session with the new id; nothing was changed")
}

extension StorageError {
    /// What an implementation throws that could not save.
    public static func saveFailed(_ error: any Error) -> StorageError {
        StorageError(.inputOutput, "the session could not be saved", underlying: error)
    }
}
