package import Foundation

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
