import Foundation
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

    /// Sends a call and returns the complete answer.
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
