import HTTPTypes
import RoostAuthorization
import RoostModel

/// Decides whether a request may be answered: it checks the host, the origin and the token.
///
/// The checks of the host and the origin protect a server on the loopback interface from web pages, which can
/// make a browser send requests to it (DNS rebinding, cross-site requests).
struct RequestGuard: Sendable {
    private let hosts: Set<String>
    private let origins: Set<String>
    private let token: AccessToken?
    private let authorization: ProtectedResource?
    private let basePath: String

    private static let loopbackNames: Set<String> = ["localhost", "127.0.0.1", "[::1]", "::1"]
    private static let originField = HTTPField.Name.origin
    private static let scheme = "Bearer "

    /// Creates a guard.
    ///
    /// - Parameter token: The token that clients must send; `nil` if none is required.
    init(_ settings: ServerSettings, token: AccessToken?) {
        hosts = Self.loopbackNames.union(
            settings.allowedHosts.map { ServerSettings.urlHost($0) ?? $0.lowercased() })
        origins = Set(settings.allowedOrigins.map { $0.lowercased() })
        self.token = token
        authorization = settings.authorization
        basePath = settings.basePath.text
    }

    /// Checks the fields `Host` and `Origin`.
    ///
    /// - Throws: ``Problem`` with the status 403; with 400 if there is not exactly one field `Host` (RFC
    ///   9112, section 3.2).
    func checkHostAndOrigin(_ request: HTTPRequest) throws(Problem) {
        // The first field is the authority, and only others remain among the fields.
        let hasSecond = request.headerFields.contains { $0.name.canonicalName == "host" }
        guard let authority = request.authority, !hasSecond else {
            throw .invalid("the request must have exactly one Host header")
        }
        let name = Self.hostName(of: authority)
        guard hosts.contains(ServerSettings.urlHost(name) ?? name) else {
            throw Problem(
                .forbidden, "hostNotAllowed",
                "the Host header does not name this server; use localhost, or start the server with "
                    + "--allow-host NAME")
        }
        guard let origin = request.headerFields[Self.originField] else { return }
        guard isAllowed(origin: origin) || Self.isLoopback(origin: origin) else {
            throw Problem(
                .forbidden, "originNotAllowed",
                "requests from this origin are not permitted; start the server with --allow-origin ORIGIN")
        }
    }

    /// Checks the token: it must be that of the server, or one of the authorization server.
    ///
    /// - Throws: ``Problem`` with the status 401; with 403 if the token lacks a scope; with 503 if it cannot
    ///   be checked.
    func checkToken(_ request: HTTPRequest) async throws(Problem) {
        guard let token else { return }
        let field = request.headerFields[.authorization] ?? ""
        let isBearer = field.prefix(Self.scheme.count).lowercased() == Self.scheme.lowercased()
        // RFC 6750, section 2.1, permits several spaces.
        let candidate = isBearer ? String(field.dropFirst(Self.scheme.count).drop { $0 == " " }) : ""
        guard candidate.isEmpty || !token.matches(candidate) else { return }
        guard let authorization else {
            throw Self.unauthorized(candidate, "Bearer realm=\"roost\"", Self.tokenSource)
        }
        guard !candidate.isEmpty else {
            throw Self.unauthorized(candidate, authorization.challenge(basePath: basePath), Self.tokenSources)
        }
        try await check(candidate, authorization)
    }

    /// The sentence that tells where the token of the server comes from.
    private static let tokenSource =
        "'roost serve --print-token' prints the token on the computer of the server, with the --token-file "
        + "of the server if it has one"
    private static let tokenSources =
        "\(tokenSource); the authorization server that the header WWW-Authenticate leads to issues others"

    private static func unauthorized(
        _ candidate: String, _ challenge: String, _ tokenSource: String
    ) -> Problem {
        let fault =
            candidate.isEmpty
            ? "the request needs the header 'Authorization: Bearer TOKEN'"
            : "the token in the Authorization header is not valid for this server"
        var problem = Problem(.unauthorized, "unauthorized", "\(fault); \(tokenSource)")
        problem.headers[.wwwAuthenticate] = challenge
        return problem
    }

    /// Checks a token of the authorization server.
    private func check(_ token: String, _ authorization: ProtectedResource) async throws(Problem) {
        let scopes: Set<String>
        do {
            scopes = try await authorization.verifier.scopes(of: token)
        } catch TokenRefusal.invalid {
            throw Self.unauthorized(
                token, authorization.challenge("invalid_token", basePath: basePath), Self.tokenSources)
        } catch {
            throw Problem(
                .serviceUnavailable, "authorizationUnavailable",
                "the keys of the authorization server cannot be read; try again", retryAfter: 60)
        }
        guard scopes.isSuperset(of: authorization.scopes) else {
            var problem = Problem(
                .forbidden, "insufficientScope",
                "the token lacks a scope; it needs \(authorization.scopes.joined(separator: ", "))")
            problem.headers[.wwwAuthenticate] = authorization.challenge(
                "insufficient_scope", basePath: basePath)
            throw problem
        }
    }

    /// Returns whether an origin was configured, so that its scripts may read answers.
    func isAllowed(origin: String) -> Bool { origins.contains(origin.lowercased()) }

    /// Returns the host of an authority such as `localhost:4400`, without the port, which may be empty; the
    /// whole authority if it has another form.
    static func hostName(of authority: String) -> String {
        let authority = authority.lowercased()
        let end =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) }
            : authority.firstIndex(of: ":")
        guard let end, end < authority.endIndex else { return authority }
        let port = authority[end...].dropFirst()
        guard authority[end] == ":", port.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            port.isEmpty || UInt16(port) != nil
        else { return authority }
        return String(authority[..<end])
    }

    private static func isLoopback(origin: String) -> Bool {
        for scheme in ["http://", "https://"] where origin.lowercased().hasPrefix(scheme) {
            return loopbackNames.contains(hostName(of: String(origin.dropFirst(scheme.count))))
        }
        return false
    }
}
