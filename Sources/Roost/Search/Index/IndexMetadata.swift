import Foundation
import RoostModel

/// The metadata of an index file, which identify the state of the store that the file was built from.
struct IndexMetadata: Codable, Sendable, Hashable {
    /// The version of the file format.
    var format = IndexMetadata.currentFormat
    /// The id of the store.
    var store: UUID
    /// The epoch of the store's history.
    var epoch: UUID
    /// The revision that the file was built from.
    var revision: Revision
    /// The number of rows: passages or entries.
    var count: Int
    /// The number of components of a vector; `nil` in a file without vectors.
    var dimension: Int?
    /// The time of creation in milliseconds since 1970.
    var createdAt: Int64
    /// The number of passages that are omitted because their vectors contain numbers that are not finite.
    var incomparable: Int?
    /// The distribution of the cosines of random pairs of passages; `nil` in a file without vectors, and in a
    /// file that was written before scores were calibrated.
    var pairs: PairStatistics?
    /// The version of the word analysis (`TextAnalysis/version`) in a file of words; `nil` in a file without
    /// words, and in a file that was written before the analysis had a version.
    var analysis: String?

    static let currentFormat = 1

    private static let maximumCount = 1 << 32

    init(of stamp: Stamp, count: Int, dimension: Int? = nil) {
        (store, epoch, revision) = (stamp.store, stamp.epoch, stamp.revision)
        self.count = count
        self.dimension = dimension
        createdAt = Date().milliseconds
    }

    /// The position in the change feed up to which the file includes all changes.
    var cursor: ChangeCursor {
        ChangeCursor(epoch: epoch, revision: revision, ordinal: .max, horizon: revision)
    }

    /// Whether `count` and `dimension` are within their valid ranges.
    var isValid: Bool {
        count >= 0 && count < Self.maximumCount
            && dimension.map((1...EmbeddingSpace.maximumDimension).contains) ?? true
    }

    /// Returns whether the file was built from the given state of the store or an earlier one of its history.
    func isUsable(for stamp: Stamp) -> Bool {
        format == Self.currentFormat && store == stamp.store && epoch == stamp.epoch
            && revision <= stamp.revision
    }

    /// Returns whether the file belongs to the same history of the store as another file, but to a later
    /// revision.
    func isNewer(than other: IndexMetadata) -> Bool {
        format == other.format && store == other.store && epoch == other.epoch && revision > other.revision
    }
}
