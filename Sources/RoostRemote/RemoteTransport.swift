import Foundation
import HTTPTypes
import RoostModel

/// An HTTP client for a remote model that repeats requests after transient failures.
final class RemoteTransport: Sendable {
    /// The error for a request that the server rejects as invalid, which is probably too large.
    struct TooLarge: Error {
        var status: Int
        /// The server's error code in parentheses, or an empty string.
        var hint: String
    }

    private let model: RemoteModel
    private let client: HTTPClient

    /// The maximum size of a response in bytes.
    private let maximumResponseSize: Int

    init(_ model: RemoteModel, maximumResponseSize: Int = 256 << 20) {
        self.model = model
        self.maximumResponseSize = maximumResponseSize
        // Redirects are not followed: that would send texts and the key to a server that the user has not
        // chosen.
        client = HTTPClient(
            pauseTimeout: model.timeout, proxy: HTTPProxy(for: model.endpoint, model.environment))
    }

    /// Posts JSON and returns the body of the response.
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
                    throw EmbedderError(
                        .unavailable, "\(server) did not respond within \(model.timeout)", isRetryable: true)
                }
                let description = "cannot reach \(server): \(reason?.description ?? "the connection failed")"
                switch reason?.code {
                case .proxyAuthentication, .insecure: throw EmbedderError(.refused, description)
                case .tooLarge: throw EmbedderError(.badAnswer, description)
                case .invalidCall, .missingLibrary: throw EmbedderError(.configuration, description)
                default: failure = EmbedderError(.unavailable, description, isRetryable: true)
                }
            }
            guard attempt < model.attempts else { throw failure }
            let delay = RetryDelay(first: .milliseconds(250), maximum: model.maximumDelay)
            try await Task.sleep(for: delay(after: attempt, atLeast: requestedDelay))
            attempt += 1
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

    /// Returns the number of seconds that the `Retry-After` header requests (RFC 9110, section 10.2.3).
    static func retryAfter(_ headers: HTTPFields) -> Duration? {
        headers[.retryAfter].flatMap(Double.init).flatMap { (0..<86_400).contains($0) ? .seconds($0) : nil }
    }

    /// The body of an error response, in the form of OpenAI's API.
    private struct Refusal: Decodable {
        struct Details: Decodable {
            var code: String?
            var type: String?
        }
        var error: Details

        /// The server's error code, if it is safe to show. The server's message is not shown, because it may
        /// quote the text or the key.
        var hint: String {
            guard let word = error.code ?? error.type, word.wholeMatch(of: /[A-Za-z0-9_ ]{1,40}/) != nil
            else {
                return ""
            }
            return " (\(word))"
        }
    }

    /// Returns the error for an unsuccessful HTTP status.
    private static func refusal(
        _ status: Int, _ data: Data, _ server: String, _ path: String
    ) -> any Error {
        let hint = (try? JSONDecoder().decode(Refusal.self, from: data))?.hint ?? ""
        switch status {
        case 400, 413, 422: return TooLarge(status: status, hint: hint)
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
