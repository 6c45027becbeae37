import Foundation
import RoostModel
import Synchronization

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

    public func deleteSession(id: String) async throws { records.remove(Data(id.utf8)) }

    public func deleteAllSessions() async throws { records.values = [:] }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try records.changeSession(id) { $0.messages = messages }
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try records.changeSession(id) { $0.messages += messages }
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try records.updateSessionId(oldId: oldId, newId: newId)
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try records.importSession(session)
        return true
    }
}

/// The sessions in the user defaults.
private struct DefaultsRecords: SessionRecords {
    let defaults: UserDefaults

    private static let prefix = "roost.session."
    /// The keys of the version of the format and of the number of the last change. No name in Base64 contains `#`.
    private static let (schemaKey, touchKey) = (prefix + "#schema", prefix + "#touch")

    /// Serializes access by all instances in this process, because reading, changing and writing a value is
    /// not atomic.
    private static let mutex = Mutex(())

    /// Runs `body` while no other instance in this process uses the user defaults. Changes made by other
    /// processes are loaded before.
    func read<Result: Sendable>(_ body: (DefaultsRecords) throws -> Result) throws -> Result {
        try Self.mutex.withLock { _ in
            defaults.synchronize()
            if let stored = defaults.object(forKey: Self.schemaKey) as? Int {
                try ConversationFormat.check(version: stored, in: "the user defaults \(Self.prefix)")
            } else {
                defaults.set(ConversationFormat.version, forKey: Self.schemaKey)
            }
            return try body(self)
        }
    }

    /// Runs `body` like ``read(_:)``, and writes its changes to disk.
    func write(_ body: (inout DefaultsRecords) throws -> Void) throws {
        try read { records in
            var records = records
            try body(&records)
            guard defaults.synchronize() else {
                throw StorageError(.inputOutput, "cannot write the user defaults")
            }
        }
    }

    private func key(_ name: Data) -> String { Self.prefix + name.base64EncodedString() }

    /// The names of all values, in the order of their keys.
    var names: [Data] {
        defaults.dictionaryRepresentation().keys.filter { $0.hasPrefix(Self.prefix) }.sorted()
            .compactMap { Data(base64Encoded: String($0.dropFirst(Self.prefix.count))) }
    }

    func record(_ name: Data) throws -> SessionRecord? {
        guard let stored = defaults.object(forKey: key(name)) else { return nil }
        do {
            return try ConversationFormat.decoder().decode(
                SessionRecord.self, from: stored as? Data ?? Data())
        } catch {
            throw StorageError(
                .damaged,
                "cannot read the user defaults: the value of \(key(name)) is corrupt", underlying: error)
        }
    }

    func set(_ record: SessionRecord, for name: Data) throws {
        defaults.set(try ConversationFormat.encoder().encode(record), forKey: key(name))
    }

    func remove(_ name: Data) { defaults.removeObject(forKey: key(name)) }

    func nextTouch() -> Int {
        let touch = defaults.integer(forKey: Self.touchKey) + 1
        defaults.set(touch, forKey: Self.touchKey)
        return touch
    }
}

/// A session storage that keeps each session in the user defaults. It is suitable for a small number of short
/// sessions, because each change writes the complete session.
///
/// Several storages of one process can be used at the same time. If two processes change the same session at
/// the same time, one of the changes may be lost; a power failure may undo the most recent changes. These are
/// limitations of `UserDefaults`.
public actor UserDefaultsSessionStorage: SessionStorageProtocol {
    private let records: DefaultsRecords
    private let onDamage: DamageHandler

    /// Creates a storage.
    ///
    /// - Parameters:
    ///   - suiteName: The suite of the user defaults; `nil` uses the standard user defaults.
    ///   - onDamage: Called for sessions that ``getAllSessions()`` omits because they cannot be read. By
    ///     default, a warning is logged.
    public init(suiteName: String? = nil, onDamage: DamageHandler? = nil) {
        records = DefaultsRecords(defaults: UserDefaults(suiteName: suiteName) ?? .standard)
        self.onDamage = onDamage ?? ConversationFormat.warn
    }

    public func saveSession(id: String, firstMessage: String) async throws {
        try records.write { try $0.saveSession(id: id, firstMessage: firstMessage) }
    }

    /// Returns all sessions, most recently accessed first. Sessions that cannot be read are omitted and
    /// reported (``init(suiteName:onDamage:)``).
    public func getAllSessions() async throws -> [StoredSession] {
        let onDamage = onDamage
        return try records.read { records in
            let read = try records.names.compactMap { name in
                do {
                    return try records.record(name)
                } catch let error as StorageError where error.code == .damaged {
                    onDamage(error)
                    return nil
                }
            }
            return DefaultsRecords.sessions(read)
        }
    }

    public func getSession(id: String) async throws -> StoredSession? {
        try records.read { try $0.record(Data(id.utf8))?.session }
    }

    public func updateLastAccessed(id: String) async throws {
        try records.write { try $0.changeSession(id) { _ in } }
    }

    public func deleteSession(id: String) async throws { try records.write { $0.remove(Data(id.utf8)) } }

    public func deleteAllSessions() async throws {
        try records.write { records in
            for name in records.names { records.remove(name) }
        }
    }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try records.write { try $0.changeSession(id) { $0.messages = messages } }
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try records.write { try $0.changeSession(id) { $0.messages += messages } }
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try records.write { try $0.updateSessionId(oldId: oldId, newId: newId) }
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try records.write { try $0.importSession(session) }
        return true
    }
}
