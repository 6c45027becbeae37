package import Foundation

extension StorageError {
    /// Returns the error for a vector whose dimension differs from that of the store's other vectors.
    package static func dimension(_ entry: UUID, _ found: Int, _ expected: Int) -> StorageError {
        StorageError(
            .dimensionMismatch,
            "cannot commit the batch: the vector of entry \(entry) has dimension \(found), and the "
                + "vectors of the store have dimension \(expected)")
    }

    /// The error for a new entry if all row numbers, which have 32 bits and are never used twice, were used.
    package static var noMoreRows: StorageError {
        StorageError(
            .full,
            "cannot commit the batch: the store has no more row numbers; export its entries and import them "
                + "into a new store")
    }
}
