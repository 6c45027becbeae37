import Foundation

/// The statements that find and create stores.
enum StoreSQL {
    static func selection(_ name: String) -> Statement {
        Statement("SELECT store FROM roost.stores WHERE name = $1::bytea", [Parameter(Array(name.utf8))])
    }

    static func space(_ store: UUID) -> Statement {
        Statement("SELECT space FROM roost.stores WHERE store = $1::uuid", [Parameter(store)])
    }

    static func insertion(_ name: String, _ store: UUID, _ space: [UInt8]?) -> Statement {
        Statement(
            """
            INSERT INTO roost.stores (name, store, space) VALUES ($1::bytea, $2::uuid, $3::bytea)
            ON CONFLICT DO NOTHING
            """, [Parameter(Array(name.utf8)), Parameter(store), Parameter(space)])
    }

    /// The name and version of the server, without the compiler with which it was built.
    static let serverVersion = Statement("SELECT split_part(version(), ' on ', 1)", isKept: false)

    static let vectorVersion = Statement(
        "SELECT extversion FROM pg_extension WHERE extname = 'vector'", isKept: false)
}
