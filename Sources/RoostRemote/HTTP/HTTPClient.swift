import Foundation
import HTTPTypes

/// All clients share one thread and its idle connections. Cookies, `.netrc` and the proxy settings of the
/// environment are not used, and only http and https addresses are connected.
struct HTTPClient: Sendable {
    /// The maximum time for a connection, including the TLS handshake.
    var connectTimeout = Duration.seconds(10)
    /// The maximum time between two parts of an answer.
    var pauseTimeout: Duration
    var proxy: HTTPProxy?
    /// The maximum number of redirects that are followed. With 0, a redirect is the answer. The header
    /// `Authorization` is not sent to another host.
    var maximumRedirects = 0
    /// Whether compressed bodies are requested and decompressed.
    var decompresses = false
    /// The numeric address to connect to, in place of the addresses of the host in the URL.
    var address: String?

    func send(
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
    func stream(
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

struct HTTPProxy: Sendable, Hashable {
    /// The protocol of the proxy, in lower case, such as `http`, `https` or `socks5h`. libcurl refuses those
    /// that it does not support.
    var scheme: String
    var host: String
    var port: Int
    var user: String?
    var password: String?

    /// Returns the proxy that environment variables specify for an address: `http_proxy`, `https_proxy`,
    /// `all_proxy` and `no_proxy`, in lower or upper case. Loopback addresses have none.
    init?(for url: URL, _ environment: [String: String]) {
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
    static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return host == "localhost" || host == "::1" || host == "[::1]"
            || parts.count == 4 && parts[0] == 127 && !parts.contains(nil)
    }
}

extension [String: String] {
    /// The environment variables that configure proxies, such as `https_proxy`.
    var proxySettings: [String: String] { filter { $0.key.lowercased().hasSuffix("_proxy") } }
}

struct HTTPCall: Sendable {
    var method: HTTPRequest.Method
    /// The absolute http or https URL, which is sent unchanged.
    var url: String
    var headers: HTTPFields
    var body: Data?

    init(
        _ method: HTTPRequest.Method = .get, _ url: String, headers: HTTPFields = [:], body: Data? = nil
    ) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }
}

struct HTTPAnswer: Sendable {
    var status: Int
    var headers = HTTPFields()
    /// The body, without its compression.
    var body = Data()
}

extension HTTPFields {
    /// The value of the first header with a name, in any case; `nil` if the name is invalid.
    subscript(named name: String) -> String? {
        HTTPField.Name(name).flatMap { name in first { $0.name == name }?.value }
    }

    /// Adds a header; does nothing if the name is invalid.
    mutating func add(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { append(HTTPField(name: name, value: value)) }
    }
}

/// A limit on the pause between two parts of a body is not enough: a server that sends one byte per second
/// would never exceed it and could block a caller for days.
struct BodyLimit: Sendable {
    /// The maximum size in bytes, without compression.
    var size: Int
    /// The maximum time for a body that arrives more slowly than ``minimumRate``.
    var timeout: Duration
    /// The number of bytes per second that a server must send after ``timeout``, on average. It is far below
    /// the speed of the slowest network on which the operation is useful.
    var minimumRate = 10_000.0

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
struct NetworkFailure: Error, Hashable, CustomStringConvertible {
    enum Code: Sendable {
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

    var code: Code
    /// A description for messages, without texts of the call or the answer.
    var description: String

    init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }
}
