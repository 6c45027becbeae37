package import Foundation
package import HTTPTypes

/// A request to an HTTP server.
package struct HTTPCall: Sendable {
    package var method: HTTPRequest.Method
    /// The absolute http or https URL, which is sent unchanged.
    package var url: String
    package var headers: HTTPFields
    /// The body; `nil` for a request without one.
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
