import Foundation
import Synchronization

/// Work records in the memory of the process.
final class InMemoryWorkRecords: WorkRecords {
    private let records = Mutex<[String: Data]>([:])

    func write(_ data: Data, as name: String) async throws {
        try Task.checkCancellation()
        try WorkRecordLimits.check(data, name)
        records.withLock { $0[name] = data }
    }

    func read(_ name: String) async throws -> Data? { records.withLock { $0[name] } }

    func names(withPrefix prefix: String) async throws -> [String] {
        records.withLock { $0.keys.filter { $0.hasPrefix(prefix) }.sorted() }
    }

    func remove(withPrefix prefix: String) async throws {
        try Task.checkCancellation()
        records.withLock { $0 = $0.filter { !$0.key.hasPrefix(prefix) } }
    }
}
