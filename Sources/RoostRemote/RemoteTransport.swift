import Foundation
import HTTPTypes
import RoostModel
import Synchronization

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

    private let maximumResponseSize: Int
    /// Whether the server is known to use the model that the caller expects.
    let isVerified = Atomic(false)

    init(_ model: RemoteModel, maximumResponseSize: Int = 256 << 20) {
        self.model = model
        self.maximumResponseSize = maximumResponseSize
        // Redirects are not followed: that would send texts and the key to a server that the user has not
        // chosen.
        client = HTTPClient(
            pauseTimeout: model.timeout, proxy: HTTPProxy(for: model.endpoint, model.environment))
    }

    func post(_ body: Data, to path: String) async throws -> Data {
        let retry = RequestRetry(
            attempts: model.attempts, first: .milliseconds(250), maximum: model.maximumDelay)
        return try await retry.run { _ in
            do {
                let answer = try await send(body, path)
                switch answer.status {
                case 200..<300: return .done(answer.body)
                case 429, 502, 503, 504:
                    let failure = EmbedderError(
                        .unavailable, "\(server) responded with status \(answer.status)", isRetryable: true)
                    return .failed(failure, delay: Self.retryAfter(answer.headers))
                default: throw Self.refusal(answer.status, answer.body, server, path)
                }
            } catch let error where error is TooLarge || error is EmbedderError {
                throw error
            } catch {
                if Task.isCancelled || error is CancellationError { throw CancellationError() }
                return .failed(try transientFailure(error as? NetworkFailure))
            }
        }
    }

    /// Returns the error for a connection that failed, if another attempt may succeed.
    private func transientFailure(_ failure: NetworkFailure?) throws -> EmbedderError {
        let description = "cannot reach \(server): \(failure?.description ?? "the connection failed")"
        switch failure?.code {
        case .timedOut:
            // Sending the same request again would only increase the server's load.
            throw EmbedderError(
                .unavailable, "\(server) did not respond within \(model.timeout)", isRetryable: true)
        case .proxyAuthentication, .insecure: throw EmbedderError(.refused, description)
        case .tooLarge: throw EmbedderError(.badAnswer, description)
        case .invalidCall, .missingLibrary: throw EmbedderError(.configuration, description)
        case .other, nil: return EmbedderError(.unavailable, description, isRetryable: true)
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

    /// Returns the error code in a response in the form of OpenAI's API, in parentheses, if it is safe to show. The
    /// server's message is not shown, because it may quote the text or the key.
    private static func hint(_ data: Data) -> String {
        let error = (try? MetadataValue(json: data))?["error"]
        let word = error?["code"]?.string ?? error?["type"]?.string ?? ""
        return word.wholeMatch(of: /[A-Za-z0-9_ ]{1,40}/) == nil ? "" : " (\(word))"
    }

    private static func refusal(
        _ status: Int, _ data: Data, _ server: String, _ path: String
    ) -> any Error {
        let hint = hint(data)
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

/// The policy for repeating a request after transient failures, with an exponential delay with jitter.
struct RequestRetry {
    let attempts: Int
    /// The longest delay before the second attempt.
    let first: Duration
    /// The limit of every delay, even if the server requests a longer one.
    let maximum: Duration

    enum Outcome<Value> {
        case done(Value)
        /// A transient failure, and the delay that the server requested.
        case failed(any Error, delay: Duration? = nil)
    }

    /// Runs attempts, each of which receives its number, until one succeeds.
    func run<Value>(_ attempt: (Int) async throws -> Outcome<Value>) async throws -> Value {
        var number = 1
        while true {
            try Task.checkCancellation()
            switch try await attempt(number) {
            case .done(let value): return value
            case .failed(let error, let requested):
                guard number < attempts else { throw error }
                try await Task.sleep(for: delay(after: number, atLeast: requested))
                number += 1
            }
        }
    }

    /// Returns the delay after an attempt. The jitter also applies to the delay that the server requested,
    /// because otherwise all clients that it rejected would return at the same time.
    func delay(after attempt: Int, atLeast requested: Duration?) -> Duration {
        let backoff = first * Double(1 << min(attempt - 1, 10)) * Double.random(in: 0.5...1)
        let minimum = (requested ?? .zero) * Double.random(in: 1...1.1)
        return min(max(backoff, minimum), maximum)
    }
}
