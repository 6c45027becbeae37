package import Foundation
import RoostModel

package enum IncomingMessage: Sendable {
    case request(id: RequestID, method: String, parameters: JSONValue)
    case notification(method: String, parameters: JSONValue)
    /// A response. The server sends no requests, so it ignores responses.
    case response

    package init(_ value: JSONValue) throws(ProtocolError) {
        guard let members = value.members else {
            throw ProtocolError(.invalidRequest, "a message must be a JSON object")
        }
        guard members["jsonrpc"] == "2.0" else {
            throw ProtocolError(.invalidRequest, "the member 'jsonrpc' must be \"2.0\"")
        }
        guard let method = members["method"] else {
            guard members["result"] != nil || members["error"] != nil else {
                throw ProtocolError(.invalidRequest, "a request needs the member 'method'")
            }
            self = .response
            return
        }
        guard let method = method.string else {
            throw ProtocolError(.invalidRequest, "the member 'method' must be a string")
        }
        let parameters = members["params"]?.unlessNull ?? [:]
        guard parameters.members != nil else {
            throw ProtocolError(.invalidRequest, "the member 'params' must be an object")
        }
        guard let idValue = members["id"] else {
            self = .notification(method: method, parameters: parameters)
            return
        }
        guard let id = RequestID(idValue) else {
            throw ProtocolError(.invalidRequest, "the member 'id' must be a string or a whole number")
        }
        self = .request(id: id, method: method, parameters: parameters)
    }

    /// Parses the JSON text of one message or batch.
    ///
    /// Half of a surrogate pair is read as U+FFFD. The client would otherwise wait for its response: an error
    /// in the text of a message cannot be answered with the id of a request.
    package static func parse(_ data: Data) throws(ProtocolError) -> JSONValue {
        do {
            return try JSONValue(json: data, repairsSurrogates: true)
        } catch {
            throw ProtocolError(.parseError, "the message is not valid JSON: \(error)")
        }
    }

    /// Returns the id of a message that could not be decoded, so that the client can match the error.
    package static func id(of value: JSONValue) -> RequestID? { RequestID(value["id"]) }
}

/// The id of a JSON-RPC request: a string or an integer.
package enum RequestID: Sendable, Hashable {
    case string(String)
    case integer(Int64)

    /// Creates an id from a JSON value.
    ///
    /// - Returns: `nil` if the value is neither a string nor a whole number.
    package init?(_ value: JSONValue?) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .number(let number):
            guard let whole = Int64(exactly: number) else { return nil }
            self = .integer(whole)
        default: return nil
        }
    }

    package var value: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        }
    }
}

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
        case unsupportedVersion = -32022
    }

    package var code: Code
    package var message: String
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

/// A revision of the Model Context Protocol.
///
/// Source: the published schemas of the revisions (modelcontextprotocol/modelcontextprotocol).
package enum ProtocolVersion: String, Sendable, CaseIterable, Comparable {
    case november2024 = "2024-11-05"
    case march2025 = "2025-03-26"
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    case july2026 = "2026-07-28"

    package static let newestNegotiated = november2025

    package static var supported: [JSONValue] { allCases.reversed().map { .string($0.rawValue) } }

    /// Whether every request is self-contained: it carries the revision and the client's capabilities, and
    /// there is no `initialize`.
    package var isStateless: Bool { self >= .july2026 }
    /// Whether several messages can be sent as an array. Only one revision has this feature.
    package var allowsBatches: Bool { self == .march2025 }
    var hasAnnotations: Bool { self >= .march2025 }
    /// Whether tools have titles and output schemas, and results have structured content.
    var hasStructuredContent: Bool { self >= .june2025 }

    // The raw values are dates, whose lexicographic order is their order in time.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

struct CallContext: Sendable {
    var version: ProtocolVersion
    var progressToken: JSONValue?
    /// Sends a notification to the client that made the request.
    var notify: @Sendable (JSONValue) -> Void = { _ in }

    /// Reports the progress of the request, from 0 to 100, if the client asked for it. It must grow from call to call.
    func report(_ progress: Int, _ message: String) {
        guard let progressToken else { return }
        var parameters: [String: JSONValue] = [
            "progressToken": progressToken, "progress": .count(progress), "total": 100,
        ]
        if version >= .march2025 { parameters["message"] = .string(message) }
        notify([
            "jsonrpc": "2.0", "method": "notifications/progress", "params": .object(parameters),
        ])
    }
}
