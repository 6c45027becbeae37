import Foundation
import HTTPTypes
import NIOCore
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
    private let resolve: @Sendable (String) async throws -> [SocketAddress]

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
            limits: limits, resolve: WebAddress.resolve)
    }

    init(
        version: String, allowsPrivateAddresses: Bool, environment: [String: String], limits: Limits,
        resolve: @escaping @Sendable (String) async throws -> [SocketAddress]
    ) {
        self.version = version
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.environment = environment.filter { $0.key.lowercased().hasSuffix("_proxy") }
        self.limits = limits
        self.resolve = resolve
    }

    /// Fetches a page.
    ///
    /// - Parameters:
    ///   - address: An http or https URL.
    ///   - validators: The validators of the page from an earlier request.
    /// - Returns: The page, or `.notModified` if it has not changed since.
    /// - Throws: ``WebError``; `CancellationError`.
    public func fetch(
        _ address: String, unlessMatching validators: WebPage.Validators = .init()
    ) async throws -> WebPage.Result {
        var headers = HTTPFields()
        headers[.ifNoneMatch] = validators.entityTag
        headers[.ifModifiedSince] = validators.lastModified
        var url = try Self.url(address)
        for _ in 0...max(0, limits.maximumRedirects) {
            let response = try await load(url, headers)
            switch response.status {
            case 200..<300: return .page(response.page)
            case 304: return .notModified
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

    private func load(_ url: URL, _ headers: HTTPFields) async throws -> Response {
        var call = HTTPCall(.get, url.absoluteString, headers: headers)
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
            encodingName: contentType.encodingName,
            validators: .init(
                entityTag: answer.headers[.eTag], lastModified: answer.headers[.lastModified]))
        return Response(status: answer.status, location: answer.headers[.location], page: page)
    }

    /// Returns a client that can connect only to a checked address of a host. It follows no redirects,
    /// because the address of their target must be checked too.
    private func client(for url: URL) async throws -> HTTPClient {
        var client = HTTPClient(
            connectTimeout: limits.timeout, pauseTimeout: limits.timeout,
            proxy: HTTPProxy(for: url, environment))
        client.decompresses = true
        let host = (url.host ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let literal = try? SocketAddress(ipAddress: host, port: 0)
        if client.proxy != nil, literal == nil { return client }
        let addresses: [SocketAddress]
        if let literal { addresses = [literal] } else { addresses = try await resolve(host) }
        // One private address is enough to refuse a host, because a public site has no private addresses.
        guard allowsPrivateAddresses || addresses.allSatisfy(WebAddress.isPublic) else {
            throw WebError(
                .privateAddress,
                "cannot fetch \(url.absoluteString): \(host) is an address of this computer or of a private "
                    + "network; permit private addresses if this is intended")
        }
        // A computer without IPv6 reaches only the other addresses.
        let isV4 = { (address: SocketAddress) in if case .v4 = address { true } else { false } }
        client.address = (addresses.first(where: isV4) ?? addresses.first)?.ipAddress
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
