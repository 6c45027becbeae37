package import Foundation
package import Roost
package import RoostModel

package struct ServerSettings: Sendable {
    /// The limits that protect the server from clients that use too many resources.
    package struct Limits: Sendable {
        /// The maximum size of a request body in bytes.
        package var bodyBytes = 16 << 20
        /// The maximum size of one line of a streamed body in bytes.
        package var lineBytes = 8 << 20
        /// The time in which a client must send a body.
        package var transferTime = Duration.seconds(60)
        /// The time after which an idle connection is closed.
        package var idleTime = Duration.seconds(60)
        /// The maximum number of requests that are read and answered at the same time.
        package var concurrentRequests = 64
        /// The maximum number of streams, such as change feeds, that are open at the same time.
        package var concurrentStreams = 256
        /// The maximum number of connections.
        package var connections = 4_096
        /// The maximum number of header fields of a request.
        package var headerFields = 100
        /// The maximum size of all header fields of a request in bytes.
        package var headerBytes = 64 << 10
        /// The time that requests have to finish after the server was asked to stop.
        package var shutdownTime = Duration.seconds(30)

        package init() {}
    }

    package var host = "127.0.0.1"
    /// The port; 0 for any free port.
    package var port = 4400
    /// The names and addresses that the `Host` header may contain, in addition to those of the loopback
    /// interface, without ports.
    package var allowedHosts: Set<String> = []
    /// The origins of web pages and apps that may call the server, such as `app://obsidian.md`.
    package var allowedOrigins: Set<String> = []
    /// Whether requests that change the store are refused.
    package var isReadOnly = false
    package var limits = Limits()
    package var version = ""
    /// The folder of the store, for backups; `nil` for a store without a folder.
    package var directory: URL?
    package var backups = BackupSettings()
    /// Renders a remedy as advice for people; `nil` without advice.
    package var advice: @Sendable (Remedy) -> String? = { _ in nil }

    package init() {}

    /// Returns a host in the form that it has in URLs and in the header `Host`: in lower case, and an IPv6
    /// address in brackets.
    package static func urlHost(_ text: String) -> String {
        let text = text.lowercased()
        return text.contains(":") && !text.hasPrefix("[") ? "[\(text)]" : text
    }
}
