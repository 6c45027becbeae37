import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import RoostChunks

/// An HTTP client for an object store. It signs requests and repeats them after transient failures.
final class S3Client: Sendable {
    /// A request before it is encoded and signed.
    struct Request: Sendable {
        var method: HTTPMethod
        /// The name of the object, including the prefix; empty for the bucket itself.
        var key = ""
        /// The query parameters, without percent-encoding.
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body = Data()
        /// The maximum size of the response in bytes.
        var limit = 16 << 20
    }

    /// A response to a request.
    struct Response: Sendable {
        var status: UInt
        var headers: HTTPHeaders
        var body: Data
        /// The number of times the request was sent. If the request was sent more than once, the server may
        /// have executed an earlier attempt.
        var attempts = 1
        /// Whether the body may contain an error even though the status is 200. This is possible for large
        /// objects, which the server assembles after it has sent the head of the response.
        var mayFailLate = false

        /// The server's error code; empty if there is none.
        var code: String {
            guard status >= 300 || mayFailLate, body.count < 1 << 16 else { return "" }
            let code =
                S3Document(body, ["Code"]).flatMap { $0.root == "Error" ? $0["Code"].first : nil } ?? ""
            let isPlain = code.count <= 60 && code.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            return isPlain ? code : ""
        }
    }

    let bucket: S3Bucket
    private let client: HTTPClient
    private let signature: SignatureV4

    init(_ bucket: S3Bucket) {
        self.bucket = bucket
        signature = SignatureV4(credentials: bucket.credentials, region: bucket.region)
        var configuration = HTTPClient.Configuration()
        // A signature is valid for only one host, so redirects cannot succeed.
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(10)
        configuration.timeout.read = .nanoseconds(Int64(bucket.timeout / .nanoseconds(1)))
        configuration.connectionPool.retryConnectionEstablishment = false
        if let url = URL(string: bucket.server.base) {
            configuration.proxy = RemoteTransport.proxy(for: url, bucket.environment)
        }
        client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    deinit { client.shutdown { _ in } }

    /// Sends a request, and repeats it after transient failures, up to the maximum number of attempts.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isValid: Returns whether a response is intact. If it is not, the request is repeated.
    /// - Returns: A response, which may have an unsuccessful status.
    /// - Throws: `ChunkStorageError`; `CancellationError`.
    func send(_ request: Request, isValid: (Response) -> Bool = { _ in true }) async throws -> Response {
        let digest = SignatureV4.digest(request.body)
        var attempt = 1
        while true {
            try Task.checkCancellation()
            let failure: ChunkStorageError
            var requestedDelay: Duration?
            do {
                var response = try await sendOnce(request, digest)
                response.attempts = attempt
                response.mayFailLate = request.method == .POST
                if Self.isTransient(response) {
                    requestedDelay = RemoteTransport.retryAfter(response.headers)
                    failure = .storageUnavailable(
                        reason: "\(server) responded with status \(response.status) \(response.code)")
                } else if isValid(response) {
                    return response
                } else {
                    failure = .corrupt(
                        path: request.key, reason: "checksum mismatch in the response from \(server)")
                }
            } catch let error as ChunkStorageError {
                throw error
            } catch {
                if Task.isCancelled || error is CancellationError { throw CancellationError() }
                failure = .storageUnavailable(reason: try Self.reason(error, server, bucket.timeout))
            }
            guard attempt < bucket.attempts else { throw failure }
            try await Task.sleep(for: delay(attempt, atLeast: requestedDelay))
            attempt += 1
        }
    }

    private func sendOnce(_ request: Request, _ digest: String) async throws -> Response {
        let target = bucket.server
        let encode = { SignatureV4.percentEncoded($0) }
        let path =
            target.path
            + (request.key.isEmpty && !target.path.isEmpty
                ? "" : "/" + SignatureV4.percentEncoded(request.key, keepingSlashes: true))
        let query = request.query.map { (name: encode($0.name), value: encode($0.value)) }
        let signed = signature.signed(
            .init(
                method: request.method.rawValue, path: path, query: query,
                headers: [("host", target.host)] + request.headers, payload: digest))
        var text = target.base + path
        if !query.isEmpty { text += "?" + query.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }
        var message = HTTPClientRequest(url: text)
        message.method = request.method
        for header in signed where header.name != "host" {
            message.headers.add(name: header.name, value: header.value)
        }
        if request.method == .PUT || request.method == .POST {
            message.body = .bytes(ByteBuffer(bytes: request.body))
        }
        // Adds time for the upload, assuming a speed of half a megabyte per second.
        let limit = bucket.timeout + .seconds(2 * (request.body.count >> 20))
        let response = try await client.execute(
            message, timeout: .nanoseconds(Int64(limit / .nanoseconds(1))))
        let length = response.headers.first(name: "Content-Length").flatMap { Int($0) }
        if let length, length > request.limit, request.method != .HEAD {
            throw ChunkStorageError.tooLarge(path: request.key, limit: request.limit)
        }
        let body: Data
        do {
            body = try await response.body.data(
                within: BodyLimit(size: request.limit, timeout: bucket.timeout))
        } catch is NIOTooManyBytesError {
            throw ChunkStorageError.tooLarge(path: request.key, limit: request.limit)
        }
        if let length, length != body.count, request.method != .HEAD { throw Truncated() }
        return Response(status: response.status.code, headers: response.headers, body: body)
    }

    /// The error for a connection that was closed before the end of the response.
    private struct Truncated: Error {}

    /// Returns whether a response reports a transient failure.
    private static func isTransient(_ response: Response) -> Bool {
        switch response.status {
        case 408, 429, 500, 502, 503, 504: true
        case 400: response.code == "RequestTimeout"
        case 409: ["OperationAborted", "ConditionalRequestConflict"].contains(response.code)
        case 200: ["InternalError", "SlowDown", "ServiceUnavailable"].contains(response.code)
        default: false
        }
    }

    /// Returns a description of a transient connection failure.
    ///
    /// - Throws: `ChunkStorageError` for a failure that a retry cannot resolve.
    private static func reason(
        _ error: any Error, _ server: String, _ timeout: Duration
    ) throws -> String {
        if error is Truncated { return "\(server) closed the connection in the middle of a response" }
        if String(reflecting: type(of: error)).hasPrefix("NIOSSL") {
            throw ChunkStorageError.storageUnavailable(
                reason:
                    "cannot connect to \(server) securely: the TLS handshake failed; check the certificate, "
                    + "and that the server supports https")
        }
        guard let error = error as? HTTPClientError else { return "cannot reach \(server)" }
        switch error {
        case .deadlineExceeded, .readTimeout: return "\(server) did not respond within \(timeout)"
        case .remoteConnectionClosed: return "\(server) closed the connection without a response"
        case .proxyAuthenticationRequired:
            throw ChunkStorageError.storageUnavailable(
                reason:
                    "cannot reach \(server): the proxy requires a user and a password; add them to its "
                    + "address")
        // The description of the error is not used, because it may contain headers.
        default: return "cannot reach \(server)"
        }
    }

    /// Returns the delay before the next attempt. It grows exponentially from a tenth of a second, with
    /// jitter. It is at least the delay that the server requested, but never exceeds the maximum delay.
    private func delay(_ attempt: Int, atLeast requested: Duration?) -> Duration {
        let backoff =
            Duration.milliseconds(100) * Double(1 << min(attempt - 1, 10)) * Double.random(in: 0.5...1)
        return min(max(backoff, requested ?? .zero), bucket.maximumDelay)
    }

    /// The maximum size in bytes of an object that S3 accepts in a single request.
    private static let maximumUploadSize = 5 << 30

    /// The host name of the server, for messages.
    var server: String { bucket.server.host }

    /// Returns the error for an unsuccessful response.
    func refusal(_ response: Response, _ path: String) -> ChunkStorageError {
        let code = response.code
        func unavailable(_ reason: String) -> ChunkStorageError { .storageUnavailable(reason: reason) }
        switch (response.status, code) {
        case (_, "NoSuchBucket"):
            return unavailable("the bucket '\(bucket.name)' does not exist at \(server)")
        case (_, "InvalidAccessKeyId"), (_, "SignatureDoesNotMatch"), (401, _):
            return unavailable(
                "\(server) rejected the credentials (\(code)); check the access key and its secret")
        case (_, "ExpiredToken"), (_, "TokenRefreshRequired"):
            return unavailable("the session of the credentials has expired (\(code)); obtain new ones")
        case (_, "RequestTimeTooSkewed"):
            return unavailable(
                "the clock of this machine differs too much from that of \(server); set the clock")
        case (403, _):
            return unavailable(
                "\(server) denied access: the credentials lack permission for this operation on bucket "
                    + "'\(bucket.name)' (\(code.isEmpty ? "403" : code))")
        case (301, _), (307, _), (_, "AuthorizationHeaderMalformed"), (_, "PermanentRedirect"):
            let region = response.headers.first(name: "x-amz-bucket-region") ?? "unknown"
            return unavailable(
                "region mismatch: the region of bucket '\(bucket.name)' is \(region.prefix(40)), but the "
                    + "request was for \(bucket.region); set AWS_REGION")
        case (_, "EntityTooLarge"), (413, _): return .tooLarge(path: path, limit: Self.maximumUploadSize)
        case (_, "KeyTooLongError"): return .invalidPath(path)
        case (507, _), (_, "QuotaExceeded"), (_, "XMinioStorageFull"):
            return .storageFull(reason: "\(server) has no free space (\(code.isEmpty ? "507" : code))")
        case (501, _):
            return .unsupported("perform the operation: \(server) does not implement the request")
        case (404, _):
            return unavailable("\(server) responded with status 404 and is probably not an object store")
        default:
            return unavailable(
                "\(server) responded with status \(response.status)" + (code.isEmpty ? "" : " (\(code))"))
        }
    }
}
