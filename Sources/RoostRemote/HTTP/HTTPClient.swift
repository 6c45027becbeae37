package import Foundation
import HTTPTypes

/// A client for HTTP over libcurl.
///
/// All clients share one thread and its idle connections. Cookies, `.netrc` and the proxy settings of the
/// environment are not used, and only http and https addresses are connected.
package struct HTTPClient: Sendable {
    /// The maximum time for a connection, including the TLS handshake.
    package var connectTimeout: Duration
    /// The maximum time between two parts of an answer.
    package var pauseTimeout: Duration
    package var proxy: HTTPProxy?
    /// The maximum number of redirects that are followed. With 0, a redirect is the answer. The header
    /// `Authorization` is not sent to another host.
    package var maximumRedirects = 0
    /// Whether compressed bodies are requested and decompressed.
    package var decompresses = false
    /// The path of a PEM file with the certificates to trust, in place of the system's.
    package var certificates: String?
    /// The numeric address to connect to, in place of the addresses of the host in the URL.
    package var address: String?

    package init(
        connectTimeout: Duration = .seconds(10), pauseTimeout: Duration, proxy: HTTPProxy? = nil
    ) {
        self.connectTimeout = connectTimeout
        self.pauseTimeout = pauseTimeout
        self.proxy = proxy
    }

    package func send(
        _ call: HTTPCall, timeout: Duration, limit: BodyLimit,
        readsBody: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) async throws -> HTTPAnswer {
        let collector = Collector()
        try await stream(call, timeout: timeout, limit: limit) { answer in
            collector.answer = answer
            guard call.method != .head, readsBody(answer.status) else { throw Transfer.Finish() }
            let length = answer.headers[.contentLength].flatMap { Int($0) }
            try limit.check(received: length ?? 0, after: .zero)
        } body: { bytes in
            collector.answer.body.append(contentsOf: bytes)
        }
        return collector.answer
    }

    /// Sends a call and passes the parts of the answer to closures, in order, on the thread of the client.
    ///
    /// The closures can throw an error, which ends the call and is thrown. They should return soon, because
    /// other calls wait.
    package func stream(
        _ call: HTTPCall, timeout: Duration, limit: BodyLimit,
        head: @escaping @Sendable (HTTPAnswer) throws -> Void,
        body: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        try Task.checkCancellation()
        let transfer = try Transfer(
            call, self, timeout: timeout, limit: limit, Transfer.Receiver(head: head, body: body))
        try await TransferThread.shared.run(transfer)
    }

    /// The parts of an answer. `Sendable` is unchecked because only the thread of the client uses them until
    /// the call has ended.
    private final class Collector: @unchecked Sendable {
        var answer = HTTPAnswer(status: 0)
    }
}

package struct HTTPProxy: Sendable, Hashable {
    /// The protocol of the proxy, in lower case, such as `http`, `https` or `socks5h`. libcurl refuses those
    /// that it does not support.
    package var scheme: String
    package var host: String
    package var port: Int
    package var user: String?
    package var password: String?

    /// Returns the proxy that environment variables specify for an address: `http_proxy`, `https_proxy`,
    /// `all_proxy` and `no_proxy`, in lower or upper case. Loopback addresses have none.
    package init?(for url: URL, _ environment: [String: String]) {
        func value(_ name: String) -> String? {
            (environment[name] ?? environment[name.uppercased()]).flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let host = url.host?.lowercased(), !Self.isLoopback(host) else { return nil }
        for pattern in (value("no_proxy") ?? "").lowercased().split(separator: ",") {
            let name = pattern.trimmingCharacters(in: .whitespaces)
            if name == "*" || host == name || host.hasSuffix(name.hasPrefix(".") ? name : "." + name) {
                return nil
            }
        }
        guard let text = value("\(url.scheme?.lowercased() ?? "http")_proxy") ?? value("all_proxy"),
            let proxy = URL(string: text.contains("://") ? text : "http://" + text), let name = proxy.host
        else { return nil }
        // An IPv6 address in a URL has brackets, which `host` may omit.
        self.host = name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name
        scheme = proxy.scheme?.lowercased() ?? "http"
        port = proxy.port ?? (scheme == "https" ? 443 : scheme.hasPrefix("socks") ? 1080 : 80)
        user = proxy.user(percentEncoded: false)
        password = proxy.password(percentEncoded: false)
    }

    /// Returns whether a host, in lower case, is a loopback address or `localhost`.
    package static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return host == "localhost" || host == "::1" || host == "[::1]"
            || parts.count == 4 && parts[0] == 127 && !parts.contains(nil)
    }
}
