/// A row of a list.
struct ListRow {
    /// One cell per column, each on one line, except exact paths and names.
    var cells: [String]
    /// The output as JSON.
    var document: any Encodable
    /// The path for `--format paths`; `nil` if the row has none.
    var path: String?
}
