import HTTPTypes
import RoostModel

/// Decides whether a request may be answered: it checks the host, the origin and the token.
///
/// The checks of the host and the origin protect a server on the loopback interface from web pages, which can
/// make a browser send requests to it (DNS rebinding, cross-site requests).
struct RequestGuard: Sendable {
    private let hosts: Set<String>
    private let origins: Set<String>
    private let token: AccessToken?

    private static let loopbackNames: Set<String> = ["localhost", "127.0.0.1", "[::1]", "::1"]
    private static let originField = HTTPField.Name.origin
    private static let scheme = "Bearer "

    /// Creates a guard.
    ///
    /// - Parameter token: The token that clients must send; `nil` if none is required.
    init(_ settings: ServerSettings, token: AccessToken?) {
        hosts = Self.loopbackNames.union(settings.allowedHosts.map { $0.lowercased() })
        origins = Set(settings.allowedOrigins.map { $0.lowercased() })
        self.token = token
    }

    /// Checks the fields `Host` and `Origin`.
    ///
    /// - Throws: ``Problem`` with the status 403.
    func checkHostAndOrigin(_ request: HTTPRequest) throws(Problem) {
        let host = Self.hostName(of: request.authority ?? "")
        guard hosts.contains(host) else {
            throw Problem(
                .forbidden, "hostNotAllowed",
                "the field Host does not name this server; use localhost, or add the name to the permitted "
                    + "hosts of the server")
        }
        guard let origin = request.headerFields[Self.originField] else { return }
        guard isAllowed(origin: origin) || Self.isLoopback(origin: origin) else {
            throw Problem(
                .forbidden, "originNotAllowed",
                "requests from this origin are not permitted; add it to the permitted origins of the server")
        }
    }

    /// Checks the token.
    ///
    /// - Throws: ``Problem`` with the status 401.
    func checkToken(_ request: HTTPRequest) throws(Problem) {
        guard let token else { return }
        let field = request.headerFields[.authorization] ?? ""
        let isBearer = field.prefix(Self.scheme.count).lowercased() == Self.scheme.lowercased()
        guard isBearer, token.matches(field.dropFirst(Self.scheme.count)) else {
            var problem = Problem(
                .unauthorized, "unauthorized",
                "the request needs the field 'Authorization: Bearer TOKEN' with the token of the server")
            problem.headers[.wwwAuthenticate] = "Bearer realm=\"roost\""
            throw problem
        }
    }

    /// Returns whether an origin was configured, so that its scripts may read answers.
    func isAllowed(origin: String) -> Bool { origins.contains(origin.lowercased()) }

    /// Returns the host of an authority such as `localhost:4400`, without the port.
    static func hostName(of authority: String) -> String {
        let authority = authority.lowercased()
        if authority.hasPrefix("[") {
            return authority.firstIndex(of: "]").map { String(authority[...$0]) } ?? authority
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].allSatisfy(\.isASCII), UInt16(parts[1]) != nil else {
            return authority
        }
        return String(parts[0])
    }

    private static func isLoopback(origin: String) -> Bool {
        for scheme in ["http://", "https://"] where origin.lowercased().hasPrefix(scheme) {
            return loopbackNames.contains(hostName(of: String(origin.dropFirst(scheme.count))))
        }
        return false
    }
}
