import Foundation
import HTTPTypes
import RoostModel

enum AgentRoutes {
    static let all = [post]

    private static let error = Route.Body.json(Schema.map("A JSON-RPC error."))

    private static let message: JSONValue = [
        "anyOf": [
            Schema.map("A JSON-RPC message."),
            Schema.array(of: Schema.map("A JSON-RPC message."), "Messages."),
        ], "description": "A JSON-RPC message, or an array of messages.",
    ]

    /// The answer to a request. If the client asked for progress, it is a stream of events.
    private static let response: Route.Answer = {
        var answer = Route.Answer(200, "The response, or the responses to an array.", .json(message))
        answer.alternatives = [.events]
        return answer
    }()

    private static let post = Route(
        method: .post, path: "/mcp", operation: "callAgentProtocol", tag: "Agents",
        summary: "Answer a message of the Model Context Protocol.",
        details: "Messages of the revisions 2024-11-05 to 2026-07-28 are accepted, without sessions. The "
            + "answer is a stream of events if the client asks for progress.",
        body: .json(message), readsRawBody: true,
        answers: [
            response,
            Route.Answer(202, "The message was a notification."),
            Route.Answer(400, "The message or its header fields are invalid.", error),
            Route.Answer(404, "The method is unknown.", error),
            Route.Answer(415, "The message is not JSON.", error),
        ]
    ) { call in
        // Some clients send no type.
        guard HTTPExchange.isJSON(call.header("Content-Type") ?? HTTPExchange.jsonType) else {
            let error = ProtocolError(.invalidRequest, "the field Content-Type must be application/json")
            return .json(error.response(to: nil), .unsupportedMediaType)
        }
        return await HTTPExchange(call: call).reply()
    }
}

/// One HTTP request of the Model Context Protocol and its answer.
///
/// Every request is answered by itself, without a session: a self-contained request names its revision in
/// `_meta`, and an older one in the field `MCP-Protocol-Version`.
struct HTTPExchange: Sendable {
    let call: Call

    private static let versionField = "MCP-Protocol-Version"
    /// The revision of requests that name none, as the older revisions specify.
    private static let assumedVersion = ProtocolVersion.march2025

    static let jsonType = "application/json"
    private static let eventsType = "text/event-stream"

    static func isJSON(_ field: String) -> Bool {
        let name = field.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        return name == jsonType || name.hasSuffix("+json")
    }

    func reply() async -> Reply {
        var id: RequestID?
        do {
            let value = try IncomingMessage.parse(call.bytes)
            if let batch = value.elements { return try await reply(to: batch) }
            id = IncomingMessage.id(of: value)
            return try await reply(to: try IncomingMessage(value))
        } catch let error as ProtocolError {
            return .json(error.response(to: id), .badRequest)
        } catch {
            return .json(Self.stopped.response(to: nil), .serviceUnavailable)
        }
    }

    private static let stopped = ProtocolError(.internalError, "the server stopped the request")

    private func reply(to message: IncomingMessage) async throws -> Reply {
        switch message {
        case .response:
            _ = try fieldVersion()
            return .empty(.accepted)
        case .notification(let method, let parameters):
            if MCPServer.isStateless(parameters) {
                try checkFields(method, parameters)
            }
            _ = try fieldVersion()
            return .empty(.accepted)
        case .request(let id, let method, let parameters):
            let negotiated = try version(of: method, parameters)
            return try await answer(id, method, parameters, negotiated)
        }
    }

    /// Returns the negotiated revision of an older request; `nil` for a self-contained one, whose fields are
    /// checked.
    private func version(of method: String, _ parameters: JSONValue) throws -> ProtocolVersion? {
        if MCPServer.isStateless(parameters) {
            try checkFields(method, parameters)
            _ = try MCPServer.statelessVersion(
                parameters["_meta"]?[MCPServer.metaPrefix + "protocolVersion"] ?? .null,
                parameters["_meta"])
            return nil
        }
        let named = try fieldVersion()
        if method == "initialize", named?.isStateless != true { return MCPServer.negotiated(parameters) }
        let version = named ?? Self.assumedVersion
        guard !version.isStateless else {
            throw ProtocolError(
                .invalidParameters,
                "the request needs _meta with \(MCPServer.metaPrefix)protocolVersion and "
                    + "\(MCPServer.metaPrefix)clientCapabilities")
        }
        return version
    }

    /// Returns the revision that the header field names; `nil` without the field.
    private func fieldVersion() throws -> ProtocolVersion? {
        guard let field = call.header(Self.versionField) else { return nil }
        guard let version = ProtocolVersion(rawValue: field) else {
            throw ProtocolError(
                .unsupportedVersion, "unsupported protocol version",
                data: ["supported": .array(ProtocolVersion.supported), "requested": .string(field)])
        }
        return version
    }

    /// Checks that the header fields of a self-contained request agree with its body.
    private func checkFields(_ method: String, _ parameters: JSONValue) throws {
        let version = parameters["_meta"]?[MCPServer.metaPrefix + "protocolVersion"]?.string
        try check(Self.versionField, version)
        try check("Mcp-Method", method)
        switch method {
        case "tools/call": try check("Mcp-Name", parameters["name"]?.string, Self.decoded)
        case "resources/read": try check("Mcp-Name", parameters["uri"]?.string, Self.decoded)
        default: break
        }
    }

    /// Checks that a field agrees with the message. Only names of tools and resources can be encoded.
    private func check(
        _ field: String, _ expected: String?, _ decode: (String) -> String = { $0 }
    ) throws {
        guard let text = call.header(field) else {
            throw ProtocolError(.headerMismatch, "the header field \(field) is missing")
        }
        guard let expected, decode(text) == expected else {
            throw ProtocolError(.headerMismatch, "the header field \(field) differs from the message")
        }
    }

    /// Returns the text of a field, which is in base64 if it contains characters that fields cannot have.
    private static func decoded(_ text: String) -> String {
        let (start, end) = ("=?base64?", "?=")
        guard text.hasPrefix(start), text.hasSuffix(end), text.count >= start.count + end.count,
            let data = Data(base64Encoded: String(text.dropFirst(start.count).dropLast(end.count)))
        else { return text.trimmingCharacters(in: .whitespaces) }
        return String(decoding: data, as: UTF8.self)
    }

    // MARK: Answering

    private func answer(
        _ id: RequestID, _ method: String, _ parameters: JSONValue, _ negotiated: ProtocolVersion?
    ) async throws -> Reply {
        let server = call.context.agents
        // Only tools report progress. Other requests can need another status.
        let hasProgress = method == "tools/call" && parameters["_meta"]?["progressToken"] != nil
        if hasProgress, call.header("Accept")?.lowercased().contains(Self.eventsType) == true {
            let last = Self.stopped.response(to: id)
            return .stream(type: Self.eventsType, watching: call.request) { writer in
                try await EventStream(writer).sendMessages(endingWith: last) { notify in
                    try await server.response(
                        to: id, method, parameters, negotiated: negotiated, notify: notify)
                }
            }
        }
        let response = try await server.response(
            to: id, method, parameters, negotiated: negotiated, notify: { _ in })
        let isUnknown = response["error"]?["code"] == .integer(ProtocolError.Code.methodNotFound.rawValue)
        return .json(response, negotiated == nil && isUnknown ? .notFound : .ok)
    }

    private func reply(to batch: [JSONValue]) async throws -> Reply {
        let field = call.header(Self.versionField) ?? Self.assumedVersion.rawValue
        guard ProtocolVersion(rawValue: field)?.allowsBatches == true else {
            throw ProtocolError(
                .invalidRequest,
                "batches are supported only in the revision \(ProtocolVersion.march2025.rawValue)")
        }
        try MCPServer.checkSize(of: batch)
        let responses = await call.context.agents.responses(to: batch, Self.assumedVersion)
        return responses.isEmpty ? .empty(.accepted) : .json(.array(responses))
    }
}
