import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import RoostModel
import Synchronization

/// Asks a server, again where it fails for a passing reason.
final class RemoteTransport: Sendable {
    /// The server cannot take so much at once.
    struct TooLarge: Error {
        /// Whether the server says so, rather than only refusing.
        var isCertain: Bool
        var status: UInt
        var hint: String
    }

    /// The server did not answer in time.
    struct TimedOut: Error {
        var asEmbedderError: EmbedderError
    }

    private let model: RemoteModel
    private let client: HTTPClient
    private let retries = Atomic<Int>(0)

    /// The most bytes that an answer may have.
    private let largestAnswer: Int

    /// Requests that were sent again, so far.
    var retryCount: Int { retries.load(ordering: .relaxed) }

    init(_ model: RemoteModel, largestAnswer: Int = 256 << 20) {
        self.model = model
        self.largestAnswer = largestAnswer
        var configuration = HTTPClient.Configuration()
        // Whoever is redirected would send texts and key to a place that the user has not named.
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(10)
        // The request's own limit ends with the head of the answer; this one is for its body.
        configuration.timeout.read = .nanoseconds(Int64(model.timeout / .nanoseconds(1)))
        // Tries are counted here: a refused connection is told at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.proxy = Self.proxy(for: model.endpoint, model.environment)
        client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    deinit { client.shutdown { _ in } }

    /// Posts JSON and returns the body of the answer.
    ///
    /// - Throws: ``TooLarge``; ``TimedOut``; ``EmbedderError``; `CancellationError`.
    func post(_ body: Data, to path: String) async throws -> Data {
        var attempt = 1
        while true {
            try Task.checkCancellation()
            let failure: EmbedderError
            var wait: Duration?
            do {
                let (response, data) = try await send(body, path)
                switch response.status.code {
                case 200..<300: return data
                case 429, 502, 503, 504:
                    wait = Self.retryAfter(response.headers)
                    failure = EmbedderError(
                        .unavailable, "\(place) answers with status \(response.status.code)",
                        isRetryable: true)
                default: throw Self.refusal(response.status.code, data, place, path)
                }
            } catch let error as TooLarge {
                throw error
            } catch let error as EmbedderError {
                throw error
            } catch {
                if Task.isCancelled || error is CancellationError { throw CancellationError() }
                if let error = error as? HTTPClientError, [.deadlineExceeded, .readTimeout].contains(error) {
                    // Sent again as it is, it would only add to what the server is busy with.
                    throw TimedOut(
                        asEmbedderError: EmbedderError(
                            .unavailable, "\(place) did not answer within \(model.timeout)",
                            isRetryable: true))
                }
                if let final = Self.lasting(error, place) { throw final }
                let reason = (error as? HTTPClientError)?.description ?? String(describing: type(of: error))
                failure = EmbedderError(
                    .unavailable, "\(place) cannot be reached (\(reason))", isRetryable: true)
            }
            guard attempt < model.attempts else { throw failure }
            try await Task.sleep(for: pause(attempt, atLeast: wait))
            retries.add(1, ordering: .relaxed)
            attempt += 1
        }
    }

    /// What will not be otherwise the next time: a certificate, a proxy's password.
    private static func lasting(_ error: any Error, _ place: String) -> EmbedderError? {
        if let error = error as? HTTPClientError, error == .proxyAuthenticationRequired {
            return EmbedderError(
                .refused, "the proxy before \(place) asks for a user and a password; name them in its address"
            )
        }
        let name = String(reflecting: type(of: error))
        guard name.hasPrefix("NIOSSL") else { return nil }
        return EmbedderError(
            .refused,
            "\(place) offers no connection that can be trusted: the TLS handshake failed; check the "
                + "certificate, and whether the address is https at all")
    }

    /// Doubles from a quarter of a second, with jitter, up to the longest wait; what the server asks for is
    /// the least.
    private func pause(_ attempt: Int, atLeast asked: Duration?) -> Duration {
        let backoff =
            Duration.milliseconds(250) * Double(1 << min(attempt - 1, 10)) * Double.random(in: 0.5...1)
        // Those that were told the same time shall not come back at the same time.
        let least = (asked ?? .zero) * Double.random(in: 1...1.1)
        return min(max(backoff, least), model.longestWait)
    }

    private var place: String {
        "the remote model at \(model.endpoint.host ?? "")\(model.endpoint.port.map { ":\($0)" } ?? "")"
    }

    private func send(_ body: Data, _ path: String) async throws -> (HTTPClientResponse, Data) {
        var request = HTTPClientRequest(url: model.endpoint.absoluteString + path)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "Accept", value: "application/json")
        if let key = model.key { request.headers.add(name: "Authorization", value: "Bearer \(key.text)") }
        request.body = .bytes(ByteBuffer(bytes: body))
        let limit = TimeAmount.nanoseconds(Int64(model.timeout / .nanoseconds(1)))
        let response = try await client.execute(request, timeout: limit)
        let buffer: ByteBuffer
        do {
            buffer = try await response.body.collect(upTo: largestAnswer)
        } catch is NIOTooManyBytesError {
            throw EmbedderError(
                .badAnswer, "the answer of \(place) is larger than \(largestAnswer >> 20) MB")
        }
        return (response, Data(buffer.readableBytesView))
    }

    /// Retry-After (RFC 9110, 10.2.3): seconds, or a date.
    static func retryAfter(_ headers: HTTPHeaders, now: Date = Date()) -> Duration? {
        guard let value = headers.first(name: "Retry-After") else { return nil }
        if let seconds = Double(value), seconds >= 0, seconds < 86400 { return .seconds(seconds) }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: value).map { .seconds(max(0, min(86400, $0.timeIntervalSince(now)))) }
    }

    /// What servers say of themselves in a refusal: OpenAI and vLLM an object `error`, TEI a text and a type.
    private struct Refusal: Decodable {
        struct Word: Decodable {
            var text: String?

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                text =
                    (try? container.decode(String.self)) ?? (try? container.decode(Int.self)).map(String.init)
            }
        }
        struct Details: Decodable {
            var message: Word?
            var type: Word?
            var code: Word?
        }
        var error: Details?
        var error_type: Word?
        var message: Word?

        private enum CodingKeys: String, CodingKey { case error, error_type, message }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            error_type = try? container.decodeIfPresent(Word.self, forKey: .error_type)
            message = try? container.decodeIfPresent(Word.self, forKey: .message)
            error = try? container.decodeIfPresent(Details.self, forKey: .error)
            // An error that is only a text.
            if error == nil, message?.text == nil {
                message = try? container.decodeIfPresent(Word.self, forKey: .error)
            }
        }

        /// A word of the server's own, fit to be shown; never its message, which may quote the text or the
        /// key.
        var hint: String {
            let words = error?.code?.text ?? error?.type?.text ?? error_type?.text ?? ""
            let isPlain =
                words.count <= 40
                && words.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == " ") }
            return isPlain && !words.isEmpty ? " (\(words))" : ""
        }
    }

    /// How servers say that a request, or a text, is more than they take.
    private static let sizePhrases = [
        "too large", "too long", "too many tokens", "too many inputs", "context length", "context size",
        "context window", "maximum context", "maximum input", "maximum allowed", "maximum length",
        "maximum sequence", "exceeds the maximum", "exceeds the context", "exceeds maximum", "batch size",
        "must have less", "longer than",
    ]

    /// What a server's refusal means.
    private static func refusal(
        _ status: UInt, _ data: Data, _ place: String, _ path: String
    ) -> any Error {
        let refusal = try? JSONDecoder().decode(Refusal.self, from: data)
        let hint = refusal?.hint ?? ""
        let message = refusal?.error?.message?.text ?? refusal?.message?.text
        let said = (message ?? String(decoding: data.prefix(4096), as: UTF8.self)).lowercased()
        let isTooLarge = sizePhrases.contains { said.contains($0) }
        switch status {
        case 413: return TooLarge(isCertain: true, status: status, hint: hint)
        case 400, 422: return TooLarge(isCertain: isTooLarge, status: status, hint: hint)
        case 500 where isTooLarge: return TooLarge(isCertain: true, status: status, hint: hint)
        case 401, 403:
            return EmbedderError(
                .refused,
                "\(place) does not accept the key: status \(status)\(hint); check the key in your settings")
        case 404:
            return EmbedderError(
                .refused,
                "\(place) has no such model or no \(path) there: status 404\(hint); "
                    + "check name and endpoint"
            )
        case 300..<400:
            return EmbedderError(
                .refused, "\(place) sends to another address: status \(status); name that one as the endpoint"
            )
        default: return EmbedderError(.unavailable, "\(place) answers with status \(status)\(hint)")
        }
    }

    /// The proxy that the environment names for an address.
    static func proxy(for url: URL, _ environment: [String: String]) -> HTTPClient.Configuration.Proxy? {
        func value(_ name: String) -> String? {
            (environment[name] ?? environment[name.uppercased()]).flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let host = url.host?.lowercased(), !RemoteModel.isLoopback(host) else { return nil }
        for pattern in (value("no_proxy") ?? "").lowercased().split(separator: ",") {
            let name = pattern.trimmingCharacters(in: .whitespaces)
            if name == "*" || host == name || host.hasSuffix(name.hasPrefix(".") ? name : "." + name) {
                return nil
            }
        }
        guard let text = value("\(url.scheme?.lowercased() ?? "http")_proxy") ?? value("all_proxy"),
            let proxy = URL(string: text.contains("://") ? text : "http://" + text), let name = proxy.host
        else { return nil }
        let port = proxy.port ?? 80
        guard let user = proxy.user else { return .server(host: name, port: port) }
        return .server(
            host: name, port: port,
            authorization: .basic(username: user, password: proxy.password ?? ""))
    }
}
