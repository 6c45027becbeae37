import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Roost
import RoostModel

/// Answers requests: guards, finds the route, reads and checks the request, calls the handler, and reports
/// errors as problems.
struct Responder: HTTPResponder {
    typealias Context = ConnectionContext

    let table: RouteTable
    let context: ServerContext
    let access: RequestGuard
    let reader: RequestReader
    let logger: Logger

    private static let unknownRoute = "(unknown)"

    init(_ table: RouteTable, _ context: ServerContext, _ access: RequestGuard, _ logger: Logger) {
        (self.table, self.context, self.access, self.logger) = (table, context, access, logger)
        reader = RequestReader(
            limits: context.settings.limits, check: SchemaCheck(components: OpenAPIDocument.components))
    }

    func respond(to request: Request, context connection: ConnectionContext) async throws -> Response {
        let start = ContinuousClock.now
        let id = Self.requestID(of: request)
        let path = String(request.head.path?.prefix { $0 != "?" } ?? "")
        let match = table.match(request.method, path)
        var code: String?
        var reply: Reply
        do {
            try access.checkHostAndOrigin(request.head)
            reply = try limited(try await answer(request, match, id))
        } catch {
            let problem = Problem(error)
            code = problem.code
            reply = self.reply(for: problem, path, id)
        }
        if request.method == .head, case .bytes(let bytes, let type) = reply.body {
            // The header fields are those of the answer to GET.
            reply.headers[.contentType] = type
            reply.headers[.contentLength] = String(bytes.count)
            reply.body = .none
        }
        addCommonHeaders(to: &reply, request, id)
        let length = request.headers[.contentLength].flatMap(Int.init) ?? 0
        if reply.status.code >= 400, length > 0 || request.headers[.transferEncoding] != nil {
            // The rest of the body, which can be endless, is not read. The client may still be sending: if
            // the connection were closed at once, the operating system would discard the answer.
            reply.headers[.connection] = "close"
            let channel = connection.channel
            _ = channel.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
        }
        log(request, match, reply, code: code, id: id, ContinuousClock.now - start)
        return reply.response(on: connection.channel)
    }

    /// The time that a client has to read an answer before the rest of its request is discarded.
    private static let lingering = TimeAmount.seconds(2)

    /// Logs a request without its path and query, because they can contain text or secrets.
    private func log(
        _ request: Request, _ match: RouteTable.Match, _ reply: Reply, code: String?, id: String,
        _ duration: Duration
    ) {
        var route = Self.unknownRoute
        if case .route(let found, _) = match { route = found.path }
        var fields: Logger.Metadata = [
            "route": "\(route)", "status": "\(reply.status.code)", "request": "\(id)",
            "milliseconds": "\((duration / .microseconds(1)).rounded() / 1e3)",
        ]
        if route != Self.unknownRoute { fields["method"] = "\(request.method.rawValue)" }
        if let code { fields["problem"] = "\(code)" }
        logger.log(level: reply.status.code >= 500 ? .error : .info, "request", metadata: fields)
    }

    private func answer(_ request: Request, _ match: RouteTable.Match, _ id: String) async throws -> Reply {
        switch match {
        case .none:
            throw Problem.notFound("the server has no such path; see /openapi.json")
        case .otherMethods(let methods):
            if request.method == .options { return preflight(request, methods) }
            try access.checkToken(request.head)
            var problem = Problem(
                .methodNotAllowed, "methodNotAllowed",
                "the path does not support this method; see the Allow header")
            problem.headers[.allow] = Self.allowed(methods)
            throw problem
        case .route(let route, let values):
            if route.needsToken { try access.checkToken(request.head) }
            if route.writes, context.settings.isReadOnly {
                throw Problem(.forbidden, "readOnly", "the server is read-only")
            }
            return try await handle(request, route, values, id)
        }
    }

    /// Returns an answer whose stream counts against the limit on streams.
    private func limited(_ reply: Reply) throws(Problem) -> Reply {
        guard case .stream(let type, let request, let write) = reply.body else { return reply }
        guard let permit = context.streams.permit() else { throw Problem.busy }
        var reply = reply
        reply.body = .stream(type: type, watching: request) { writer in
            defer { withExtendedLifetime(permit) {} }
            try await write(writer)
        }
        return reply
    }

    /// Reads and checks a request to a route and answers it, unless too many requests are being answered.
    private func handle(
        _ request: Request, _ route: Route, _ values: [String: String], _ id: String
    ) async throws -> Reply {
        let permit = route.needsToken ? context.requests.permit() : nil
        guard permit != nil || !route.needsToken else { throw Problem.busy }
        defer { withExtendedLifetime(permit) {} }
        let parameters = try reader.parameters(
            of: request.head, query: request.uri.query, path: values, route)
        var call = Call(
            request: request, id: id, operation: route.operation, values: parameters, context: context)
        try await readBytes(of: &call, route)
        if let body = route.body, body.mediaType == "application/json", !route.readsRawBody {
            call.body = try reader.json(call.bytes, request.headers, body)
        }
        guard route.writes else { return try await route.handle(call) }
        return try await UndoGroup.run { [call] in Self.inUndoGroup(try await route.handle(call)) }
    }

    /// Returns an answer whose stream commits in the group of the current task.
    private static func inUndoGroup(_ reply: Reply) -> Reply {
        guard case .stream(let type, let request, let write) = reply.body else { return reply }
        let group = UndoGroup.current
        var reply = reply
        reply.body = .stream(type: type, watching: request) { writer in
            try await UndoGroup.$current.withValue(group) { try await write(writer) }
        }
        return reply
    }

    /// Reads the body of a request, unless the handler reads it as a stream.
    private func readBytes(of call: inout Call, _ route: Route) async throws {
        let method = call.request.method
        if route.body != nil {
            try Self.checkEncoding(call.request.headers)
            guard !route.streamsBody else { return }
            call.bytes = try await reader.bytes(of: &call.request)
        } else if method != .get, method != .head {
            try await reader.rejectBody(of: &call.request)
        }
    }

    private static func checkEncoding(_ headers: HTTPFields) throws(Problem) {
        guard let encoding = headers[.contentEncoding], encoding.lowercased() != "identity" else { return }
        throw Problem(
            .unsupportedMediaType, "unsupportedEncoding",
            "the body must not be compressed; send it without the Content-Encoding header")
    }

    // MARK: Answers

    private func reply(for problem: Problem, _ path: String, _ id: String) -> Reply {
        var members = problem.json(advice: context.settings.advice, requestID: id).members ?? [:]
        if path.hasPrefix("/v1/") { members["error"] = EmbeddingRoutes.error(members) }
        var reply = Reply.json(.object(members), problem.status)
        if case .bytes(let bytes, _) = reply.body {
            reply.body = .bytes(bytes, type: Problem.mediaType)
        }
        reply.headers = problem.headers
        let retry = problem.retryAfter ?? (problem.status == .serviceUnavailable ? 1 : nil)
        if let retry { reply.headers[.retryAfter] = String(retry) }
        return reply
    }

    private func addCommonHeaders(to reply: inout Reply, _ request: Request, _ id: String) {
        if let name = HTTPField.Name("X-Request-Id") { reply.headers[name] = id }
        reply.headers[.xContentTypeOptions] = "nosniff"
        reply.headers[.cacheControl] = "no-store"
        guard let origin = request.headers[.origin], access.isAllowed(origin: origin) else { return }
        reply.headers[.accessControlAllowOrigin] = origin
        reply.headers[.vary] = "Origin"
        reply.headers[.accessControlExposeHeaders] = "*"
    }

    private static func allowed(_ methods: [HTTPRequest.Method]) -> String {
        (methods + [.options]).map(\.rawValue).joined(separator: ", ")
    }

    /// Answers the question of a browser whether a script may send a request (CORS).
    private func preflight(_ request: Request, _ methods: [HTTPRequest.Method]) -> Reply {
        var reply = Reply.empty()
        reply.headers[.allow] = Self.allowed(methods)
        guard let origin = request.headers[.origin], access.isAllowed(origin: origin) else { return reply }
        reply.headers[.accessControlAllowMethods] = methods.map(\.rawValue).joined(separator: ", ")
        // The wildcard does not include the field Authorization.
        reply.headers[.accessControlAllowHeaders] = "Authorization, *"
        reply.headers[.accessControlMaxAge] = "600"
        return reply
    }

    private static let maximumIDLength = 64

    /// Returns the id that the client gave the request, if it is well-formed, or a random one.
    private static func requestID(of request: Request) -> String {
        if let name = HTTPField.Name("X-Request-Id"), let id = request.headers[name],
            (1...maximumIDLength).contains(id.utf8.count),
            id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
        {
            return id
        }
        return String(UInt64.random(in: .min ... .max) | 1 << 63, radix: 16)
    }
}

struct ConnectionContext: InitializableFromSource {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) { channel = source.channel }
}
