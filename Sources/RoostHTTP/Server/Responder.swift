import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Roost
import RoostMCP
import RoostModel

/// Answers requests: guards, finds the route, reads and checks the request, calls the handler, and reports
/// errors as problems.
struct Responder: HTTPResponder {
    typealias Context = ConnectionContext

    let table: RouteTable
    let context: ServerContext
    let access: RequestGuard
    let record: RequestRecord
    let reader: RequestReader

    private static let unknownRoute = "(unknown)"

    /// Creates a responder.
    init(_ table: RouteTable, _ context: ServerContext, _ access: RequestGuard, _ record: RequestRecord) {
        (self.table, self.context, self.access, self.record) = (table, context, access, record)
        reader = RequestReader(
            context: context, check: SchemaCheck(components: OpenAPIDocument.components))
    }

    func respond(to request: Request, context connection: Context) async throws -> Response {
        let start = ContinuousClock.now
        let id = Self.requestID(of: request)
        let path = context.settings.basePath.removed(
            from: String(request.head.path?.prefix { $0 != "?" } ?? ""))
        let match = table.match(request.method, path)
        var routePath = Self.unknownRoute
        if case .route(let route, _) = match { routePath = route.path }
        var code: String?
        var reply: Reply
        do {
            try access.checkHostAndOrigin(request.head)
            reply = try limited(try await answer(request, match, id, connection))
            if case .route(let route, _) = match, route.streamsBody {
                try await connection.acceptBody(of: request.head)
            }
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
        let (record, route, status, problem) = (record, routePath, reply.status.code, code)
        let finish = { @Sendable in
            record.finish(request.method, route, status, code: problem, id: id, ContinuousClock.now - start)
        }
        if case .stream = reply.body {} else { finish() }
        return ResponseAssembly(
            settings: context.settings, channel: connection.channel, onStreamEnd: finish,
            onFailure: { record.failStream(route, code: $0, id: id) }
        ).response(reply, closing: Self.mustClose(reply, request, connection))
    }

    private func answer(
        _ request: Request, _ match: RouteTable.Match, _ id: String, _ connection: ConnectionContext
    ) async throws -> Reply {
        switch match {
        case .none:
            let description = context.settings.basePath.appending("/openapi.json")
            throw Problem.notFound("the server has no such path; see \(description)")
        case .otherMethods(let methods):
            if request.method == .options { return preflight(request, methods) }
            try await access.checkToken(request.head)
            var problem = Problem(
                .methodNotAllowed, "methodNotAllowed",
                "the path does not support this method; see the Allow header")
            problem.headers[.allow] = Self.allowed(methods)
            throw problem
        case .route(let route, let values):
            if route.needsToken { try await access.checkToken(request.head) }
            if route.effect == .writes, context.settings.isReadOnly {
                throw Problem(.forbidden, "readOnly", "the server is read-only")
            }
            return try await handle(request, route, values, id, connection)
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
        _ request: Request, _ route: Route, _ values: [String: String], _ id: String,
        _ connection: ConnectionContext
    ) async throws -> Reply {
        let isLimited = route.needsToken && route.isLimited
        // A body that is refused afterwards need not be sent.
        if isLimited, context.requests.isFull { throw Problem.busy }
        let parameters = try reader.parameters(
            of: request.head, query: request.uri.query, path: values, route)
        var call = Call(
            request: request, connection: connection, id: id, operation: route.operation,
            values: parameters, context: context)
        try await readBytes(of: &call, route)
        let permit = isLimited ? context.requests.permit() : nil
        guard permit != nil || !isLimited else { throw Problem.busy }
        defer { withExtendedLifetime(permit) {} }
        if let body = route.body, body.mediaType == "application/json", !route.readsRawBody {
            call.body = try reader.json(call.bytes, request.headers, body)
        }
        let checked = call
        let time = context.settings.limits.requestTime(forEmbedding: route.embedsBody ? call.bytes.count : 0)
        do {
            return try await Deadline.run(within: time) {
                guard route.effect == .writes else { return try await idempotent(checked, route) }
                return try await UndoGroup.run {
                    Self.inUndoGroup(try await idempotent(checked, route))
                }
            }
        } catch is Deadline.Exceeded {
            throw Problem(.requestTimeout, "timeout", "the request took too long")
        }
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
            call.bytes = try await reader.bytes(of: &call.request, on: call.connection)
        } else if method != .get, method != .head {
            try await reader.rejectBody(of: &call.request, on: call.connection)
        }
    }

    /// Refuses a body that is compressed.
    private static func checkEncoding(_ headers: HTTPFields) throws(Problem) {
        guard let encoding = headers[.contentEncoding], encoding.lowercased() != "identity" else { return }
        var problem = Problem(
            .unsupportedMediaType, "unsupportedEncoding",
            "the body must not be compressed; send it without the Content-Encoding header")
        problem.headers[.acceptEncoding] = "identity"
        throw problem
    }

    /// Calls the handler, unless the request has an idempotency key that was used before.
    private func idempotent(_ call: Call, _ route: Route) async throws -> Reply {
        guard let key = call.string("Idempotency-Key") else { return try await route.handle(call) }
        var hasher = Hasher()
        hasher.combine(route.operation)
        hasher.combine(call.request.head.path)
        hasher.combine(call.bytes)
        switch context.idempotency.begin(key, fingerprint: hasher.finalize()) {
        case .answered(let reply): return reply
        case .running:
            throw Problem(
                .conflict, "stillRunning", "a request with this idempotency key is still being answered",
                retryAfter: 1)
        case .different:
            throw Problem(
                .unprocessableContent, "keyReused", "the idempotency key was used for another request")
        case .new:
            var reply: Reply?
            defer { context.idempotency.finish(key, with: reply) }
            reply = try await route.handle(call)
            return reply ?? .empty()
        }
    }

    // MARK: Answers

    private func reply(for problem: Problem, _ path: String, _ id: String) -> Reply {
        var members = problem.json(advice: context.settings.advice, requestID: id).members ?? [:]
        members["error"] = CompatibleError.member(for: path, members)
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
        if reply.headers[.cacheControl] == nil { reply.headers[.cacheControl] = "no-store" }
        guard let origin = request.headers[.origin], access.isAllowed(origin: origin) else { return }
        reply.headers[.accessControlAllowOrigin] = origin
        reply.headers[.vary] = "Origin"
        reply.headers[.accessControlExposeHeaders] = Self.exposedFields
    }

    /// The header fields of answers that a script may read.
    private static let exposedFields =
        "Accept-Encoding, Allow, ETag, Location, Retry-After, WWW-Authenticate, X-Request-Id"
    /// The header fields of requests that a script may send if the browser does not say which it needs.
    private static let usualFields =
        "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, "
        + "MCP-Protocol-Version, Mcp-Method, Mcp-Name"
    /// The maximum length in bytes of a list of fields that a browser asks for.
    private static let maximumFieldList = 4_096

    /// Returns the list of fields that a browser asks for; `nil` if it is too long or not a list of names.
    ///
    /// Scripts of a permitted origin may send any field: clients add their own ones to each request.
    private static func fields(_ list: String) -> String? {
        guard list.utf8.count <= maximumFieldList else { return nil }
        let names = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        guard !names.isEmpty, names.allSatisfy({ HTTPField.Name($0) != nil }) else { return nil }
        return names.joined(separator: ", ")
    }

    /// Returns the field `Allow` of a path with the given methods. Every path supports OPTIONS.
    private static func allowed(_ methods: [HTTPRequest.Method]) -> String {
        (methods + [.options]).map(\.rawValue).joined(separator: ", ")
    }

    /// Answers the question of a browser whether a script may send a request (CORS).
    private func preflight(_ request: Request, _ methods: [HTTPRequest.Method]) -> Reply {
        var reply = Reply.empty()
        reply.headers[.allow] = Self.allowed(methods)
        guard let origin = request.headers[.origin], access.isAllowed(origin: origin) else { return reply }
        reply.headers[.accessControlAllowMethods] = methods.map(\.rawValue).joined(separator: ", ")
        let name = HTTPField.Name("Access-Control-Request-Headers")
        let requested = name.flatMap { request.headers[$0] }
        reply.headers[.accessControlAllowHeaders] = requested.flatMap(Self.fields) ?? Self.usualFields
        reply.headers[.accessControlMaxAge] = "600"
        return reply
    }

    /// Returns whether the connection must be closed after an answer, because the rest of the body, which
    /// can be endless, is not read.
    private static func mustClose(
        _ reply: Reply, _ request: Request, _ connection: ConnectionContext
    ) -> Bool {
        guard reply.status.code >= 400, !connection.body.isRead else { return false }
        return request.headers[.transferEncoding] != nil
            || (request.headers[.contentLength].flatMap(Int.init) ?? 0) > 0
    }

    private static let maximumIDLength = 64

    /// Returns the id that the client gave the request, if it is well-formed, or a random one.
    private static func requestID(of request: Request) -> String {
        if let name = HTTPField.Name("X-Request-Id"), let id = request.headers[name],
            (1...maximumIDLength).contains(id.utf8.count),
            id.unicodeScalars.allSatisfy({
                ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                    || $0 == "-"
            })
        {
            return id
        }
        return newRequestID()
    }

    /// Returns a random id.
    static func newRequestID() -> String {
        String(UInt64.random(in: .min ... .max) | 1 << 63, radix: 16)
    }
}
