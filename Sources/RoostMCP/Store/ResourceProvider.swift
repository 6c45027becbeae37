/// The resources of a server.
protocol ResourceProvider: Sendable {
    /// The templates of addresses.
    var templates: [JSONValue] { get }

    /// Whether the list of resources can change while the server runs.
    var listCanChange: Bool { get }

    /// Returns one page of the list of resources: the members `resources` and, unless it is the last page,
    /// `nextCursor`.
    ///
    /// - Throws: ``ProtocolError`` if the cursor is invalid.
    func list(cursor: String?) async throws -> [String: JSONValue]

    /// Returns the contents of a resource; `nil` if it does not exist.
    func read(_ uri: String) async throws -> [JSONValue]?

    /// Returns a subscription, which reports all changes after the call.
    func subscription(_ filter: SubscriptionFilter) async throws -> any ResourceSubscription
}
