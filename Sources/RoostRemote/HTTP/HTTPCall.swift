package import Foundation
package import HTTPTypes

package struct HTTPCall: Sendable {
    package var method: HTTPRequest.Method
    /// The absolute http or https URL, which is sent unchanged.
    package var url: String
    package var headers: HTTPFields
    package var body: Data?

    package init(
        _ method: HTTPRequest.Method = .get, _ url: String, headers: HTTPFields = [:], body: Data? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

package struct HTTPAnswer: Sendable {
    package var status: Int
    package var headers: HTTPFields
    /// The body, without its compression.
    package var body: Data

    package init(status: Int, headers: HTTPFields = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension HTTPFields {
    /// The value of the first header with a name, in any case; `nil` if the name is invalid.
    package subscript(named name: String) -> String? {
        HTTPField.Name(name).flatMap { name in first { $0.name == name }?.value }
    }

    /// Adds a header; does nothing if the name is invalid.
    package mutating func add(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { append(HTTPField(name: name, value: value)) }
    }
}

/// A limit on the pause between two parts of a body is not enough: a server that sends one byte per second
/// would never exceed it and could block a caller for days.
package struct BodyLimit: Sendable {
    /// The maximum size in bytes, without compression.
    package var size: Int
    /// The maximum time for a body that arrives more slowly than ``minimumRate``.
    package var timeout: Duration
    /// The number of bytes per second that a server must send after ``timeout``, on average. It is far below
    /// the speed of the slowest network on which the operation is useful.
    package var minimumRate: Double

    package init(size: Int, timeout: Duration, minimumRate: Double = 10_000) {
        self.size = size
        self.timeout = timeout
        self.minimumRate = minimumRate
    }

    func check(received: Int, after duration: Duration) throws(NetworkFailure) {
        guard received <= size else {
            throw NetworkFailure(.tooLarge, "the response is larger than \(size) bytes")
        }
        guard duration <= timeout + .seconds(Double(received) / minimumRate) else {
            throw NetworkFailure(.timedOut, "the server is too slow")
        }
    }
}

/// The reason why a server gave no answer, or no complete one.
package struct NetworkFailure: Error, Hashable, CustomStringConvertible {
    package enum Code: Sendable {
        case invalidCall
        /// The server's certificate is invalid, or the server cannot encrypt.
        case insecure
        /// The proxy requires a user and a password, or rejected them.
        case proxyAuthentication
        /// The head of the answer or a part of its body took too long.
        case timedOut
        case tooLarge
        case missingLibrary
        /// There was no connection, or it ended before the end of the answer, or the answer is invalid.
        case other
    }

    package var code: Code
    /// A description for messages, without texts of the call or the answer.
    package var description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
