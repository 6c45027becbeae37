import Foundation
import RoostFiles

/// Signs requests to object stores with AWS Signature Version 4. The payload is signed as a single chunk.
///
/// See <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>
struct SignatureV4: Sendable {
    var credentials: S3Credentials
    var region: String
    var service = "s3"

    struct Request: Sendable {
        var method: String
        var path: String
        /// The percent-encoded names and values of the query parameters.
        var query: [(name: String, value: String)] = []
        /// The headers, including `host`.
        var headers: [(name: String, value: String)]
        /// The SHA-256 of the body in hexadecimal.
        var payload: String
    }

    /// Returns the headers of the signed request: the original headers, the date, the digest and the
    /// signature.
    func signed(_ request: Request, at date: Date = Date()) -> [(name: String, value: String)] {
        let time = date.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
        var headers = request.headers
        headers.append(("x-amz-content-sha256", request.payload))
        headers.append(("x-amz-date", time))
        if let token = credentials.sessionToken { headers.append(("x-amz-security-token", token.text)) }
        let sorted = headers.map { ($0.name.lowercased(), Self.trimmed($0.value)) }
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
        let names = sorted.map(\.0).joined(separator: ";")
        let query = request.query.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let canonical = [
            request.method, request.path, query, sorted.map { "\($0.0):\($0.1)\n" }.joined(), names,
            request.payload,
        ].joined(separator: "\n")
        let scope = [String(time.prefix(8)), region, service, "aws4_request"]
        let text = [
            "AWS4-HMAC-SHA256", time, scope.joined(separator: "/"), Self.digest(Data(canonical.utf8)),
        ]
        .joined(separator: "\n")
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

    static func digest(_ data: Data) -> String { SHA256.hexadecimal(data) }

    private static func trimmed(_ value: String) -> String {
        value.split(separator: " ").joined(separator: " ")
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
            default: bytes += [UInt8(ascii: "%")] + Hexadecimal.digits(of: byte, isUppercase: true)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
