import Foundation
import RoostModel
import RoostVectors

/// The entries whose vectors a run holds in memory: all, or a sample of them if there are too many.
///
/// The hash of an entry's id decides whether it is in the sample, so the order of ingestion does not matter, and a
/// sample of more entries has nearly the same ones.
struct VectorSample: Sendable {
    /// The rows of the entries that the run clusters; `nil` for all.
    let chosen: RowSet?
    /// The share of these entries that is in the sample, above 0 and at most 1.
    let share: Double
    /// The share of all other entries, which keep their clusters.
    private let otherShare: Double
    /// The entries that are in the sample in any case, so that the clusters that a person labeled are found
    /// again.
    private let included: Set<Entry.ID>
    /// The representatives of all clusters, and the row of an entry of each cluster that is not clustered, so that
    /// all clusters of these entries are found again.
    private let includedOthers: (ids: Set<Entry.ID>, rows: RowSet)

    /// The maximum number of clustered entries in a sample. With 384 dimensions, their vectors take 400 MB.
    static let maximumSize = 250_000

    /// The minimum size of a sample. A smaller one says little about a store.
    static let minimumSize = 100

    /// - Parameters:
    ///   - limit: The maximum number of entries that are not sampled; at least ``minimumSize`` is used.
    ///   - previous: The present clusters.
    init(
        of snapshot: any StorageSnapshot, matching filter: EntryFilter, limit: Int,
        _ previous: [Cluster]
    ) async throws {
        let count = snapshot.stamp.entryCount
        let chosen =
            filter.matchesAll
            ? nil : try await snapshot.rows(matching: filter.expandingParentCluster(in: snapshot))
        self.chosen = chosen
        let limit = max(limit, Self.minimumSize)
        let counts = [chosen?.count ?? count, chosen.map { count - $0.count } ?? 0]
        let shares = counts.map { count in
            count > limit ? Double(min(limit, Self.maximumSize)) / Double(count) : 1
        }
        (share, otherShare) = (shares[0], shares[1])
        included = Set(previous.lazy.filter(\.isLabelPinned).flatMap { $0.labelPin?.sample ?? [] })
        var rows = RowSet()
        for cluster in previous where otherShare < 1 && !cluster.members.isEmpty {
            let members = try await snapshot.rows(matching: EntryFilter(cluster: cluster.id))
            if let row = members.first(where: { chosen?.contains($0) == false }) { rows.insert(row) }
        }
        includedOthers = (otherShare < 1 ? Set(previous.flatMap(\.representatives)) : [], rows)
    }

    /// Whether the sample has all entries.
    var isComplete: Bool { share >= 1 && otherShare >= 1 }

    func contains(_ id: Entry.ID, row: UInt32) -> Bool {
        let isChosen = chosen?.contains(row) ?? true
        let share = isChosen ? share : otherShare
        return share >= 1 || included.contains(id) || Self.position(of: id) < share
            || !isChosen && (includedOthers.ids.contains(id) || includedOthers.rows.contains(row))
    }

    /// Returns the number of entries for which an entry of the sample stands.
    func weight(isChosen: Bool) -> Double { 1 / (isChosen ? share : otherShare) }

    /// Returns the number of entries to reserve memory for.
    func expectedCount(of count: Int) -> Int {
        let chosenCount = chosen?.count ?? count
        return Int(share * Double(chosenCount) + otherShare * Double(max(0, count - chosenCount)))
    }

    /// Returns a number from 0 to 1 that is evenly distributed over ids, also over ids in sequence.
    private static func position(of id: Entry.ID) -> Double {
        withUnsafeBytes(of: id.uuid) { bytes in
            func half(_ offset: Int) -> UInt64 {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
            var first = SeededGenerator(seed: half(0))
            var second = SeededGenerator(seed: first.next() ^ half(8))
            return second.nextUnit()
        }
    }
}
