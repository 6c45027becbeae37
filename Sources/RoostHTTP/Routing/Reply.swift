import Foundation
import HTTPTypes
import Hummingbird
import RoostMCP
import RoostModel

/// The answer to a request.
struct Reply: Sendable {
    /// The content of an answer.
    enum Body: Sendable {
        case none
        case bytes([UInt8], type: String)
        /// A stream, which is written by the function. If `watching` is a request, the function is canceled
        /// when the client closes the connection of this request.
        case stream(
            type: String, watching: Request?, @Sendable (StreamWriter) async throws -> Void)
    }

    typealias Status = HTTPResponse.Status

    var status: Status
    var headers = HTTPFields()
    var body = Body.none

    /// Creates an answer without a body.
    static func empty(_ status: HTTPResponse.Status = .noContent) -> Reply { Reply(status: status) }

    /// Creates an answer with a JSON value.
    static func json(_ value: JSONValue, _ status: HTTPResponse.Status = .ok) -> Reply {
        Reply(status: status, body: .bytes(JSONWriter.bytes(of: value), type: "application/json"))
    }

    /// Creates an answer with a text.
    static func text(_ text: String, type: String) -> Reply {
        Reply(status: .ok, body: .bytes(Array(text.utf8), type: type))
    }

    /// Creates a stream.
    ///
    /// - Parameter request: The request; if it is given, the stream is canceled when the client closes its
    ///   connection.
    static func stream(
        type: String, watching request: Request? = nil,
        _ write: @escaping @Sendable (StreamWriter) async throws -> Void
    ) -> Reply {
        var reply = Reply(status: .ok, body: .stream(type: type, watching: request, write))
        reply.headers[.cacheControl] = "no-store"
        if let name = HTTPField.Name("X-Accel-Buffering") { reply.headers[name] = "no" }
        return reply
    }

    /// Returns the answer with a header field.
    func with(_ name: String, _ value: String) -> Reply {
        var reply = self
        if let name = HTTPField.Name(name) { reply.headers[name] = value }
        return reply
    }
}
