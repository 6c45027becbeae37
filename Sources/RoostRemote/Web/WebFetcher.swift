public import Foundation
import HTTPTypes
import RoostFiles
import RoostModel

/// Fetches web pages and feeds that a person names. Several calls can run at the same time.
///
/// The fetcher limits the size and the time of a page, and connects only to public addresses unless the
/// caller permits private ones: the addresses of a host are checked before each connection, and the
/// connection uses the address that was checked. The same applies to redirects.
public struct WebFetcher: Sendable {
    /// The limits of a request.
    public struct Limits: Sendable, Hashable {
        /// The maximum size of a page in bytes, after decompression.
        public var maximumSize = 32 << 20
        /// The maximum time until the head of a response. The body may take this time plus one second for
        /// every 10,000 bytes.
        public var timeout = Duration.seconds(30)
        /// The maximum number of redirects.
        public var maximumRedirects = 5

        /// Creates the default limits.
        public init() {}
    }

    private let version: String
    private let allowsPrivateAddresses: Bool
    private let environment: [String: String]
    private let limits: Limits
    /// Returns the addresses of a host. Tests replace it.
    private let resolve: @Sendable (String) async throws -> [IPAddress]

    /// Creates a fetcher.
    ///
    /// - Parameters:
    ///   - version: The version of the program, for the user agent `roost/VERSION`.
    ///   - allowsPrivateAddresses: Whether the fetcher may connect to this computer and to private networks.
    ///   - environment: The environment variables. Only `http_proxy`, `https_proxy`, `all_proxy` and
    ///     `no_proxy` are used. A proxy resolves host names itself, so their addresses are not checked.
    ///   - limits: The limits of a request.
    public init(
        version: String, allowsPrivateAddresses: Bool = false, environment: [String: String] = [:],
        limits: Limits = Limits()
    ) {
        self.init(
            version: version, allowsPrivateAddresses: allowsPrivateAddresses, environment: environment,
            limits: limits, resolve: IPAddress.resolve)
    }

    init(
        version: String, allowsPrivateAddresses: Bool, environment: [String: String], limits: Limits,
        resolve: @escaping @Sendable (String) async throws -> [IPAddress]
    ) {
        self.version = version
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.environment = environment.filter { $0.key.lowercased().hasSuffix("_proxy") }
        self.limits = limits
        self.resolve = resolve
    }

    /// Fetches a page.
    ///
    /// - Parameter address: An http or https URL.
    /// - Throws: ``WebError``; `CancellationError`.
    public func fetch(_ address: String) async throws -> WebPage {
        var url = try Self.url(address)
        for _ in 0...max(0, limits.maximumRedirects) {
            let response = try await load(url)
            switch response.status {
            case 200..<300: return response.page
            case 301, 302, 303, 307, 308: url = try Self.redirect(from: url, to: response.location)
            default:
                throw WebError(
                    .refused,
                    "cannot fetch \(url.absoluteString): the server responded with status "
                        + "\(response.status)\(Self.hint(response.status))")
            }
        }
        throw WebError(
            .tooManyRedirects,
            "cannot fetch \(address): the server redirected more than \(limits.maximumRedirects) times")
    }

    private static func hint(_ status: Int) -> String {
        switch status {
        case 401, 403: "; the page may require a login"
        case 404, 410: "; the page does not exist, so check the address"
        case 429, 500...: "; try again later"
        default: ""
        }
    }

    private static func url(_ address: String) throws -> URL {
        guard let url = URL(string: address), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = url.host, !host.isEmpty
        else {
            throw WebError(.invalidAddress, "cannot fetch \(address): it is not an http or https URL")
        }
        guard url.user == nil, url.password == nil else {
            throw WebError(
                .invalidAddress, "cannot fetch from \(host): a user name in a URL is not supported")
        }
        return url
    }

    private static func redirect(from url: URL, to location: String?) throws -> URL {
        guard let location, let target = URL(string: location, relativeTo: url) else {
            throw WebError(
                .refused, "cannot fetch \(url.absoluteString): the server redirects to an invalid address")
        }
        return try Self.url(target.absoluteString)
    }

    // MARK: Requests

    private struct Response {
        var status: Int
        var location: String?
        var page: WebPage
    }

    private func load(_ url: URL) async throws -> Response {
        var call = HTTPCall(.get, url.absoluteString)
        call.headers[.userAgent] = "roost/\(version)"
        call.headers[.accept] = "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8"
        let answer: HTTPAnswer
        do {
            answer = try await client(for: url).send(
                call, timeout: limits.timeout,
                limit: BodyLimit(size: limits.maximumSize, timeout: limits.timeout)
            ) { (200..<300).contains($0) }
        } catch {
            throw Self.webError(error, url, limits.maximumSize)
        }
        let contentType = ContentType(answer.headers[.contentType] ?? "")
        let page = WebPage(
            url: url, data: answer.body, mediaType: contentType.mediaType,
            encodingName: contentType.encodingName)
        return Response(status: answer.status, location: answer.headers[.location], page: page)
    }

    /// Returns a client that can connect only to a checked address of a host. It follows no redirects,
    /// because the address of their target must be checked too.
    private func client(for url: URL) async throws -> HTTPClient {
        var client = HTTPClient(
            connectTimeout: limits.timeout, pauseTimeout: limits.timeout,
            proxy: HTTPProxy(for: url, environment))
        client.decompresses = true
        // A proxy would connect to an address in any form that libcurl reads.
        let host = try Transfer.host(of: url.absoluteString) ?? ""
        let literal = IPAddress(host)
        if client.proxy != nil, literal == nil { return client }
        let addresses = if let literal { [literal] } else { try await resolve(host) }
        // One private address is enough to refuse a host, because a public site has no private addresses.
        guard allowsPrivateAddresses || addresses.allSatisfy(\.isPublic) else {
            throw WebError(
                .privateAddress,
                "cannot fetch \(url.absoluteString): \(host) is an address of this computer or of a private "
                    + "network; permit private addresses if this is intended")
        }
        // A computer without IPv6 reaches only the other addresses.
        client.address = (addresses.first { $0.bytes.count == 4 } ?? addresses.first)?.text
        return client
    }

    private static func webError(_ error: any Error, _ url: URL, _ maximumSize: Int) -> any Error {
        if error is WebError || error is CancellationError { return error }
        if Task.isCancelled { return CancellationError() }
        let failure = error as? NetworkFailure
        let address = url.absoluteString
        guard failure?.code != .tooLarge else {
            return WebError(
                .tooLarge, "cannot fetch \(address): it is larger than \(maximumSize >> 20) MB, the limit")
        }
        let reason = failure?.description ?? "the connection failed"
        return WebError(.unavailable, "cannot fetch \(address): \(reason); check the address, or try again")
    }
}

/// A page, feed or file that was fetched from a web server.
public struct WebPage: Sendable, Hashable {
    /// The URL from which the page was fetched, after redirects.
    public var url: URL
    /// The bytes of the page.
    public var data: Data
    /// The media type that the server stated, in lowercase letters and without parameters.
    public var mediaType: String?
    /// The character encoding that the server stated.
    public var encodingName: String?
}

/// The reason why a web page or feed cannot be fetched.
public struct WebError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. New codes may be added in any release.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code.
        public let rawValue: String

        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The address is not a valid http or https URL.
        public static let invalidAddress = Code(rawValue: "invalidAddress")
        /// The address, or an address to which the server redirects, belongs to a private network.
        public static let privateAddress = Code(rawValue: "privateAddress")
        /// The server cannot be reached, or did not respond in time.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The server responded with an error.
        public static let refused = Code(rawValue: "refused")
        /// The page exceeds the limit on its size.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The server redirects too often.
        public static let tooManyRedirects = Code(rawValue: "tooManyRedirects")
    }

    /// The kind of failure.
    public var code: Code
    /// The message for people: the operation, its object, the cause and the next step.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }

    public var errorDescription: String? { message }
}

struct ContentType {
    var mediaType: String?
    var encodingName: String?

    init(_ text: String) {
        let parts = text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        mediaType = parts.first.flatMap { $0.contains("/") ? $0.lowercased() : nil }
        for part in parts.dropFirst() where part.lowercased().hasPrefix("charset=") {
            let value = part.dropFirst("charset=".count).trimmingCharacters(
                in: CharacterSet(charactersIn: "\"' "))
            encodingName = value.isEmpty ? nil : value
        }
    }
}

struct IPAddress: Sendable {
    let text: String
    /// The 4 bytes of IPv4, or the 16 bytes of IPv6.
    let bytes: [UInt8]

    /// - Parameter text: The address, which may be in brackets, or end with a dot.
    /// - Returns: `nil` if the text is a name.
    init?(_ text: String) {
        self.text = text.trimmingCharacters(in: CharacterSet(charactersIn: "[]."))
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, self.text, &v4) == 1 {
            bytes = withUnsafeBytes(of: v4, Array.init)
        } else if inet_pton(AF_INET6, self.text, &v6) == 1 {
            bytes = withUnsafeBytes(of: v6, Array.init)
        } else {
            return nil
        }
    }

    static func resolve(_ host: String) async throws -> [IPAddress] {
        let addresses = try await BlockingWork.run { _ in lookUp(host) }
        guard !addresses.isEmpty else {
            throw WebError(
                .unavailable,
                "cannot fetch from \(host): its name cannot be resolved; check the address and the connection"
            )
        }
        return addresses
    }

    private static func lookUp(_ host: String) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var result: [IPAddress] = []
        var next = list
        while let info = next?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let status = getnameinfo(
                info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            let name = String(
                decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if status == 0, let address = IPAddress(name) { result.append(address) }
            next = info.ai_next
        }
        return result
    }

    /// Whether the address is public: not in a private, loopback, link-local or other special-purpose range
    /// (RFC 6890).
    var isPublic: Bool { bytes.count == 4 ? Self.isPublic(v4: bytes) : Self.isPublic(v6: bytes) }

    private static func isPublic(v4 bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (192, 168), (224..., _): false
        case (172, 16...31), (100, 64...127), (198, 18...19): false
        case (192, 0): bytes[2] != 0 && bytes[2] != 2
        case (198, 51): bytes[2] != 100
        case (203, 0): bytes[2] != 113
        case (192, 88): bytes[2] != 99
        default: true
        }
    }

    private static func isPublic(v6 bytes: [UInt8]) -> Bool {
        // Mapped, NAT64 and 6to4 addresses contain an IPv4 address, which is checked. Compatible addresses,
        // which are deprecated, and the loopback address are refused.
        let last = Array(bytes[12...])
        if bytes[..<10].allSatisfy({ $0 == 0 }) {
            let isMapped = bytes[10] == 0xFF && bytes[11] == 0xFF
            return isMapped && isPublic(v4: last)
        }
        if Array(bytes[..<12]) == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0] { return isPublic(v4: last) }
        if bytes[0] == 0x20, bytes[1] == 0x02 { return isPublic(v4: Array(bytes[2..<6])) }
        // Only 2000::/3 is assigned for global use; Teredo, benchmarks and documentation are excluded.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        let isSpecial =
            bytes[0] == 0x20 && bytes[1] == 0x01
            && (bytes[2] < 0x02 || (bytes[2] == 0x0D && bytes[3] == 0xB8))
        return !isSpecial && !(bytes[0] == 0x3F && bytes[1] == 0xFF)
    }
}
