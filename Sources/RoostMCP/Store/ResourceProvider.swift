import RoostModel

/// The resources of a server.
protocol ResourceProvider: Sendable {
    /// The templates of addresses.
    var templates: [JSONValue] { get }

    /// Returns one page of the list of resources: the members `resources` and, unless it is the last page,
    /// `nextCursor`.
    ///
    /// - Throws: ``ProtocolError`` if the cursor is invalid.
    func list(cursor: String?) async throws -> [String: JSONValue]

    /// Returns the contents of a resource; `nil` if it does not exist.
    func read(_ uri: String) async throws -> [JSONValue]?
}
