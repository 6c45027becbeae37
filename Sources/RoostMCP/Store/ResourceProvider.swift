import RoostModel

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

/// A change of the resources of a server.
enum ResourceChange: Sendable, Hashable {
    /// The list of resources has changed.
    case list
    /// The resource with this address has changed, or was created or removed.
    case updated(String)
}

/// A subscription to changes of resources.
protocol ResourceSubscription {
    /// The part of the requested notifications that the subscription reports.
    var filter: SubscriptionFilter { get }

    /// Waits until subscribed resources have changed, and returns the changes; at least one.
    ///
    /// - Throws: The errors of the store; `CancellationError` if the task is canceled.
    mutating func next() async throws -> [ResourceChange]
}
