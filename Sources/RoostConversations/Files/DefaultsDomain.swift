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

    /// Runs `body` while no other instance in this process uses the user defaults. Changes made by other
    /// processes are loaded before.
    func read<Result: Sendable>(_ body: (DefaultsDomain) throws -> Result) throws -> Result {
        try Self.mutex.withLock { _ in
            try open()
            return try body(self)
        }
    }

    /// Runs `body` like ``read(_:)``, and writes its changes to disk.
    func write(_ body: (inout DefaultsDomain) throws -> Void) throws {
        try read { domain in
            var domain = domain
            try body(&domain)
            guard defaults.synchronize() else {
                throw StorageError(.inputOutput, "cannot write the user defaults")
            }
        }
    }

    private func open() throws {
        defaults.synchronize()
        if let stored = defaults.object(forKey: prefix + "#schema") as? Int {
            try ConversationFormat.check(version: stored, in: "the user defaults \(prefix)")
        } else {
            defaults.set(ConversationFormat.version, forKey: prefix + "#schema")
        }
    }

    // MARK: Values

    private func key(_ name: Data) -> String { prefix + name.base64EncodedString() }

    /// The names of all values, in the order of their keys.
    var names: [Data] {
        defaults.dictionaryRepresentation().keys.filter { $0.hasPrefix(prefix) }.sorted()
            .compactMap { Data(base64Encoded: String($0.dropFirst(prefix.count))) }
    }

    func value<Value: Decodable>(_ name: Data, of type: Value.Type = Value.self) throws -> Value? {
        guard let stored = defaults.object(forKey: key(name)) else { return nil }
        do {
            return try ConversationFormat.decoder().decode(type, from: stored as? Data ?? Data())
        } catch {
            throw StorageError(
                .damaged,
                "cannot read the user defaults: the value of \(key(name)) is corrupt", underlying: error)
        }
    }

    func set(_ value: some Encodable, for name: Data) throws {
        defaults.set(try ConversationFormat.encoder().encode(value), forKey: key(name))
    }

    func remove(_ name: Data) { defaults.removeObject(forKey: key(name)) }

    func nextTouch() -> Int {
        let touch = defaults.integer(forKey: prefix + "#touch") + 1
        defaults.set(touch, forKey: prefix + "#touch")
        return touch
    }
}
