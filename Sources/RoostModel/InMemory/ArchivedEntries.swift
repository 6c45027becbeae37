package import Foundation
import Synchronization

/// Where the contents of archived entries are read from when they are asked for.
package protocol EntryContents: Sendable {
    /// The entry of a place in the archive.
    ///
    /// - Parameter withVectors: `false` may leave embeddings and passages out.
    /// - Throws: ``StorageError`` with `.damaged` where it is not what was written.
    func entry(at index: Int, withVectors: Bool) throws -> Entry
}

/// Entries that a store does not hold in memory: what must be known of each without reading it.
///
/// Immutable, and shared by every copy of a state.
package final class ArchivedEntries: Sendable {
    /// What is known of one entry.
    package struct Place: Sendable, Hashable {
        package var id: UUID
        package var row: UInt32
        package var position: ChangePosition
        /// The numbers of its vector; 0 where it has none.
        package var dimension: Int
        /// Of the content.
        package var digest: ContentDigest
        package var source: Source.ID?

        package init(
            id: UUID, row: UInt32, position: ChangePosition, dimension: Int, digest: ContentDigest,
            source: Source.ID?
        ) {
            self.id = id
            self.row = row
            self.position = position
            self.dimension = dimension
            self.digest = digest
            self.source = source
        }
    }

    /// In the order of the rows.
    package let places: [Place]
    package let contents: any EntryContents
    private let byDigest = Mutex<[ContentDigest: Int]?>(nil)
    private let bySource = Mutex<[ExactText: [Int]]?>(nil)

    package init(places: [Place], contents: any EntryContents) {
        self.places = places
        self.contents = contents
    }

    /// Of a store that did not come from an archive.
    static let empty = ArchivedEntries(places: [], contents: NoContents())

    private struct NoContents: EntryContents {
        func entry(at index: Int, withVectors: Bool) throws -> Entry {
            preconditionFailure("an empty archive has no place \(index)")
        }
    }

    /// The last place with embeddings and this content.
    ///
    /// The first call takes time in proportion to the places.
    func index(ofContent digest: ContentDigest) -> Int? {
        byDigest.withLock { found in
            if found == nil {
                var all: [ContentDigest: Int] = Dictionary(minimumCapacity: places.count)
                for (index, place) in places.enumerated() where place.dimension > 0 {
                    all[place.digest] = index
                }
                found = all
            }
            return found?[digest]
        }
    }

    /// The places that came from a source, in the order of the rows.
    ///
    /// The first call takes time in proportion to the places.
    func indices(ofSource id: Source.ID) -> [Int] {
        bySource.withLock { found in
            if found == nil {
                var all: [ExactText: [Int]] = [:]
                for (index, place) in places.enumerated() {
                    if let source = place.source { all[ExactText(source), default: []].append(index) }
                }
                found = all
            }
            return found?[ExactText(id)] ?? []
        }
    }

    /// The index of the first place after a row.
    func firstIndex(after row: UInt32?) -> Int {
        guard let row else { return 0 }
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].row <= row { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
