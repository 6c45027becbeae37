/// An SQL statement with the values of its parameters.
struct Statement: Sendable {
    let sql: String
    let parameters: [Parameter]
    /// Whether the connection keeps the prepared statement. Statements with a variable text are not kept,
    /// because a connection would collect them without limit.
    let isKept: Bool

    init(_ sql: String, _ parameters: [Parameter] = [], isKept: Bool = true) {
        (self.sql, self.parameters, self.isKept) = (sql, parameters, isKept)
    }
}
