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

/// The limits of a work record. Every store accepts records within these limits.
public enum WorkRecordLimits {
    /// The maximum size of a record in bytes, 16 MiB.
    public static let maximumSize = 16 << 20
    /// The maximum length of a name in bytes.
    public static let maximumNameLength = 100

    /// Returns whether a name is permitted: 1 to 100 lower-case letters of ASCII, digits, `-` and `.`, the
    /// first of which is a letter.
    public static func isValid(_ name: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard let first = name.utf8.first, letters.contains(first) else { return false }
        return name.utf8.count <= maximumNameLength
            && name.utf8.allSatisfy {
                letters.contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
            }
    }

    /// Checks a record before it is written.
    ///
    /// - Throws: ``StorageError`` with `.invalidBatch`.
    package static func check(_ data: Data, _ name: String) throws {
        guard isValid(name) else {
            throw StorageError.invalid("cannot write a work record: its name is not permitted")
        }
        guard data.count <= maximumSize else {
            throw StorageError.invalid(
                "cannot write the work record \(name): it has \(data.count) bytes, and the maximum is "
                    + "\(maximumSize)")
        }
    }
}
