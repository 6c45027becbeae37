import Foundation
import HTTPTypes
import RoostModel
import RoostNetwork
import Synchronization

/// An HTTP client for a remote model that repeats requests after transient failures.
final class RemoteTransport: Sendable {
    /// The error for a request that is probably too large for the server.
    struct TooLarge: Error {
        /// Whether the server stated that the request is too large, as opposed to rejecting it without a
        /// specific reason.
        var isCertain: Bool
        var status: Int
        /// The server's error code in parentheses, or an empty string.
        var hint: String
    }

    /// The error for a request that timed out.
    struct TimedOut: Error {
        var asEmbedderError: EmbedderError
    }

    private let model: RemoteModel
    private let client: HTTPClient
    private let retries = Atomic<Int>(0)

    /// The maximum size of a response in bytes.
    private let maximumResponseSize: Int

    /// The number of repeated requests so far.
    var retryCount: Int { retries.load(ordering: .relaxed) }

    init(_ model: RemoteModel, maximumResponseSize: Int = 256 << 20) {
        self.model = model
        self.maximumResponseSize = maximumResponseSize
        // Redirects are not followed: that would send texts and the key to a server that the user has not
        // chosen.
        client = HTTPClient(
            pauseTimeout: model.timeout, proxy: HTTPProxy(for: model.endpoint, model.environment))
    }

    /// Posts JSON and returns the body of the response.
    ///
    /// - Throws: ``TooLarge``; ``TimedOut``; `EmbedderError`; `CancellationError`.
    func post(_ body: Data, to path: String) async throws -> Data {
        var attempt = 1
        while true {
            try Task.checkCancellation()
            let failure: EmbedderError
            var requestedDelay: Duration?
            do {
                let answer = try await send(body, path)
                switch answer.status {
                case 200..<300: return answer.body
                case 429, 502, 503, 504:
                    requestedDelay = Self.retryAfter(answer.headers)
                    failure = EmbedderError(
                        .unavailable, "\(server) responded with status \(answer.status)",
                        isRetryable: true)
                default: throw Self.refusal(answer.status, answer.body, server, path)
                }
            } catch let error as TooLarge {
                throw error
            } catch let error as EmbedderError {
                throw error
            } catch {
                if Task.isCancelled || error is CancellationError { throw CancellationError() }
                let reason = error as? NetworkFailure
                if reason?.code == .timedOut {
                    // Sending the same request again would only increase the server's load.
                    throw TimedOut(
                        asEmbedderError: EmbedderError(
                            .unavailable, "\(server) did not respond within \(model.timeout)",
                            isRetryable: true))
                }
                if let permanent = permanentFailure(reason) { throw permanent }
                failure = EmbedderError(
                    .unavailable, "cannot reach \(server): \(Self.reason(reason))", isRetryable: true)
            }
            guard attempt < model.attempts else { throw failure }
            let delay = RetryDelay(first: .milliseconds(250), maximum: model.maximumDelay)
            try await Task.sleep(for: delay(after: attempt, atLeast: requestedDelay))
            retries.add(1, ordering: .relaxed)
            attempt += 1
        }
    }

    /// Returns the error for a failure that a retry cannot resolve.
    private func permanentFailure(_ failure: NetworkFailure?) -> EmbedderError? {
        switch failure?.code {
        case .proxyAuthentication:
            EmbedderError(
                .refused,
                "cannot reach \(server): the proxy requires a user and a password; add them to its address")
        case .insecure:
            EmbedderError(
                .refused,
                "cannot connect to \(server) securely: the TLS handshake failed; check the certificate, and "
                    + "that the server supports https")
        case .tooLarge:
            EmbedderError(
                .badAnswer,
                "the response from \(server) exceeds the maximum of \(maximumResponseSize >> 20) MB")
        case .invalidCall:
            EmbedderError(.configuration, "cannot reach \(server): the address is not a valid URL")
        case .missingLibrary:
            EmbedderError(.configuration, "cannot reach \(server): \(failure?.description ?? "")")
        default: nil
        }
    }

    private static func reason(_ failure: NetworkFailure?) -> String {
        switch failure?.code {
        case .refused: "connection refused; check that the server is running"
        case .unknownHost: "host not found; check the address"
        case .handshake: "the TLS handshake failed; check that the server supports https"
        default: failure?.description ?? "the connection failed"
        }
    }

    private var server: String {
        "the remote model at \(model.endpoint.host ?? "")\(model.endpoint.port.map { ":\($0)" } ?? "")"
    }

    private func send(_ body: Data, _ path: String) async throws -> HTTPAnswer {
        var call = HTTPCall(.post, model.endpoint.absoluteString + path, body: body)
        call.headers[.contentType] = "application/json"
        call.headers[.accept] = "application/json"
        if let key = model.key { call.headers[.authorization] = "Bearer \(key.text)" }
        return try await client.send(
            call, timeout: model.timeout,
            limit: BodyLimit(size: maximumResponseSize, timeout: model.timeout))
    }

    /// Returns the delay that the `Retry-After` header requests, in seconds or as a date (RFC 9110, section
    /// 10.2.3).
    static func retryAfter(_ headers: HTTPFields, now: Date = Date()) -> Duration? {
        guard let value = headers[.retryAfter] else { return nil }
        if let seconds = Double(value), seconds >= 0, seconds < 86400 { return .seconds(seconds) }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: value).map { .seconds(max(0, min(86400, $0.timeIntervalSince(now)))) }
    }

    /// The body of an error response. OpenAI and vLLM send an object named `error`; TEI sends a text and a
    /// type.
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
        var errorType: Word?
        var message: Word?

        private enum CodingKeys: String, CodingKey {
            case error, message
            case errorType = "error_type"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            errorType = try? container.decodeIfPresent(Word.self, forKey: .errorType)
            message = try? container.decodeIfPresent(Word.self, forKey: .message)
            error = try? container.decodeIfPresent(Details.self, forKey: .error)
            // Some servers send the error as plain text.
            if error == nil, message?.text == nil {
                message = try? container.decodeIfPresent(Word.self, forKey: .error)
            }
        }

        /// The server's error code, if it is safe to show. The server's message is not shown, because it may
        /// quote the text or the key.
        var hint: String {
            let words = error?.code?.text ?? error?.type?.text ?? errorType?.text ?? ""
            let isPlain =
                words.count <= 40
                && words.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == " ") }
            return isPlain && !words.isEmpty ? " (\(words))" : ""
        }
    }

    /// Phrases that servers use to report that a request or a text is too large.
    private static let sizePhrases = [
        "too large", "too long", "too many tokens", "too many inputs", "context length", "context size",
        "context window", "maximum context", "maximum input", "maximum allowed", "maximum length",
        "maximum sequence", "exceeds the maximum", "exceeds the context", "exceeds maximum", "batch size",
        "must have less", "longer than",
    ]

    /// Returns the error for an unsuccessful HTTP status.
    private static func refusal(
        _ status: Int, _ data: Data, _ server: String, _ path: String
    ) -> any Error {
        let refusal = try? JSONDecoder().decode(Refusal.self, from: data)
        let hint = refusal?.hint ?? ""
        let message = refusal?.error?.message?.text ?? refusal?.message?.text
        let text = (message ?? String(decoding: data.prefix(4096), as: UTF8.self)).lowercased()
        let isTooLarge = sizePhrases.contains { text.contains($0) }
        switch status {
        case 413: return TooLarge(isCertain: true, status: status, hint: hint)
        case 400, 422: return TooLarge(isCertain: isTooLarge, status: status, hint: hint)
        case 500 where isTooLarge: return TooLarge(isCertain: true, status: status, hint: hint)
        case 401, 403:
            return EmbedderError(
                .refused,
                "\(server) rejected the key: status \(status)\(hint); check the key in your settings")
        case 404:
            return EmbedderError(
                .refused,
                "\(server) does not provide this model or \(path): status 404\(hint); check the name of the "
                    + "model and the endpoint")
        case 300..<400:
            return EmbedderError(
                .refused,
                "\(server) redirects to another address: status \(status); use that address as the endpoint")
        default: return EmbedderError(.unavailable, "\(server) responded with status \(status)\(hint)")
        }
    }
}
