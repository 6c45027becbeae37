import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import RoostChunks

/// Sends signed requests to an object store, again where they fail for a passing reason.
final class S3Client: Sendable {
    struct Request: Sendable {
        var method: HTTPMethod
        /// An object's whole name; empty for the bucket itself.
        var key = ""
        /// Not encoded yet.
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body = Data()
        /// The most bytes of the answer.
        var limit = 16 << 20
    }

    struct Answer: Sendable {
        var status: UInt
        var headers: HTTPHeaders
        var body: Data
        /// How often the request was sent: more than once, an earlier one may have been carried out.
        var attempts = 1
        /// Whether the body may be an error though the status is 200: large objects are put together after
        /// the head of the answer was sent.
        var mayFailLate = false

        /// The server's word for an error; empty where it has none.
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
        // A signature is for one host.
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

    /// Sends a request until it has an answer that is more than "not now".
    ///
    /// - Parameter isWhole: `false` for an answer that did not come as it was sent: it is asked for again.
    /// - Throws: ``ChunkStorageError``; `CancellationError`.
    func send(_ request: Request, isWhole: (Answer) -> Bool = { _ in true }) async throws -> Answer {
        let digest = SignatureV4.digest(request.body)
        var attempt = 1
        while true {
            try Task.checkCancellation()
            let failure: ChunkStorageError
            var wait: Duration?
            do {
                var answer = try await sendOnce(request, digest)
                answer.attempts = attempt
                answer.mayFailLate = request.method == .POST
                if Self.isPassing(answer) {
                    wait = RemoteTransport.retryAfter(answer.headers)
                    failure = .storageUnavailable(
                        reason: "\(place) answers with status \(answer.status) \(answer.code)")
                } else if isWhole(answer) {
                    return answer
                } else {
                    failure = .corrupt(
                        path: request.key, reason: "what \(place) sends is not what was written")
                }
            } catch let error as ChunkStorageError {
                throw error
            } catch {
                if Task.isCancelled || error is CancellationError { throw CancellationError() }
                failure = .storageUnavailable(reason: try Self.reason(error, place, bucket.timeout))
            }
            guard attempt < bucket.attempts else { throw failure }
            try await Task.sleep(for: pause(attempt, atLeast: wait))
            attempt += 1
        }
    }

    private func sendOnce(_ request: Request, _ digest: String) async throws -> Answer {
        let server = bucket.server
        let encode = { SignatureV4.percentEncoded($0) }
        let path =
            server.path
            + (request.key.isEmpty && !server.path.isEmpty
                ? "" : "/" + SignatureV4.percentEncoded(request.key, keepingSlashes: true))
        let query = request.query.map { (name: encode($0.name), value: encode($0.value)) }
        let signed = signature.signed(
            .init(
                method: request.method.rawValue, path: path, query: query,
                headers: [("host", server.host)] + request.headers, payload: digest))
        var text = server.base + path
        if !query.isEmpty { text += "?" + query.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }
        var message = HTTPClientRequest(url: text)
        message.method = request.method
        for header in signed where header.name != "host" {
            message.headers.add(name: header.name, value: header.value)
        }
        if request.method == .PUT || request.method == .POST {
            message.body = .bytes(ByteBuffer(bytes: request.body))
        }
        // A large body is given the time that it takes at a megabyte in two seconds.
        let limit = bucket.timeout + .seconds(2 * (request.body.count >> 20))
        let response = try await client.execute(
            message, timeout: .nanoseconds(Int64(limit / .nanoseconds(1))))
        let length = response.headers.first(name: "Content-Length").flatMap { Int($0) }
        if let length, length > request.limit, request.method != .HEAD {
            throw ChunkStorageError.tooLarge(path: request.key, limit: request.limit)
        }
        let buffer: ByteBuffer
        do {
            buffer = try await response.body.collect(upTo: request.limit)
        } catch is NIOTooManyBytesError {
            throw ChunkStorageError.tooLarge(path: request.key, limit: request.limit)
        }
        if let length, length != buffer.readableBytes, request.method != .HEAD { throw Truncated() }
        return Answer(
            status: response.status.code, headers: response.headers, body: Data(buffer.readableBytesView))
    }

    private struct Truncated: Error {}

    private static func isPassing(_ answer: Answer) -> Bool {
        switch answer.status {
        case 408, 429, 500, 502, 503, 504: true
        case 400: answer.code == "RequestTimeout"
        case 409: ["OperationAborted", "ConditionalRequestConflict"].contains(answer.code)
        case 200: ["InternalError", "SlowDown", "ServiceUnavailable"].contains(answer.code)
        default: false
        }
    }

    /// What to say of an error of the connection.
    ///
    /// - Throws: what will not be otherwise the next time.
    private static func reason(
        _ error: any Error, _ place: String, _ timeout: Duration
    ) throws -> String {
        if error is Truncated { return "\(place) broke off in the middle of an answer" }
        if String(reflecting: type(of: error)).hasPrefix("NIOSSL") {
            throw ChunkStorageError.storageUnavailable(
                reason: "\(place) offers no connection that can be trusted: the TLS handshake failed; check "
                    + "the certificate, and whether the address is https at all")
        }
        guard let error = error as? HTTPClientError else { return "\(place) cannot be reached" }
        switch error {
        case .deadlineExceeded, .readTimeout: return "\(place) did not answer within \(timeout)"
        case .remoteConnectionClosed: return "\(place) closed the connection before it had answered"
        case .proxyAuthenticationRequired:
            throw ChunkStorageError.storageUnavailable(
                reason: "the proxy before \(place) asks for a user and a password; name them in its address")
        // Not its description, which may have headers in it.
        default: return "\(place) cannot be reached"
        }
    }

    /// Doubles from a tenth of a second, with jitter, up to the longest wait; what the server asks for is the
    /// least.
    private func pause(_ attempt: Int, atLeast asked: Duration?) -> Duration {
        let backoff =
            Duration.milliseconds(100) * Double(1 << min(attempt - 1, 10)) * Double.random(in: 0.5...1)
        return min(max(backoff, asked ?? .zero), bucket.longestWait)
    }

    var place: String { bucket.server.host }

    /// Why a request was not carried out, for people.
    func refusal(_ answer: Answer, _ path: String) -> ChunkStorageError {
        let code = answer.code
        func unavailable(_ reason: String) -> ChunkStorageError { .storageUnavailable(reason: reason) }
        switch (answer.status, code) {
        case (_, "NoSuchBucket"): return unavailable("there is no bucket '\(bucket.name)' at \(place)")
        case (_, "InvalidAccessKeyId"), (_, "SignatureDoesNotMatch"), (401, _):
            return unavailable(
                "\(place) does not accept the credentials (\(code)); check the access key and its secret")
        case (_, "ExpiredToken"), (_, "TokenRefreshRequired"):
            return unavailable("the session of the credentials is over (\(code)); get new ones")
        case (_, "RequestTimeTooSkewed"):
            return unavailable("the clock of this machine differs too much from that of \(place); set it")
        case (403, _):
            return unavailable(
                "\(place) does not allow these credentials to do that in '\(bucket.name)' "
                    + "(\(code.isEmpty ? "403" : code))")
        case (301, _), (307, _), (_, "AuthorizationHeaderMalformed"), (_, "PermanentRedirect"):
            let region = answer.headers.first(name: "x-amz-bucket-region") ?? "another"
            return unavailable(
                "the bucket '\(bucket.name)' is in the region \(region.prefix(40)), not \(bucket.region); "
                    + "set AWS_REGION")
        case (_, "EntityTooLarge"), (413, _): return .tooLarge(path: path, limit: 5 << 30)
        case (_, "KeyTooLongError"): return .invalidPath(path)
        case (507, _), (_, "QuotaExceeded"), (_, "XMinioStorageFull"):
            return .storageFull(reason: "\(place) has no room (\(code.isEmpty ? "507" : code))")
        case (501, _):
            return .unsupported("be asked for that: \(place) does not know the request")
        case (404, _):
            return unavailable("\(place) answers with status 404, and not as an object store does")
        default:
            return unavailable(
                "\(place) answers with status \(answer.status)" + (code.isEmpty ? "" : " (\(code))"))
        }
    }
}
