import Foundation
import RoostModel

/// A session storage that keeps each session in the user defaults. It is suitable for a small number of short
/// sessions, because each change writes the complete session.
///
/// Several storages of one process can be used at the same time. If two processes change the same session at
/// the same time, one of the changes may be lost; a power failure may undo the most recent changes. These are
/// limitations of `UserDefaults`.
public actor UserDefaultsSessionStorage: SessionStorageProtocol {
    private let domain: DefaultsDomain
    private let onDamage: DamageHandler<String>

    private struct Record: Codable, Sendable {
        var session: StoredSession
        /// The number of the last change, which determines the order of sessions with equal access times.
        var touch: Int
    }

    /// Creates a storage.
    ///
    /// - Parameters:
    ///   - suiteName: The suite of the user defaults; `nil` uses the standard user defaults.
    ///   - onDamage: Called for sessions that ``getAllSessions()`` omits because they cannot be read. By
    ///     default, a warning is logged.
    public init(suiteName: String? = nil, onDamage: DamageHandler<String>? = nil) {
        domain = DefaultsDomain(suiteName: suiteName, prefix: "roost.session")
        self.onDamage = onDamage ?? { DamageLog.warn($0) }
    }

    private static func name(_ id: String) -> Data { Data(id.utf8) }

    /// Returns the record of a session; `nil` if it has no record.
    ///
    /// - Throws: `StorageError` with `.damaged`.
    private static func record(_ id: String, _ domain: DefaultsDomain) throws -> Record? {
        try domain.open()
        return try domain.value(name(id), of: Record.self)
    }

    /// Returns the record of an existing session.
    ///
    /// - Throws: `StorageError` with `.notFound`, `.damaged`.
    private static func present(_ id: String, _ domain: DefaultsDomain) throws -> Record {
        guard let record = try record(id, domain) else { throw SessionRules.missing }
        return record
    }

    private static func save(_ session: StoredSession, _ domain: DefaultsDomain) throws {
        try domain.set(Record(session: session, touch: domain.nextTouch()), for: name(session.id))
        try domain.save()
    }

    private static func touch(_ session: StoredSession, _ domain: DefaultsDomain) throws {
        var session = session
        session.lastAccessedAt = max(Date(), session.lastAccessedAt)
        try save(session, domain)
    }

    private func change(_ id: String, _ body: (inout StoredSession) -> Void) throws {
        try domain.exclusively { domain in
            var session = try Self.present(id, domain).session
            body(&session)
            try Self.touch(session, domain)
        }
    }

    public func saveSession(id: String, firstMessage: String) async throws {
        try SessionRules.check(id: id)
        try domain.exclusively { domain in
            if let record = try Self.record(id, domain) { return try Self.touch(record.session, domain) }
            let now = Date()
            try Self.save(
                StoredSession(id: id, createdAt: now, firstUserMessage: firstMessage, lastAccessedAt: now),
                domain)
        }
    }

    /// Returns all sessions, most recently accessed first. Sessions that cannot be read are omitted and
    /// reported (``init(suiteName:onDamage:)``).
    public func getAllSessions() async throws -> [StoredSession] {
        let (records, damaged) = try domain.exclusively { domain in
            let damaged = try Self.damage(domain)
            return (domain.names.compactMap { try? domain.value($0, of: Record.self) }, damaged)
        }
        for damage in damaged { onDamage(damage) }
        return records.sorted {
            ($0.session.lastAccessedAt, $0.touch) > ($1.session.lastAccessedAt, $1.touch)
        }.map(\.session)
    }

    public func getSession(id: String) async throws -> StoredSession? {
        try domain.exclusively { try Self.record(id, $0)?.session }
    }

    public func updateLastAccessed(id: String) async throws { try change(id) { _ in } }

    public func deleteSession(id: String) async throws {
        try domain.exclusively { domain in
            try domain.open()
            domain.remove(Self.name(id))
            try domain.save()
        }
    }

    public func deleteAllSessions() async throws {
        try domain.exclusively { domain in
            try domain.open()
            for name in domain.names { domain.remove(name) }
            try domain.save()
        }
    }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try change(id) { $0.messages = messages }
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try change(id) { $0.messages += messages }
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try SessionRules.check(id: newId)
        try domain.exclusively { domain in
            var record = try Self.present(oldId, domain)
            guard Self.name(oldId) != Self.name(newId) else { return }
            guard !domain.names.contains(Self.name(newId)) else { throw SessionRules.clash }
            record.session.id = newId
            try domain.set(record, for: Self.name(newId))
            domain.remove(Self.name(oldId))
            try domain.save()
        }
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try SessionRules.check(id: session.id)
        try domain.exclusively { domain in
            // Throws if the stored session is corrupt, so that it is not overwritten.
            _ = try Self.record(session.id, domain)
            try Self.save(session, domain)
        }
        return true
    }
}

extension UserDefaultsSessionStorage: MaintainedStorage {
    public func damage() async throws -> [ConversationDamage<String>] {
        try domain.exclusively { try Self.damage($0) }
    }

    private static func damage(_ domain: DefaultsDomain) throws -> [ConversationDamage<String>] {
        try domain.open()
        return domain.damage(Record.self) { String(decoding: $0, as: UTF8.self) }
    }
}
