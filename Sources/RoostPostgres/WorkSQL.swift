import Foundation

/// The statements that read and write work records.
enum WorkSQL {
    static func writing(_ store: UUID, _ name: [UInt8], checksum: Int64, _ contents: [UInt8]) -> Statement {
        Statement(
            """
            INSERT INTO roost.work (store, name, checksum, contents)
            VALUES ($1::uuid, $2::bytea, $3::int8, $4::bytea)
            ON CONFLICT (store, name)
                DO UPDATE SET checksum = excluded.checksum, contents = excluded.contents
            """, [Parameter(store), Parameter(name), Parameter(checksum), Parameter(contents)])
    }

    static func reading(_ store: UUID, _ name: [UInt8]) -> Statement {
        Statement(
            "SELECT checksum, contents FROM roost.work WHERE store = $1::uuid AND name = $2::bytea",
            [Parameter(store), Parameter(name)])
    }

    /// Returns the names in a range.
    ///
    /// - Parameters:
    ///   - first: The first name.
    ///   - end: The first name after the range.
    static func names(_ store: UUID, from first: [UInt8], before end: [UInt8]) -> Statement {
        Statement(
            """
            SELECT name FROM roost.work
            WHERE store = $1::uuid AND name >= $2::bytea AND name < $3::bytea ORDER BY name
            """, [Parameter(store), Parameter(first), Parameter(end)])
    }

    static func removal(_ store: UUID, from first: [UInt8], before end: [UInt8]) -> Statement {
        Statement(
            "DELETE FROM roost.work WHERE store = $1::uuid AND name >= $2::bytea AND name < $3::bytea",
            [Parameter(store), Parameter(first), Parameter(end)])
    }
}
