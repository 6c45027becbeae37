import Foundation
import RoostModel
import Synchronization

/// The part of the user defaults that belongs to one storage: a value for each session or history.
struct DefaultsDomain {
    private let defaults: UserDefaults
    /// The prefix of all keys, including the final dot.
    private let prefix: String
    /// The keys of older schemas. They still have values if a migration could not read them.
    private let olderKeys: [String]
    private let steps: @Sendable (DefaultsDomain) -> [SchemaMigrator.Step]

    /// Opens a domain of the user defaults.
    ///
    /// - Parameter steps: Returns the migrations from older schemas.
    init(
        suiteName: String?, prefix: String, olderKeys: [String] = [],
        steps: @escaping @Sendable (DefaultsDomain) -> [SchemaMigrator.Step] = { _ in [] }
    ) {
        defaults = UserDefaults(suiteName: suiteName) ?? .standard
        (self.prefix, self.olderKeys, self.steps) = (prefix + ".", olderKeys, steps)
    }

    /// Serializes access by all instances in this process, because reading, changing and writing a value is
    /// not atomic.
    private static let mutex = Mutex(())

    /// Runs `body` while no other instance in this process uses the user defaults.
    func exclusively<Result: Sendable>(_ body: (DefaultsDomain) throws -> Result) throws -> Result {
        try Self.mutex.withLock { _ in try body(self) }
    }

    // MARK: Values

    private func key(_ name: Data) -> String { prefix + name.base64EncodedString() }

    /// The names of all values, in the order of their keys.
    var names: [Data] {
        keys.compactMap(name)
    }

    private func name(_ key: String) -> Data? { Data(base64Encoded: String(key.dropFirst(prefix.count))) }

    private var keys: [String] {
        defaults.dictionaryRepresentation().keys.filter { $0.hasPrefix(prefix) }.sorted()
    }

    /// Returns a value, or `nil` if it does not exist.
    ///
    /// - Throws: `StorageError` with `.damaged` if it cannot be decoded.
    func value<Value: Decodable>(_ name: Data, of type: Value.Type = Value.self) throws -> Value? {
        guard let stored = defaults.object(forKey: key(name)) else { return nil }
        do {
            return try ConversationMessage.decoder().decode(type, from: stored as? Data ?? Data())
        } catch {
            throw StorageError(
                .damaged,
                "cannot read the user defaults: the value of \(key(name)) is corrupt", underlying: error,
                remedy: .setDamagedAside)
        }
    }

    func set(_ value: some Encodable, for name: Data) throws {
        defaults.set(try ConversationMessage.encoder().encode(value), forKey: key(name))
    }

    func remove(_ name: Data) { defaults.removeObject(forKey: key(name)) }

    /// Returns the next number of an ascending sequence. The numbers determine the order of sessions with
    /// equal access times.
    func nextTouch() -> Int {
        let touch = defaults.integer(forKey: prefix + "#touch") + 1
        defaults.set(touch, forKey: prefix + "#touch")
        return touch
    }

    // MARK: Reading and writing

    /// Loads changes made by other processes and migrates the values.
    ///
    /// - Returns: The version before the migration.
    /// - Throws: `StorageError` with `.newerFormat`.
    @discardableResult
    func open() throws -> Int {
        defaults.synchronize()
        let isEmpty = keys.isEmpty && olderKeys.allSatisfy { defaults.object(forKey: $0) == nil }
        return try SchemaMigrator(steps: steps(self)).migrateIfNeeded(
            stored: defaults.object(forKey: prefix + "#schema") as? Int, isEmpty: isEmpty
        ) { version in
            defaults.set(version, forKey: prefix + "#schema")
        }
    }

    func migrateIfNeeded() throws -> Int {
        try exclusively { domain in
            let version = try domain.open()
            try domain.save()
            return version
        }
    }

    /// Writes pending changes to disk.
    ///
    /// - Throws: `StorageError` with `.inputOutput`.
    func save() throws {
        guard defaults.synchronize() else {
            throw StorageError(.inputOutput, "cannot write the user defaults")
        }
    }

    // MARK: Damage

    /// Returns the values that cannot be decoded, and the values of older schemas that could not be migrated.
    func damage<Value: Decodable, Subject>(
        _ type: Value.Type, _ subject: (Data) -> Subject?
    ) -> [ConversationDamage<Subject>] {
        let unreadable = names.filter { (try? value($0, of: type)) == nil }.map {
            ConversationDamage(subject: subject($0), location: key($0), readable: 0)
        }
        let unmigrated = olderKeys.filter { defaults.object(forKey: $0) != nil }
        return unreadable + unmigrated.map { ConversationDamage(subject: nil, location: $0, readable: 0) }
    }

    /// Moves damaged values to new keys, where they can be inspected.
    func setDamagedAside<Subject>(
        _ damage: [ConversationDamage<Subject>]
    ) throws -> [ConversationDamage<Subject>] {
        let stamp = DateText.string(from: Date()).filter(\.isNumber)
        let moved = damage.map { damage in
            var damage = damage
            let newKey = "damaged-\(stamp)-\(damage.location)"
            defaults.set(defaults.object(forKey: damage.location), forKey: newKey)
            defaults.removeObject(forKey: damage.location)
            damage.movedTo = newKey
            return damage
        }
        try save()
        return moved
    }

    // MARK: Older schemas

    /// Returns the value of an older schema's key.
    func olderValue(_ key: String) -> Data? { defaults.data(forKey: key) }

    /// Removes the value of an older schema's key.
    func removeOlder(_ key: String) { defaults.removeObject(forKey: key) }
}
