import Foundation
import RoostModel
import Synchronization

/// The part of the user defaults that belongs to one storage: a value for each session or history.
struct DefaultsDomain {
    private let defaults: UserDefaults
    /// The prefix of all keys, including the final dot.
    private let prefix: String
    init(suiteName: String?, prefix: String) {
        defaults = UserDefaults(suiteName: suiteName) ?? .standard
        self.prefix = prefix + "."
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
                "cannot read the user defaults: the value of \(key(name)) is corrupt", underlying: error)
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

    /// Loads changes made by other processes, and checks the version of the values.
    ///
    /// - Throws: `StorageError` with `.newerFormat`.
    func open() throws {
        defaults.synchronize()
        let stored = defaults.object(forKey: prefix + "#schema") as? Int
        if let stored { return try ConversationSchema.check(stored, in: "the user defaults \(prefix)") }
        defaults.set(ConversationSchema.current, forKey: prefix + "#schema")
    }

    /// Writes pending changes to disk.
    ///
    /// - Throws: `StorageError` with `.inputOutput`.
    func save() throws {
        guard defaults.synchronize() else {
            throw StorageError(.inputOutput, "cannot write the user defaults")
        }
    }

    /// Returns the values that cannot be decoded.
    func damage<Value: Decodable, Subject>(
        _ type: Value.Type, _ subject: (Data) -> Subject?
    ) -> [ConversationDamage<Subject>] {
        names.filter { (try? value($0, of: type)) == nil }.map {
            ConversationDamage(subject: subject($0), location: key($0), readable: 0)
        }
    }
}
