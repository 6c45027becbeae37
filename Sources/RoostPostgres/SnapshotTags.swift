import Foundation
import RoostModel
import Synchronization

/// The different tags of a store. Filters compare them without regard to case, and look up the entries with
/// those that match by digest, because a server compares texts by the rules of its database.
final class SnapshotTags: Sendable {
    /// The tags after they were read.
    private let tags = Mutex<[String]?>(nil)

    /// Returns the tags with which a filter is evaluated; empty if it does not test tags. Tags that entries
    /// had in other revisions may be among them.
    func tags(
        for filter: EntryFilter, of store: UUID, _ run: ([Statement]) throws -> [QueryResult]
    ) throws -> [String] {
        guard filter.testsTags else { return [] }
        if let known = tags.withLock({ $0 }) { return known }
        let found = try Self.read(store, run)
        tags.withLock { $0 = found }
        return found
    }

    private static func read(
        _ store: UUID, _ run: ([Statement]) throws -> [QueryResult]
    ) throws -> [String] {
        let selection = Statement(
            "SELECT DISTINCT a.text FROM roost.attributes a WHERE a.store = $1::uuid AND a.name = $2::uuid",
            [Parameter(store), Parameter(Attribute.tag)])
        return try run([selection])[0].rows.map { String(decoding: $0.rawBytes(0), as: UTF8.self) }
    }
}
