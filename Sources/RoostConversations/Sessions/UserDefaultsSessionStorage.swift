import Foundation
import RoostModel

/// Sessions in the user's defaults, for few and small ones: each change writes its whole session.
///
/// Written through after every change. Two processes that change a session at the same moment may lose one of
/// the changes, and a loss of power the last ones: defaults promise no more.
public actor UserDefaultsSessionStorage: SessionStorageProtocol {
    private let domain: DefaultsDomain
    private let onDamage: DamageHandler<String>

    /// A session under its key.
    private struct Record: Codable {
        var session: StoredSession
        /// Of two sessions that were accessed in one millisecond, the one with the higher number was later.
        var touch: Int
    }

    /// Under which schema 1 had all sessions in one value.
    private static let oldKey = "roost.sessions"

    /// - Parameters:
    ///   - suiteName: `nil` takes the standard defaults.
    ///   - onDamage: is told what ``getAllSessions()`` leaves out; without it a warning is logged.
    public init(suiteName: String? = nil, onDamage: DamageHandler<String>? = nil) {
        domain = DefaultsDomain(suiteName: suiteName, prefix: "roost.session", olderKeys: [Self.oldKey]) {
            domain in [.init(version: 2) { try Self.split(domain) }]
        }
        self.onDamage = onDamage ?? { DamageLog.warn($0) }
    }

    private static func name(_ id: String) -> Data { Data(id.utf8) }

    /// - Throws: ``StorageError`` with `.notFound`, `.damaged`.
    private func present(_ id: String) throws -> Record {
        try domain.open()
        guard let record = try domain.value(Self.name(id), of: Record.self) else {
            throw SessionRules.missing
        }
        return record
    }

    private func change(_ id: String, _ body: (inout StoredSession) -> Void) throws {
        var record = try present(id)
        body(&record.session)
        record.session.lastAccessedAt = max(Date(), record.session.lastAccessedAt)
        try save(record.session)
    }

    private func save(_ session: StoredSession) throws {
        try domain.set(Record(session: session, touch: domain.nextTouch()), for: Self.name(session.id))
        try domain.save()
    }

    public func saveSession(id: String, firstMessage: String) async throws {
        try SessionRules.check(id: id)
        try domain.open()
        if try domain.value(Self.name(id), of: Record.self) != nil { return try change(id) { _ in } }
        let now = Date()
        try save(StoredSession(id: id, createdAt: now, firstUserMessage: firstMessage, lastAccessedAt: now))
    }

    /// Those that cannot be read are left out, and told of (``init(suiteName:onDamage:)``).
    public func getAllSessions() async throws -> [StoredSession] {
        for damage in try await damage() { onDamage(damage) }
        return domain.names.compactMap { try? domain.value($0, of: Record.self) }.sorted {
            ($0.session.lastAccessedAt, $0.touch) > ($1.session.lastAccessedAt, $1.touch)
        }.map(\.session)
    }

    public func getSession(id: String) async throws -> StoredSession? {
        try domain.open()
        return try domain.value(Self.name(id), of: Record.self)?.session
    }

    public func updateLastAccessed(id: String) async throws { try change(id) { _ in } }

    public func deleteSession(id: String) async throws {
        try domain.open()
        domain.remove(Self.name(id))
        try domain.save()
    }

    public func deleteAllSessions() async throws {
        try domain.open()
        for name in domain.names { domain.remove(name) }
        try domain.save()
    }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try change(id) { $0.messages = messages }
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try change(id) { $0.messages += messages }
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try SessionRules.check(id: newId)
        var record = try present(oldId)
        guard Self.name(oldId) != Self.name(newId) else { return }
        guard !domain.names.contains(Self.name(newId)) else { throw SessionRules.clash }
        record.session.id = newId
        try domain.set(record, for: Self.name(newId))
        domain.remove(Self.name(oldId))
        try domain.save()
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try SessionRules.check(id: session.id)
        try domain.open()
        _ = try domain.value(Self.name(session.id), of: Record.self)
        try save(session)
        return true
    }
}

extension UserDefaultsSessionStorage: MaintainedStorage {
    public static let schemaVersion = 2

    @discardableResult
    public func migrateIfNeeded() async throws -> Int {
        let version = try domain.open()
        try domain.save()
        return version
    }

    public func damage() async throws -> [ConversationDamage<String>] {
        try domain.open()
        return domain.damage(Record.self) { String(decoding: $0, as: UTF8.self) }
    }

    public func setDamagedAside() async throws -> [ConversationDamage<String>] {
        try domain.setDamagedAside(try await damage())
    }

    /// Gives each session of schema 1 a key of its own. What cannot be read stays where it is.
    private static func split(_ domain: DefaultsDomain) throws {
        guard let data = domain.olderValue(oldKey) else { return }
        let decoder = ConversationMessage.decoder()
        let all = try? JSONSerialization.jsonObject(with: data) as? [Any]
        let sessions = (all ?? []).map { value in
            try? decoder.decode(StoredSession.self, from: JSONSerialization.data(withJSONObject: value))
        }
        // The last touched came first.
        for session in sessions.reversed().compactMap(\.self) {
            try domain.set(Record(session: session, touch: domain.nextTouch()), for: name(session.id))
        }
        if all != nil, sessions.allSatisfy({ $0 != nil }) { domain.removeOlder(oldKey) }
    }
}
