import Foundation

@testable import RoostPostgres

/// Triggers that reject the first transactions that write to a table.
struct Rejections {
    /// The number of rejected transactions.
    static let number = 3

    let connection: Connection
    let name = "reject_\(UUID().uuidString.replacing("-", with: "").lowercased())"

    init(state: String, table: String, _ settings: ConnectionSettings) throws {
        connection = try Connection(settings)
        try execute("CREATE SEQUENCE \(name)_count")
        // A sequence is not rolled back with the transaction.
        try execute(
            """
            CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('\(name)_count') <= \(Self.number) THEN
                    RAISE EXCEPTION 'rejected by the test' USING ERRCODE = '\(state)';
                END IF;
                RETURN NEW;
            END $$
            """)
        try execute(
            """
            CREATE TRIGGER \(name) BEFORE INSERT OR UPDATE ON roost.\(table) FOR EACH ROW
            EXECUTE FUNCTION \(name)()
            """)
    }

    private func execute(_ sql: String) throws { try connection.execute(sql, CallLimits(.seconds(1200))) }

    func count() throws -> Int {
        try connection.run(
            Statement("SELECT nextval('\(name)_count')", isKept: false), CallLimits(.seconds(1200))
        ).rows[0].int(0)
    }
}
