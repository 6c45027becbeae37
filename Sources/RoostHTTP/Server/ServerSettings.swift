package import Foundation
package import RoostAuthorization
package import RoostModel

/// The settings of the HTTP server.
package struct ServerSettings: Sendable {
    /// The limits that protect the server from clients that use too many resources.
    package struct Limits: Sendable {
        /// The maximum size of a request body in bytes.
        package var bodyBytes = 16 << 20
        /// The maximum size of one line of a streamed body in bytes.
        package var lineBytes = 8 << 20
        /// The time in which a client must send a body or take an answer.
        package var transferTime = Duration.seconds(60)
        /// The time after which an idle connection is closed.
        package var idleTime = Duration.seconds(60)
        /// The time that a request may take before it is stopped, in addition to the time for its body.
        package var requestTime = Duration.seconds(120)
        /// The number of bytes of a body with texts to embed for which a request gets another second. It is
        /// far below the rate of a slow computer, because requests share the processor.
        package var bytesPerSecond = 2 << 10
        /// The maximum memory in bytes for bodies that have not arrived completely. The first 64 kB of each
        /// do not count, so small requests are answered even if clients fill this memory slowly.
        package var arrivingBytes = 256 << 20
        /// The maximum number of requests that are answered at the same time.
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

        /// Creates the default limits.
        package init() {}

        /// Returns the time that a request may take whose body has the given number of bytes to embed.
        func requestTime(forEmbedding count: Int) -> Duration {
            requestTime + .seconds(count / max(1, bytesPerSecond))
        }
    }

    /// The files of a TLS certificate.
    package struct Certificate: Sendable {
        /// The certificate chain in PEM format, the server's own certificate first.
        package var chain: URL
        /// The private key in PEM format.
        package var key: URL

        /// Creates a certificate from its files.
        package init(chain: URL, key: URL) { (self.chain, self.key) = (chain, key) }
    }

    /// The address on which the server listens.
    package var host = "127.0.0.1"
    /// The port; 0 for any free port.
    package var port = 4400
    /// The path under which clients reach the server.
    package var basePath = BasePath.root
    /// The names and addresses that the `Host` header may contain, in addition to those of the loopback
    /// interface, without ports. IPv6 addresses may have brackets.
    package var allowedHosts: Set<String> = []
    /// The origins of web pages and apps that may call the server, such as `app://obsidian.md`.
    package var allowedOrigins: Set<String> = []
    /// The certificate; `nil` for HTTP without TLS.
    package var certificate: Certificate?
    /// The authorization server whose tokens are accepted in addition to the server's own; `nil` for none.
    package var authorization: ProtectedResource?
    /// Whether requests that change the store are refused.
    package var isReadOnly = false
    /// The limits.
    package var limits = Limits()
    /// The version of the program.
    package var version = ""
    /// The folder of the store, for backups and the records of jobs; `nil` for a store without a folder.
    package var directory: URL?
    /// The passphrase of the store's own backup repository; `nil` if that is not encrypted.
    package var backupPassphrase: String?
    /// Renders a remedy as advice for people; `nil` if there is no advice.
    package var advice: @Sendable (Remedy) -> String? = { _ in nil }

    /// Creates the default settings.
    package init() {}

    /// Returns a host in the form that it has in URLs and in the header `Host`: in lower case, and an IPv6
    /// address in its shortest form in brackets.
    ///
    /// - Returns: `nil` if the text is neither a name nor an address, for example because it has a scheme or
    ///   a port.
    package static func urlHost(_ text: String) -> String? {
        let text = text.lowercased()
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let address = isBracketed ? String(text.dropFirst().dropLast()) : text
        var bytes = in6_addr()
        if inet_pton(AF_INET6, address, &bytes) == 1 {
            var form = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            inet_ntop(AF_INET6, &bytes, &form, socklen_t(form.count))
            return
                "[\(String(decoding: form.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))]"
        }
        return !isBracketed && WebOrigin.isHost(text) ? text : nil
    }
}
