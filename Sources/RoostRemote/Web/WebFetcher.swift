import Foundation
import HTTPTypes
import NIOCore
import RoostModel
import RoostNetwork

/// Fetches web pages and feeds. Several calls can run at the same time. The robots.txt of a site is kept for
/// a day.
///
/// The fetcher honors robots.txt, limits the size and the time of a page, and connects only to public
/// addresses unless the caller permits private ones: the addresses of a host are checked before each
/// connection, and the connection uses the address that was checked. The same applies to redirects.
public actor WebFetcher {
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

    /// The user agent whose rules in robots.txt apply to the fetcher.
    static let agentName = "roost"

    private let version: String
    private let allowsPrivateAddresses: Bool
    private let environment: [String: String]
    private let limits: Limits
    /// The rules of a site, and the time from which they are read again.
    private var rules: [String: (rules: RobotsRules, expiry: ContinuousClock.Instant)] = [:]
    /// The number of sites from which expired rules are removed.
    private var pruningCount = minimumPruningCount
    private static let minimumPruningCount = 64
    /// The maximum number of sites whose rules are kept.
    private static let maximumSites = 10_000
    /// The time after which the rules of a site are read again. RFC 9309 permits at most 24 hours.
    private let rulesLifetime: Duration
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
        rulesLifetime: Duration = .seconds(86_400),
        resolve: @escaping @Sendable (String) async throws -> [SocketAddress]
    ) {
        self.version = version
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.environment = environment.filter { $0.key.lowercased().hasSuffix("_proxy") }
        self.limits = limits
        self.rulesLifetime = rulesLifetime
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
            try await checkRobots(url)
            let response = try await load(url, headers, maximumSize: limits.maximumSize)
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

    /// Returns the URL of an address.
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

    // MARK: Robots

    private func checkRobots(_ url: URL) async throws {
        guard var origin = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return }
        let path = origin.percentEncodedPath + (origin.percentEncodedQuery.map { "?" + $0 } ?? "")
        (origin.path, origin.query, origin.fragment) = ("/robots.txt", nil, nil)
        guard let robots = origin.url else { return }
        let rules: RobotsRules
        if let known = self.rules[robots.absoluteString], known.expiry > .now {
            rules = known.rules
        } else {
            rules = try await loadRules(robots)
            let now = ContinuousClock.now
            pruneRules(now)
            self.rules[robots.absoluteString] = (rules, now + rulesLifetime)
        }
        guard rules.permits(path) else {
            throw WebError(
                .disallowed,
                "cannot fetch \(url.absoluteString): the robots.txt of the site does not permit it")
        }
    }

    /// Removes expired rules if the number of sites has doubled since the last time, so that a new site takes
    /// constant time on average. Removes all rules if there are too many.
    private func pruneRules(_ now: ContinuousClock.Instant) {
        guard rules.count >= pruningCount else { return }
        rules = rules.filter { $0.value.expiry > now }
        if rules.count >= Self.maximumSites { rules = [:] }
        pruningCount = min(max(Self.minimumPruningCount, 2 * rules.count), Self.maximumSites)
    }

    private func loadRules(_ address: URL) async throws -> RobotsRules {
        var url = address
        for _ in 0...max(0, limits.maximumRedirects) {
            let response = try await load(url, [:], maximumSize: RobotsRules.maximumSize)
            switch response.status {
            case 200..<300:
                return RobotsRules(String(decoding: response.page.data, as: UTF8.self), agent: Self.agentName)
            case 301, 302, 303, 307, 308: url = try Self.redirect(from: url, to: response.location)
            case 400..<500: return .permissive
            default:
                // RFC 9309: a site whose rules are temporarily unknown permits nothing.
                throw WebError(
                    .unavailable,
                    "cannot fetch from \(address.host ?? ""): its robots.txt is not available "
                        + "(status \(response.status)); try again later")
            }
        }
        return .permissive
    }

    // MARK: Requests

    private struct Response {
        var status: Int
        var location: String?
        var page: WebPage
    }

    private func load(_ url: URL, _ headers: HTTPFields, maximumSize: Int) async throws -> Response {
        var call = HTTPCall(.get, url.absoluteString, headers: headers)
        call.headers[.userAgent] = "\(Self.agentName)/\(version)"
        call.headers[.accept] = "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8"
        let answer: HTTPAnswer
        do {
            answer = try await send(call, to: clients(for: url), maximumSize: maximumSize)
        } catch {
            throw Self.webError(error, url, maximumSize)
        }
        let contentType = ContentType(answer.headers[.contentType] ?? "")
        let page = WebPage(
            url: url, data: answer.body, mediaType: contentType.mediaType,
            encodingName: contentType.encodingName,
            validators: .init(
                entityTag: answer.headers[.eTag], lastModified: answer.headers[.lastModified]))
        return Response(status: answer.status, location: answer.headers[.location], page: page)
    }

    /// Sends a call with the first client that can connect.
    private func send(
        _ call: HTTPCall, to clients: [HTTPClient], maximumSize: Int
    ) async throws -> HTTPAnswer {
        for (number, client) in clients.enumerated() {
            do {
                return try await client.send(
                    call, timeout: limits.timeout,
                    limit: BodyLimit(size: maximumSize, timeout: limits.timeout)
                ) { (200..<300).contains($0) }
            } catch let error as NetworkFailure
                where [.refused, .connectionTimedOut].contains(error.code) && number + 1 < clients.count
            {
                continue
            }
        }
        throw NetworkFailure(.unknownHost, "the host has no address")
    }

    /// The maximum number of addresses of a host to which connections are tried.
    private static let maximumAddresses = 4

    /// Returns clients that can each connect only to one checked address of a host. They follow no redirects,
    /// because the address of their target must be checked too.
    private func clients(for url: URL) async throws -> [HTTPClient] {
        var client = HTTPClient(
            connectTimeout: limits.timeout, pauseTimeout: limits.timeout,
            proxy: HTTPProxy(for: url, environment))
        client.decompresses = true
        let host = (url.host ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let literal = try? SocketAddress(ipAddress: host, port: 0)
        if client.proxy != nil, literal == nil { return [client] }
        let addresses: [SocketAddress]
        if let literal { addresses = [literal] } else { addresses = try await resolve(host) }
        // One private address is enough to refuse a host, because a public site has no private addresses.
        guard allowsPrivateAddresses || addresses.allSatisfy(WebAddress.isPublic) else {
            throw WebError(
                .privateAddress,
                "cannot fetch \(url.absoluteString): \(host) is an address of this computer or of a private "
                    + "network; permit private addresses if this is intended")
        }
        // A computer may reach only some addresses of a host, for example none of those of IPv6.
        let tried = addresses.prefix(Self.maximumAddresses)
        client.connectTimeout = limits.timeout / max(1, tried.count)
        return tried.map { address in
            var client = client
            client.address = address.ipAddress
            return client
        }
    }

    private static func webError(_ error: any Error, _ url: URL, _ maximumSize: Int) -> any Error {
        if error is WebError || error is CancellationError { return error }
        if Task.isCancelled { return CancellationError() }
        let failure = error as? NetworkFailure
        let address = url.absoluteString
        return switch failure?.code {
        case .tooLarge:
            WebError(
                .tooLarge, "cannot fetch \(address): it is larger than \(maximumSize >> 20) MB, the limit")
        case .timedOut, .connectionTimedOut:
            WebError(.unavailable, "cannot fetch \(address): the server is too slow; try again later")
        case .missingLibrary:
            WebError(.unavailable, "cannot fetch \(address): \(failure?.description ?? "")")
        case .badEncoding:
            WebError(.unavailable, "cannot fetch \(address): its compressed contents are damaged")
        default:
            WebError(
                .unavailable,
                "cannot fetch \(address): the connection failed "
                    + "(\(failure?.description ?? "unknown reason")); check the address")
        }
    }
}
