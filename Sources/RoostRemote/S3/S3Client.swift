import Foundation
import HTTPTypes
import RoostChunks
import RoostFiles

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// An HTTP client for an object store. It signs requests and repeats them after transient failures.
final class S3Client: Sendable {
    struct Request: Sendable {
        var method: HTTPRequest.Method
        /// The name of the object, including the prefix; empty for the bucket itself.
        var key = ""
        /// The query parameters, without percent-encoding.
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body = Data()
        var limit = 16 << 20
    }

    struct Response: Sendable {
        var status: Int
        var headers: HTTPFields
        var body: Data
        /// The number of times the request was sent. If the request was sent more than once, the server may
        /// have executed an earlier attempt.
        var attempts = 1

        /// The server's error code; empty without one.
        var code: String {
            guard status >= 300, body.count < 1 << 16 else { return "" }
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
        // Redirects are not followed, because a signature is valid for only one host.
        client = HTTPClient(
            pauseTimeout: bucket.timeout,
            proxy: URL(string: bucket.server.base).flatMap { HTTPProxy(for: $0, bucket.environment) })
    }

    /// - Returns: A response, which may have an unsuccessful status.
    func send(_ request: Request, isValid: (Response) -> Bool = { _ in true }) async throws -> Response {
        let digest = SHA256.hexadecimal(request.body)
        let retry = RequestRetry(
            attempts: bucket.attempts, first: .milliseconds(100), maximum: bucket.maximumDelay)
        return try await retry.run { attempt in
            do {
                var response = try await sendOnce(request, digest)
                response.attempts = attempt
                if Self.isTransient(response) {
                    let failure = ChunkStorageError.storageUnavailable(
                        reason: "\(server) responded with status \(response.status) \(response.code)")
                    return .failed(failure, delay: RemoteTransport.retryAfter(response.headers))
                }
                if isValid(response) { return .done(response) }
                return .failed(
                    ChunkStorageError.corrupt(
                        path: request.key, reason: "checksum mismatch in the response from \(server)"))
            } catch let error as ChunkStorageError {
                throw error
            } catch {
                if Task.isCancelled || error is CancellationError { throw CancellationError() }
                return .failed(
                    ChunkStorageError.storageUnavailable(
                        reason: try Self.reason(error, server, bucket.timeout)))
            }
        }
    }

    private func sendOnce(_ request: Request, _ digest: String) async throws -> Response {
        let target = bucket.server
        func encode(_ text: String) -> String { SignatureV4.percentEncoded(text) }
        let key = SignatureV4.percentEncoded(request.key, keepingSlashes: true)
        let path = target.path + (key.isEmpty && !target.path.isEmpty ? "" : "/" + key)
        let query = request.query.map { (name: encode($0.name), value: encode($0.value)) }
        let signed = signature.signed(
            method: request.method.rawValue, path: path, query: query,
            headers: [("host", target.host)] + request.headers, payload: digest)
        var text = target.base + path
        if !query.isEmpty { text += "?" + query.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }
        var call = HTTPCall(request.method, text)
        for header in signed where header.name != "host" { call.headers.add(header.name, header.value) }
        if request.method == .put || request.method == .post { call.body = request.body }
        // Adds time for the upload, assuming a speed of half a megabyte per second.
        let timeout = bucket.timeout + .seconds(2 * (request.body.count >> 20))
        do {
            let answer = try await client.send(
                call, timeout: timeout, limit: BodyLimit(size: request.limit, timeout: bucket.timeout))
            return Response(status: answer.status, headers: answer.headers, body: answer.body)
        } catch let error as NetworkFailure where error.code == .tooLarge {
            throw ChunkStorageError.tooLarge(path: request.key, limit: request.limit)
        }
    }

    private static func isTransient(_ response: Response) -> Bool {
        switch response.status {
        case 408, 429, 500, 502, 503, 504: true
        case 400: response.code == "RequestTimeout"
        case 409: ["OperationAborted", "ConditionalRequestConflict"].contains(response.code)
        default: false
        }
    }

    private static func reason(
        _ error: any Error, _ server: String, _ timeout: Duration
    ) throws -> String {
        guard let failure = error as? NetworkFailure else { return "cannot reach \(server)" }
        let reason = "cannot reach \(server): \(failure)"
        switch failure.code {
        case .insecure, .proxyAuthentication, .missingLibrary:
            throw ChunkStorageError.storageUnavailable(reason: reason)
        case .timedOut: return "\(server) did not respond within \(timeout)"
        default: return reason
        }
    }

    /// The maximum size in bytes of an object that S3 accepts in a single request.
    private static let maximumUploadSize = 5 << 30

    var server: String { bucket.server.host }

    func refusal(_ response: Response, _ path: String) -> ChunkStorageError {
        let code = response.code
        func unavailable(_ reason: String) -> ChunkStorageError { .storageUnavailable(reason: reason) }
        switch (response.status, code) {
        case (_, "NoSuchBucket"):
            return unavailable("the bucket '\(bucket.name)' does not exist at \(server)")
        case (401, _), (403, _):
            return unavailable(
                "\(server) denied access to the bucket '\(bucket.name)' (\(code.isEmpty ? "403" : code)); "
                    + "check the credentials, their permissions, and the clock of this machine")
        case (301, _), (307, _), (_, "AuthorizationHeaderMalformed"), (_, "PermanentRedirect"):
            let region = response.headers[named: "x-amz-bucket-region"] ?? "unknown"
            return unavailable(
                "region mismatch: the region of bucket '\(bucket.name)' is \(region.prefix(40)), but the "
                    + "request was for \(bucket.region); set AWS_REGION")
        case (_, "EntityTooLarge"), (413, _): return .tooLarge(path: path, limit: Self.maximumUploadSize)
        case (_, "KeyTooLongError"): return .invalidPath(path)
        case (507, _), (_, "QuotaExceeded"), (_, "XMinioStorageFull"):
            return .storageFull(reason: "\(server) has no free space (\(code.isEmpty ? "507" : code))")
        case (501, _): return .unsupported("perform the operation: \(server) does not implement it")
        case (404, _):
            return unavailable("\(server) responded with status 404 and is probably not an object store")
        default:
            return unavailable(
                "\(server) responded with status \(response.status)" + (code.isEmpty ? "" : " (\(code))"))
        }
    }
}

/// Signs requests to object stores with AWS Signature Version 4. The payload is signed as a single chunk.
///
/// See <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>
struct SignatureV4: Sendable {
    var credentials: S3Credentials
    var region: String

    /// Returns the headers of the signed request: the original headers, the date, the digest and the
    /// signature.
    func signed(
        method: String, path: String, query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)], payload: String, at date: Date = Date()
    ) -> [(name: String, value: String)] {
        let time = date.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
        var headers = headers
        headers.append(("x-amz-content-sha256", payload))
        headers.append(("x-amz-date", time))
        if let token = credentials.sessionToken { headers.append(("x-amz-security-token", token.text)) }
        let sorted = headers.map { name, value in
            (name.lowercased(), value.split(separator: " ").joined(separator: " "))
        }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
        let names = sorted.map(\.0).joined(separator: ";")
        let query = query.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let canonical = [
            method, path, query, sorted.map { "\($0.0):\($0.1)\n" }.joined(), names, payload,
        ].joined(separator: "\n")
        let scope = [String(time.prefix(8)), region, "s3", "aws4_request"]
        let text = [
            "AWS4-HMAC-SHA256", time, scope.joined(separator: "/"), SHA256.hexadecimal(Data(canonical.utf8)),
        ].joined(separator: "\n")
        var key = Array("AWS4\(credentials.secretKey.text)".utf8)
        for part in scope { key = Self.code(part, key) }
        let signature = Hexadecimal.text(Self.code(text, key))
        headers.append(
            (
                "Authorization",
                "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope.joined(separator: "/")),"
                    + "SignedHeaders=\(names),Signature=\(signature)"
            ))
        return headers
    }

    private static func code(_ text: String, _ key: [UInt8]) -> [UInt8] {
        SHA256.authenticationCode(of: Array(text.utf8), key: key)
    }

    /// Encodes every byte as `%XX`, except the unreserved characters of RFC 3986.
    static func percentEncoded(_ text: String, keepingSlashes: Bool = false) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            case UInt8(ascii: "/") where keepingSlashes: bytes.append(byte)
            default: bytes += "%\(Hexadecimal.text([byte]).uppercased())".utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// An XML response of an object store, reduced to the name of its root element and the texts of selected
/// elements.
struct S3Document {
    let root: String
    private let texts: [String: [String]]

    /// - Returns: `nil` if the data is not well-formed XML.
    init?(_ data: Data, _ names: Set<String>) {
        let reader = Reader(names)
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        guard parser.parse(), let root = reader.root else { return nil }
        (self.root, texts) = (root, reader.texts)
    }

    subscript(name: String) -> [String] { texts[name] ?? [] }

    private final class Reader: NSObject, XMLParserDelegate {
        private let names: Set<String>
        private var current: (name: String, text: String)?
        var root: String?
        var texts: [String: [String]] = [:]

        init(_ names: Set<String>) { self.names = names }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String]
        ) {
            if root == nil { root = name }
            if names.contains(name) { current = (name, "") }
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) { current?.text += text }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            guard let found = current, found.name == name else { return }
            texts[name, default: []].append(found.text)
            current = nil
        }
    }
}
