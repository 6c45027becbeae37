import RoostModel

/// A JSON-RPC error, which is sent instead of a result.
package struct ProtocolError: Error, Sendable, Hashable {
    /// The code of a JSON-RPC error, as listed by the Model Context Protocol.
    package enum Code: Int64, Sendable {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParameters = -32602
        case internalError = -32603
        /// The code of revisions before 2026-07-28 for a resource that does not exist.
        case resourceNotFound = -32002
        /// An HTTP header is missing or differs from the body.
        case headerMismatch = -32020
        case missingCapability = -32021
        case unsupportedVersion = -32022
    }

    package var code: Code
    /// A sentence for the developers of the client.
    package var message: String
    /// Additional data for programs.
    package var data: JSONValue?

    package init(_ code: Code, _ message: String, data: JSONValue? = nil) {
        (self.code, self.message, self.data) = (code, message, data)
    }

    /// Returns the response to a request. The id is `nil` if the request could not be read.
    package func response(to id: RequestID?) -> JSONValue {
        var error: [String: JSONValue] = ["code": .integer(code.rawValue), "message": .string(message)]
        error["data"] = data
        return [
            "jsonrpc": "2.0", "id": id?.value ?? .null, "error": .object(error),
        ]
    }
}
