import HTTPTypes
import NIOCore
import NIOPosix
import RoostModel
import Synchronization

/// Decides whether a request may be answered: it checks the host, the origin and the token.
///
/// The checks of the host and the origin protect a server on the loopback interface from web pages, which can
/// make a browser send requests to it (DNS rebinding, cross-site requests).
struct RequestGuard: Sendable {
    private let hosts: Set<String>
    private let origins: Set<String>
    private let token: AccessToken?
    private let session: AccessToken?

    /// The name of the cookie of the page.
    static let cookieName = "roost-session"
    private static let loopbackNames: Set<String> = ["localhost", "127.0.0.1", "[::1]"]
    private static let scheme = "Bearer "

    /// Creates a guard.
    init(_ settings: ServerSettings, token: AccessToken?) {
        hosts = Self.loopbackNames.union(settings.allowedHosts.map(ServerSettings.urlHost))
        origins = Set(settings.allowedOrigins.map { $0.lowercased() })
        (self.token, session) = (token, token?.session)
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
        guard hosts.contains(Self.hostName(of: authority)) else {
            throw Problem(
                .forbidden, "hostNotAllowed",
                "the Host header does not name this server; use localhost, or start the server with "
                    + "--allow-host NAME")
        }
        guard let origin = request.headerFields[.origin] else { return }
        guard isAllowed(origin: origin) || Self.isLoopback(origin: origin) || Self.isFromPage(request) else {
            throw Problem(
                .forbidden, "originNotAllowed",
                "requests from this origin are not permitted; start the server with --allow-origin ORIGIN")
        }
    }

    /// Checks that the request has the token of the server, or the cookie of its page.
    ///
    /// Browsers also send the cookie with requests that pages of other servers on this computer make. These can read
    /// no answer, and only the page of this server may send requests other than GET.
    func checkToken(_ request: HTTPRequest) throws(Problem) {
        guard let token else { return }
        if request.headerFields[.authorization] == nil, hasSession(request) {
            guard request.method == .get || request.method == .head || Self.isFromPage(request) else {
                throw Problem(
                    .forbidden, "originNotAllowed",
                    "a request with the cookie must come from the page of this server")
            }
            return
        }
        let field = request.headerFields[.authorization] ?? ""
        let isBearer = field.prefix(Self.scheme.count).lowercased() == Self.scheme.lowercased()
        let candidate = isBearer ? field.dropFirst(Self.scheme.count) : ""
        guard candidate.isEmpty || !token.matches(candidate) else { return }
        let fault =
            candidate.isEmpty
            ? "the request needs the header 'Authorization: Bearer TOKEN'"
            : "the token in the Authorization header is not valid for this server"
        var problem = Problem(
            .unauthorized, "unauthorized",
            "\(fault); 'roost serve --print-token' prints the token on the computer of the server, with the "
                + "--token-file of the server if it has one")
        problem.headers[.wwwAuthenticate] = "Bearer realm=\"roost\""
        throw problem
    }

    private func hasSession(_ request: HTTPRequest) -> Bool {
        let cookies = (request.headerFields[.cookie] ?? "").split(separator: ";")
        return cookies.contains { cookie in
            let parts = cookie.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0] == Self.cookieName && session?.matches(parts[1]) == true
        }
    }

    /// Returns whether the origin of a request is the server that it is sent to.
    private static func isFromPage(_ request: HTTPRequest) -> Bool {
        guard let origin = request.headerFields[.origin]?.lowercased(),
            let host = request.authority?.lowercased()
        else { return false }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    /// Returns whether an origin was configured, so that its scripts may read answers.
    func isAllowed(origin: String) -> Bool { origins.contains(origin.lowercased()) }

    /// Returns the host of an authority such as `localhost:4400`, without the port, which may be empty; the
    /// whole authority if it has another form.
    private static func hostName(of authority: String) -> String {
        let authority = authority.lowercased()
        let end =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) }
            : authority.firstIndex(of: ":")
        guard let end, end < authority.endIndex else { return authority }
        let port = authority[end...].dropFirst()
        guard authority[end] == ":", port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return authority
        }
        return String(authority[..<end])
    }

    private static func isLoopback(origin: String) -> Bool {
        for scheme in ["http://", "https://"] where origin.lowercased().hasPrefix(scheme) {
            return loopbackNames.contains(hostName(of: String(origin.dropFirst(scheme.count))))
        }
        return false
    }
}

/// A limit on the number of operations that run at the same time.
final class Admission: Sendable {
    /// The permission to run one operation, which ends when the object is released.
    final class Permit: Sendable {
        private let admission: Admission

        fileprivate init(_ admission: Admission) { self.admission = admission }

        deinit { admission.running.withLock { $0 -= 1 } }
    }

    private let maximum: Int
    private let running = Mutex(0)

    init(maximum: Int) { self.maximum = maximum }

    /// Returns a permit; `nil` if the maximum is reached.
    func permit() -> Permit? {
        let isAllowed = running.withLock { running in
            guard running < maximum else { return false }
            running += 1
            return true
        }
        return isAllowed ? Permit(self) : nil
    }
}

enum Deadline {
    struct Exceeded: Error {}

    private final class State: Sendable {
        let isExceeded = Mutex(false)
    }

    /// Runs an operation, and cancels it if it takes too long.
    ///
    /// The time is measured by an event loop, which forgets a canceled timer at once. A canceled `Task.sleep`
    /// would keep its memory until the end of its time, which adds up with thousands of requests per second.
    /// - Throws: ``Exceeded`` if the time is over; any error of the operation.
    static func run<Result: Sendable>(
        within time: Duration, _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let state = State()
        let task = Task { try await operation() }
        let timer = MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: TimeAmount(time)) {
            state.isExceeded.withLock { $0 = true }
            task.cancel()
        }
        defer { timer.cancel() }
        let outcome = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        // A canceled operation can also return an incomplete result.
        if state.isExceeded.withLock(\.self) { throw Exceeded() }
        return try outcome.get()
    }
}
