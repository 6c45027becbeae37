import RoostModel

/// The circumstances of one request.
struct CallContext: Sendable {
    var id: RequestID
    /// The revision of the protocol that applies to the request.
    var version: ProtocolVersion
    /// The token with which the client asked for progress notifications.
    var progressToken: JSONValue?
    /// Sends a notification to the client that made the request.
    var notify: @Sendable (JSONValue) -> Void = { _ in }

    /// Reports the progress of the request, if the client asked for it.
    ///
    /// - Parameters:
    ///   - progress: The amount of finished work, which must grow from call to call.
    func report(progress: Int, of total: Int, _ message: String) {
        guard let progressToken else { return }
        var parameters: [String: JSONValue] = [
            "progressToken": progressToken, "progress": .integer(Int64(progress)),
            "total": .integer(Int64(total)),
        ]
        if version >= .march2025 { parameters["message"] = .string(message) }
        notify([
            "jsonrpc": "2.0", "method": "notifications/progress", "params": .object(parameters),
        ])
    }
}
