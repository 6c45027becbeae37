public import Foundation

/// Named sequences of bytes that a computation by several workers keeps in a store until it is complete.
///
/// Records are not part of the contents of a store: writing them makes no commit, and snapshots, the change
/// feed, stamps and backups do not include them. Every worker of the store can read and write them.
///
/// All methods have these properties:
/// - **Cancellation**: A call may throw `CancellationError`. A canceled ``write(_:as:)`` has written the
///   whole record or nothing.
/// - **Errors**: A call throws ``StorageError`` with `.readOnly`, `.inputOutput`, `.full`, `.unavailable` or
///   `.closed`.
public protocol WorkRecords: Sendable {
    /// Writes a record. A record with the same name is replaced.
    ///
    /// - **Atomicity**: Readers see the previous record or the new one, never a part of it.
    /// - **Visibility**: The record is visible to all workers of the store when the call returns.
    /// - **Idempotence**: Writing the same record again changes nothing.
    ///
    /// - Parameters:
    ///   - data: The contents, at most ``WorkRecordLimits/maximumSize`` bytes.
    ///   - name: The name; see ``WorkRecordLimits/isValid(_:)``.
    /// - Throws: `.invalidBatch` if the name or the size is not permitted.
    func write(_ data: Data, as name: String) async throws

    /// Returns the contents of a record; `nil` if there is no record with this name.
    ///
    /// - Throws: `.damaged` if the record is not the one that was written.
    func read(_ name: String) async throws -> Data?

    /// Returns the names that begin with a prefix, in ascending order.
    func names(withPrefix prefix: String) async throws -> [String]

    /// Removes the records whose names begin with a prefix, if the store has any.
    func remove(withPrefix prefix: String) async throws
}
