import RoostModel

/// The notifications that a client requests with `subscriptions/listen`, or the part of them that the server
/// sends.
struct SubscriptionFilter: Sendable, Hashable {
    /// Whether the client wants to know that the list of resources has changed.
    var listChanges = false
    /// The addresses of resources about whose changes the client wants to know.
    var uris: [String] = []

    /// The maximum number of addresses. After a commit, the server reads these resources again.
    private static let maximumCount = 100

    /// Reads the filter of a request. Unknown kinds of notifications are ignored, because the acknowledgment
    /// tells the client which ones it will get.
    ///
    /// - Throws: ``ProtocolError`` if the filter is missing or malformed.
    init(_ parameters: JSONValue) throws(ProtocolError) {
        guard let notifications = parameters["notifications"], notifications.members != nil else {
            throw ProtocolError(
                .invalidParameters, "subscriptions/listen needs the parameter 'notifications', an object")
        }
        if let flag = notifications["resourcesListChanged"] {
            guard let value = flag.flag else {
                throw ProtocolError(.invalidParameters, "'resourcesListChanged' must be a Boolean")
            }
            listChanges = value
        }
        guard let list = notifications["resourceSubscriptions"] else { return }
        let texts = (list.elements ?? []).compactMap(\.asString)
        guard let elements = list.elements, elements.count == texts.count,
            elements.count <= Self.maximumCount
        else {
            throw ProtocolError(
                .invalidParameters,
                "'resourceSubscriptions' must be an array of at most \(Self.maximumCount) addresses")
        }
        uris = texts
    }

    /// The JSON form of the acknowledgment, without the kinds that were not requested.
    var json: JSONValue {
        var members: [String: JSONValue] = [:]
        if listChanges { members["resourcesListChanged"] = true }
        if !uris.isEmpty { members["resourceSubscriptions"] = .array(uris.map { .string($0) }) }
        return .object(members)
    }
}
