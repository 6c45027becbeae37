import Foundation
import RoostModel

/// A session, and the number of its last change, which determines the order of sessions with equal access
/// times.
struct SessionRecord: Codable, Sendable {
    var session: StoredSession
    var touch: Int
}

/// The changes of a session storage that keeps each session as one value.
///
/// The name of a value consists of the UTF-8 bytes of the session's id, because `String` keys would be compared
/// by Unicode canonical equivalence.
protocol SessionRecords {
    func record(_ name: Data) throws -> SessionRecord?
    mutating func set(_ record: SessionRecord, for name: Data) throws
    mutating func remove(_ name: Data)
    mutating func nextTouch() -> Int
}

extension SessionRecords {
    private mutating func save(_ session: StoredSession) throws {
        try set(SessionRecord(session: session, touch: nextTouch()), for: Data(session.id.utf8))
    }

    mutating func saveSession(id: String, firstMessage: String) throws {
        try SessionRules.check(id: id)
        if try record(Data(id.utf8)) != nil { return try changeSession(id) { _ in } }
        let now = Date()
        try save(StoredSession(id: id, createdAt: now, firstUserMessage: firstMessage, lastAccessedAt: now))
    }

    /// Changes a session and the time of its last access, which never decreases, even if the system clock is
    /// set back.
    mutating func changeSession(_ id: String, _ body: (inout StoredSession) -> Void) throws {
        guard var session = try record(Data(id.utf8))?.session else { throw SessionRules.missing }
        body(&session)
        session.lastAccessedAt = max(Date(), session.lastAccessedAt)
        try save(session)
    }

    mutating func updateSessionId(oldId: String, newId: String) throws {
        try SessionRules.check(id: newId)
        let (old, new) = (Data(oldId.utf8), Data(newId.utf8))
        guard var renamed = try record(old) else { throw SessionRules.missing }
        guard old != new else { return }
        guard try record(new) == nil else { throw SessionRules.clash }
        renamed.session.id = newId
        try set(renamed, for: new)
        remove(old)
    }

    mutating func importSession(_ session: StoredSession) throws {
        try SessionRules.check(id: session.id)
        // Throws if the stored session is corrupt, so that it is not overwritten.
        _ = try record(Data(session.id.utf8))
        try save(session)
    }

    /// Returns the sessions of records, most recently accessed first.
    static func sessions(_ records: some Sequence<SessionRecord>) -> [StoredSession] {
        records.sorted {
            ($0.session.lastAccessedAt, $0.touch) > ($1.session.lastAccessedAt, $1.touch)
        }.map(\.session)
    }
}

/// A session storage that keeps sessions in memory, for tests and temporary data.
public actor InMemorySessionStorage: SessionStorageProtocol {
    private struct Records: SessionRecords {
        var values: [Data: SessionRecord] = [:]
        var changes = 0

        func record(_ name: Data) -> SessionRecord? { values[name] }
        mutating func set(_ record: SessionRecord, for name: Data) { values[name] = record }
        mutating func remove(_ name: Data) { values[name] = nil }

        mutating func nextTouch() -> Int {
            changes += 1
            return changes
        }
    }

    private var records = Records()

    /// Creates an empty storage.
    public init() {}

    public func saveSession(id: String, firstMessage: String) async throws {
        try records.saveSession(id: id, firstMessage: firstMessage)
    }

    public func getAllSessions() async throws -> [StoredSession] { Records.sessions(records.values.values) }

    public func getSession(id: String) async throws -> StoredSession? {
        records.record(Data(id.utf8))?.session
    }

    public func updateLastAccessed(id: String) async throws { try records.changeSession(id) { _ in } }

    public func deleteSession(id: String) async throws {
        records.remove(Data(id.utf8))
        records.changes += 1
    }

    public func deleteAllSessions() async throws {
        records.values = [:]
        records.changes += 1
    }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try records.changeSession(id) { $0.messages = messages }
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try records.changeSession(id) { $0.messages += messages }
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try records.updateSessionId(oldId: oldId, newId: newId)
        records.changes += 1
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try records.importSession(session)
        return true
    }

    public func changeToken() async throws -> String? { "\(records.changes)" }
}

extension DefaultsDomain: SessionRecords {
    func record(_ name: Data) throws -> SessionRecord? { try value(name) }
}

/// A session storage that keeps each session in the user defaults. It is suitable for a small number of short
/// sessions, because each change writes the complete session.
///
/// Several storages of one process can be used at the same time. If two processes change the same session at
/// the same time, one of the changes may be lost; a power failure may undo the most recent changes. These are
/// limitations of `UserDefaults`.
public actor UserDefaultsSessionStorage: SessionStorageProtocol {
    private let domain: DefaultsDomain
    private let onDamage: DamageHandler

    /// Creates a storage.
    ///
    /// - Parameters:
    ///   - suiteName: The suite of the user defaults; `nil` uses the standard user defaults.
    ///   - onDamage: Called for sessions that ``getAllSessions()`` omits because they cannot be read. By
    ///     default, a warning is logged.
    public init(suiteName: String? = nil, onDamage: DamageHandler? = nil) {
        domain = DefaultsDomain(suiteName: suiteName, prefix: "roost.session")
        self.onDamage = onDamage ?? ConversationFormat.warn
    }

    public func saveSession(id: String, firstMessage: String) async throws {
        try domain.write { try $0.saveSession(id: id, firstMessage: firstMessage) }
    }

    /// Returns all sessions, most recently accessed first. Sessions that cannot be read are omitted and
    /// reported (``init(suiteName:onDamage:)``).
    public func getAllSessions() async throws -> [StoredSession] {
        let results = try domain.read { domain in
            domain.names.map { name in Result { try domain.record(name) } }
        }
        var records: [SessionRecord] = []
        for result in results {
            switch result {
            case .success(let record): if let record { records.append(record) }
            case .failure(let error as StorageError) where error.code == .damaged: onDamage(error)
            case .failure(let error): throw error
            }
        }
        return DefaultsDomain.sessions(records)
    }

    public func getSession(id: String) async throws -> StoredSession? {
        try domain.read { try $0.record(Data(id.utf8))?.session }
    }

    public func updateLastAccessed(id: String) async throws {
        try domain.write { try $0.changeSession(id) { _ in } }
    }

    public func deleteSession(id: String) async throws { try domain.write { $0.remove(Data(id.utf8)) } }

    public func deleteAllSessions() async throws {
        try domain.write { domain in
            for name in domain.names { domain.remove(name) }
        }
    }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try domain.write { try $0.changeSession(id) { $0.messages = messages } }
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try domain.write { try $0.changeSession(id) { $0.messages += messages } }
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try domain.write { try $0.updateSessionId(oldId: oldId, newId: newId) }
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try domain.write { try $0.importSession(session) }
        return true
    }
}
