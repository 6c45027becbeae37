import Foundation
import RoostModel
import Synchronization

/// What a storage has in the user's defaults: a value under a key for each session or history.
struct DefaultsDomain {
    private let defaults: UserDefaults
    /// Before each key, with a dot after it.
    private let prefix: String
    /// Keys of older schemas, that have values which could not be brought to this one.
    private let olderKeys: [String]
    private let steps: @Sendable (DefaultsDomain) -> [SchemaMigrator.Step]

    /// - Parameter steps: what brings the values of older programs to those of this one.
    init(
        suiteName: String?, prefix: String, olderKeys: [String] = [],
        steps: @escaping @Sendable (DefaultsDomain) -> [SchemaMigrator.Step] = { _ in [] }
    ) {
        defaults = UserDefaults(suiteName: suiteName) ?? .standard
        (self.prefix, self.olderKeys, self.steps) = (prefix + ".", olderKeys, steps)
    }

    /// One at a time of all handles in the process: what is read, changed and written back is one step.
    private static let turn = Mutex(())

    func exclusively<Result: Sendable>(_ body: (DefaultsDomain) throws -> Result) throws -> Result {
        try Self.turn.withLock { _ in try body(self) }
    }

    // MARK: Values

    private func key(_ name: Data) -> String { prefix + name.base64EncodedString() }

    /// The names under which there are values, in the order of their keys.
    var names: [Data] {
        keys.compactMap(name)
    }

    private func name(_ key: String) -> Data? { Data(base64Encoded: String(key.dropFirst(prefix.count))) }

    private var keys: [String] {
        defaults.dictionaryRepresentation().keys.filter { $0.hasPrefix(prefix) }.sorted()
    }

    /// - Throws: ``StorageError`` with `.damaged` for what is none of ours.
    func value<Value: Decodable>(_ name: Data, of type: Value.Type = Value.self) throws -> Value? {
        guard let stored = defaults.object(forKey: key(name)) else { return nil }
        do {
            return try ConversationMessage.decoder().decode(type, from: stored as? Data ?? Data())
        } catch {
            throw StorageError(
                .damaged,
                "what the user's defaults have under \(key(name)) is not as it was written; "
                    + "setDamagedAside() moves it out of the way", underlying: error)
        }
    }

    func set(_ value: some Encodable, for name: Data) throws {
        defaults.set(try ConversationMessage.encoder().encode(value), forKey: key(name))
    }

    func remove(_ name: Data) { defaults.removeObject(forKey: key(name)) }

    /// A number that is higher each time.
    func nextTouch() -> Int {
        let touch = defaults.integer(forKey: prefix + "#touch") + 1
        defaults.set(touch, forKey: prefix + "#touch")
        return touch
    }

    // MARK: Reading and writing

    /// - Returns: the version that the values had.
    /// - Throws: ``StorageError`` with `.newerFormat`.
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

    /// - Throws: ``StorageError`` with `.inputOutput`.
    func save() throws {
        guard defaults.synchronize() else {
            throw StorageError(.inputOutput, "the user's defaults could not be written")
        }
    }

    // MARK: Damage

    /// What cannot be read as a type, and what stayed of older schemas.
    func damage<Value: Decodable, Subject>(
        _ type: Value.Type, _ subject: (Data) -> Subject?
    ) -> [ConversationDamage<Subject>] {
        let unreadable = names.filter { (try? value($0, of: type)) == nil }.map {
            ConversationDamage(subject: subject($0), place: key($0), readable: 0)
        }
        let left = olderKeys.filter { defaults.object(forKey: $0) != nil }
        return unreadable + left.map { ConversationDamage(subject: nil, place: $0, readable: 0) }
    }

    /// Keeps what cannot be read under other keys, for people.
    func setDamagedAside<Subject>(
        _ damage: [ConversationDamage<Subject>]
    ) throws -> [ConversationDamage<Subject>] {
        let stamp = DateText.string(from: Date()).filter(\.isNumber)
        let moved = damage.map { damage in
            var damage = damage
            let aside = "damaged-\(stamp)-\(damage.place)"
            defaults.set(defaults.object(forKey: damage.place), forKey: aside)
            defaults.removeObject(forKey: damage.place)
            damage.aside = aside
            return damage
        }
        try save()
        return moved
    }

    // MARK: Older schemas

    func olderValue(_ key: String) -> Data? { defaults.data(forKey: key) }

    func removeOlder(_ key: String) { defaults.removeObject(forKey: key) }
}
