/// The SQL types of columns.
enum ColumnType {
    case uuid, int8, float8, bytea, vector

    var name: String {
        switch self {
        case .uuid: "uuid"
        case .int8: "int8"
        case .float8: "float8"
        case .bytea: "bytea"
        case .vector: "vector"
        }
    }

    /// The object identifier of the type in every server; 0 for `vector`, whose identifier differs between
    /// databases.
    var oid: UInt32 {
        switch self {
        case .uuid: 2950
        case .int8: 20
        case .float8: 701
        case .bytea: 17
        case .vector: 0
        }
    }
}
