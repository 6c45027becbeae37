package import Foundation
import RoostModel

/// A JSON-RPC message from a client.
package enum IncomingMessage: Sendable {
    /// A message that expects a response.
    case request(id: RequestID, method: String, parameters: JSONValue)
    /// A message that expects no response.
    case notification(method: String, parameters: JSONValue)
    /// A response. The server sends no requests, so it ignores responses.
    case response

    /// Decodes a message.
    ///
    /// - Throws: ``ProtocolError`` if the value is not a JSON-RPC 2.0 message.
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
        guard let method = method.asString else {
            throw ProtocolError(.invalidRequest, "the member 'method' must be a string")
        }
        let parameters = members["params"] ?? [:]
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
