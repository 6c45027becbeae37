import Foundation
import RoostModel

/// Data for searching that is derived from the entries of a store.
///
/// The data is mapped from the store's index files, or built from all entries if there is no usable index.
/// The change feed brings it up to date before each use.
protocol DerivedContents: Sendable {
    /// Creates contents without entries, which have the cursor `.start`.
    init()

    /// The position in the change feed up to which the contents include all changes; `.start` for contents
    /// that have not been loaded.
    var cursor: ChangeCursor { get set }

    /// Whether a part of the contents is mapped from the store's index files.
    var isMapped: Bool { get }

    /// A message to the user about how the contents were loaded.
    var notice: SearchNotice? { get set }

    /// The maximum number of changed entries to read one by one. If more have changed, it is faster to read
    /// all entries in order.
    var maximumChanges: Int { get }

    /// Maps the store's index files.
    ///
    /// - Parameter stamp: The current state of the store.
    /// - Returns: `nil` if the store has no index for its current history.
    /// - Throws: `SectionFile/Unusable` if the index is damaged.
    static func map(_ directory: URL, _ stamp: Stamp) throws -> Self?

    /// Builds the contents from all entries.
    init(of snapshot: any StorageSnapshot) async throws

    /// Updates the contents for entries that have been changed or removed.
    mutating func update(_ changed: Set<Entry.ID>, from snapshot: any StorageSnapshot) async throws
}
