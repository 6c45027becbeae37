/// A change of the resources of a server.
enum ResourceChange: Sendable, Hashable {
    /// The list of resources has changed.
    case list
    /// The resource with this address has changed, or was created or removed.
    case updated(String)
}
