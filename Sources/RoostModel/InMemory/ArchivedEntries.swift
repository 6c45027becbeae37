package import Foundation
import RoostText
import Synchronization

/// The entries that a store does not hold in memory. Each entry has a record with the facts that the store
/// needs frequently, so that the entry itself need not be read.
///
/// The object is immutable; all copies of a state share one instance.
package final class ArchivedEntries: Sendable {
    package struct Record: Sendable, Hashable {
        package var id: UUID
        package var row: UInt32
        package var position: ChangePosition
        /// The dimension of the entry's embedding; 0 if it has none.
        package var dimension: Int
        package var digest: ContentDigest
        package var source: Source.ID?

        package init(
            id: UUID, row: UInt32, position: ChangePosition, dimension: Int, digest: ContentDigest,
            source: Source.ID?
        ) {
            (self.id, self.row, self.position, self.dimension) = (id, row, position, dimension)
            (self.digest, self.source) = (digest, source)
        }
    }

    /// One record per entry, in ascending order of rows.
    package let records: [Record]
    /// Reads an entry, which has the given index among the records.
    package let entry: @Sendable (_ index: Int, _ withVectors: Bool) throws -> Entry
    private let indexByDigest = Mutex<[ContentDigest: Int]?>(nil)
    private let indicesBySource = Mutex<[ExactText: [Int]]?>(nil)

    init(records: [Record], entry: @escaping @Sendable (Int, Bool) throws -> Entry) {
        (self.records, self.entry) = (records, entry)
    }

    static let empty = ArchivedEntries(records: []) { index, _ in
        preconditionFailure("an empty archive has no record \(index)")
    }

    /// Returns the index of the last record whose entry has this content and an embedding.
    func index(ofContent digest: ContentDigest) -> Int? {
        indexByDigest.withLock { found in
            if found == nil {
                var all: [ContentDigest: Int] = Dictionary(minimumCapacity: records.count)
                for (index, record) in records.enumerated() where record.dimension > 0 {
                    all[record.digest] = index
                }
                found = all
            }
            return found?[digest]
        }
    }

    /// Returns the indices of the records whose entries belong to a source, in ascending order of rows.
    func indices(ofSource id: Source.ID) -> [Int] {
        indicesBySource.withLock { found in
            if found == nil {
                var all: [ExactText: [Int]] = [:]
                for (index, record) in records.enumerated() {
                    if let source = record.source { all[ExactText(source), default: []].append(index) }
                }
                found = all
            }
            return found?[ExactText(id)] ?? []
        }
    }

    /// Returns the index of the first record whose row is greater than `row`, or 0 if `row` is `nil`.
    func firstIndex(after row: UInt32?) -> Int {
        row.map { row in records.partitioningIndex { $0.row > row } } ?? 0
    }
}
