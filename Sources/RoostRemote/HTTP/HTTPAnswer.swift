package import Foundation
package import HTTPTypes

/// The answer of an HTTP server.
package struct HTTPAnswer: Sendable {
    /// The status, such as 200.
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
