import Foundation
import RoostModel

/// A server of the Model Context Protocol: it answers requests with tools and resources.
///
/// The server has no connection and no state. It answers requests of every revision: those of 2026-07-28 and
/// later, which are self-contained, and those of older revisions, whose version was negotiated with
/// `initialize` (``MCPConnection`` keeps it).
package struct MCPServer: Sendable {
    /// The name and version that the server reports, and the advice to the model.
    struct Identity: Sendable {
        var name: String
        var title: String
        var version: String
        var instructions: String

        var implementation: JSONValue {
            ["name": .string(name), "title": .string(title), "version": .string(version)]
        }
    }

    let identity: Identity
    let tools: [any Tool]
    let resources: StoreResources

    /// The time in milliseconds for which clients may cache lists. Lists depend only on the options with
    /// which the server was started.
    private static let listLifetime: JSONValue = 300_000

    package static let metaPrefix = "io.modelcontextprotocol/"

    /// Returns whether a request is self-contained: its `_meta` names the revision.
    package static func isStateless(_ parameters: JSONValue) -> Bool {
        parameters["_meta"]?[metaPrefix + "protocolVersion"] != nil
    }

    // MARK: Answering

    /// Returns the response to a request.
    ///
    /// - Parameters:
    ///   - negotiated: The revision that was negotiated with `initialize`; `nil` if the client sent no
    ///     `initialize` request.
    /// - Throws: `CancellationError` if the task was canceled.
    package func response(
        to id: RequestID, _ method: String, _ parameters: JSONValue, negotiated: ProtocolVersion?,
        notify: @escaping @Sendable (JSONValue) -> Void
    ) async throws -> JSONValue {
        do {
            let context = try context(of: id, method, parameters, negotiated, notify)
            let result = try await result(of: method, parameters, context)
            return [
                "jsonrpc": "2.0", "id": id.value,
                "result": .object(decorated(result, method, context.version)),
            ]
        } catch let error as ProtocolError {
            return error.response(to: id)
        } catch let error as CancellationError {
            throw error
        } catch {
            return ProtocolError(.internalError, FailureText.message(of: error)).response(to: id)
        }
    }

    /// Determines the revision of a request and checks what the revision requires of it.
    private func context(
        of id: RequestID, _ method: String, _ parameters: JSONValue, _ negotiated: ProtocolVersion?,
        _ notify: @escaping @Sendable (JSONValue) -> Void
    ) throws(ProtocolError) -> CallContext {
        let meta = parameters["_meta"]
        let version: ProtocolVersion
        if let requested = meta?[Self.metaPrefix + "protocolVersion"] {
            version = try Self.statelessVersion(requested, meta)
        } else if method == "initialize" {
            version = .newestNegotiated
        } else if let negotiated {
            version = negotiated
        } else if method == "ping" {
            version = .newestNegotiated
        } else {
            throw ProtocolError(
                .invalidParameters,
                "the request needs _meta with \(Self.metaPrefix)protocolVersion and "
                    + "\(Self.metaPrefix)clientCapabilities, or an 'initialize' request before it")
        }
        return CallContext(id: id, version: version, progressToken: meta?["progressToken"], notify: notify)
    }

    /// Returns the revision that the metadata of a self-contained request names.
    ///
    /// - Throws: ``ProtocolError`` if the revision is not supported, or a required key is missing.
    package static func statelessVersion(
        _ requested: JSONValue, _ meta: JSONValue?
    ) throws(ProtocolError) -> ProtocolVersion {
        guard let name = requested.asString else {
            throw ProtocolError(.invalidParameters, "the protocol version must be a string")
        }
        guard let version = ProtocolVersion(rawValue: name), version.isStateless else {
            throw ProtocolError(
                .unsupportedVersion, "unsupported protocol version",
                data: ["supported": .array(ProtocolVersion.supported), "requested": requested])
        }
        guard meta?[metaPrefix + "clientCapabilities"]?.members != nil else {
            throw ProtocolError(
                .invalidParameters, "_meta must contain the object \(metaPrefix)clientCapabilities")
        }
        return version
    }

    /// Checks the number of messages in a batch.
    package static func checkSize(of batch: [JSONValue]) throws(ProtocolError) {
        guard (1...MCPConnection.maximumBatch).contains(batch.count) else {
            throw ProtocolError(
                .invalidRequest, "a batch needs 1 to \(MCPConnection.maximumBatch) messages")
        }
    }

    /// Returns the responses to the requests of a batch, which are answered one after another.
    package func responses(
        to batch: [JSONValue], _ negotiated: ProtocolVersion,
        notify: @escaping @Sendable (JSONValue) -> Void = { _ in },
        receive: (String, JSONValue) -> Void = { _, _ in }
    ) async -> [JSONValue] {
        var responses: [JSONValue] = []
        for value in batch {
            do throws(ProtocolError) {
                switch try IncomingMessage(value) {
                case .response: break
                case .notification(let method, let parameters): receive(method, parameters)
                case .request(_, _, let parameters) where Self.isStateless(parameters):
                    throw ProtocolError(
                        .invalidRequest,
                        "a batch cannot contain a request whose _meta has \(Self.metaPrefix)protocolVersion")
                case .request(let id, let method, let parameters):
                    let response = try? await response(
                        to: id, method, parameters, negotiated: negotiated, notify: notify)
                    if let response { responses.append(response) }
                }
            } catch {
                responses.append(error.response(to: IncomingMessage.id(of: value)))
            }
        }
        return responses
    }

    private func result(
        of method: String, _ parameters: JSONValue, _ context: CallContext
    ) async throws -> [String: JSONValue] {
        switch (method, context.version.isStateless) {
        case ("initialize", false): return initialization(parameters)
        case ("ping", false): return [:]
        case ("server/discover", true): return discovery
        case ("tools/list", _):
            try rejectCursor(parameters)
            return ["tools": .array(tools.map { $0.definition.json(for: context.version) })]
        case ("tools/call", _): return try await call(parameters, context)
        case ("resources/list", _):
            return try await resources.list(cursor: Self.cursor(parameters))
        case ("resources/templates/list", _):
            try rejectCursor(parameters)
            return ["resourceTemplates": .array(resources.templates)]
        case ("resources/read", _): return try await read(parameters, context)
        default:
            throw ProtocolError(
                .methodNotFound, "the method '\(method.prefix(Self.echoLimit))' is not supported")
        }
    }

    /// The number of characters of a client's text that an error message repeats.
    static let echoLimit = 80

    /// Adds the members that the revision requires in results.
    private func decorated(
        _ result: [String: JSONValue], _ method: String, _ version: ProtocolVersion
    ) -> [String: JSONValue] {
        guard version.isStateless else { return result }
        var result = result
        result["resultType"] = "complete"
        result["_meta"] = [Self.metaPrefix + "serverInfo": identity.implementation]
        if method != "tools/call" {
            // Texts of the store can change at any time; only the lists are fixed.
            let isFixed = method != "resources/read" && method != "resources/list"
            result["ttlMs"] = isFixed ? Self.listLifetime : 0
            result["cacheScope"] = "private"
        }
        return result
    }

    // MARK: Handshakes

    private var capabilities: JSONValue { ["tools": [:], "resources": [:]] }

    private func initialization(_ parameters: JSONValue) -> [String: JSONValue] {
        [
            "protocolVersion": .string(Self.negotiated(parameters).rawValue), "capabilities": capabilities,
            "serverInfo": identity.implementation, "instructions": .string(identity.instructions),
        ]
    }

    /// Returns the revision that an `initialize` request negotiates: the requested one if the server supports
    /// it, otherwise the newest one that can be negotiated.
    package static func negotiated(_ parameters: JSONValue) -> ProtocolVersion {
        guard let name = parameters["protocolVersion"]?.asString,
            let version = ProtocolVersion(rawValue: name),
            !version.isStateless
        else { return .newestNegotiated }
        return version
    }

    private var discovery: [String: JSONValue] {
        [
            "supportedVersions": .array(ProtocolVersion.supported),
            "capabilities": capabilities, "instructions": .string(identity.instructions),
        ]
    }

    // MARK: Requests with parameters

    /// Returns whether a request calls a tool whose calls are executed in the order in which they arrive.
    func keepsOrder(_ method: String, _ parameters: JSONValue) -> Bool {
        guard method == "tools/call", let name = parameters["name"]?.asString else { return false }
        return tools.contains { $0.definition.name == name && $0.definition.keepsOrder }
    }

    private func call(
        _ parameters: JSONValue, _ context: CallContext
    ) async throws -> [String: JSONValue] {
        guard let name = parameters["name"]?.asString else {
            throw ProtocolError(.invalidParameters, "tools/call needs the parameter 'name', a string")
        }
        guard let tool = tools.first(where: { $0.definition.name == name }) else {
            // Clients usually show the model only the message.
            let names = tools.map(\.definition.name)
            throw ProtocolError(
                .invalidParameters,
                "unknown tool '\(name.prefix(Self.echoLimit))'; this server has the tools "
                    + names.joined(separator: ", "),
                data: ["tools": .array(names.map { .string($0) })])
        }
        let given = parameters["arguments"] ?? [:]
        do {
            let arguments = try ToolArguments(given, of: tool.definition)
            return ToolAnswer(try await tool.call(arguments, context)).json(for: context.version)
        } catch let error as ProtocolError {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            return ToolAnswer(failure: FailureText.message(of: error)).json(for: context.version)
        }
    }

    private func read(
        _ parameters: JSONValue, _ context: CallContext
    ) async throws -> [String: JSONValue] {
        guard let uri = parameters["uri"]?.asString else {
            throw ProtocolError(.invalidParameters, "resources/read needs the parameter 'uri', a string")
        }
        guard let contents = try await resources.read(uri) else {
            throw ProtocolError(
                context.version.isStateless ? .invalidParameters : .resourceNotFound,
                "resource not found", data: ["uri": .string(uri)])
        }
        return ["contents": .array(contents)]
    }

    private static func cursor(_ parameters: JSONValue) throws(ProtocolError) -> String? {
        guard let cursor = parameters["cursor"] else { return nil }
        guard let text = cursor.asString else {
            throw ProtocolError(.invalidParameters, "the cursor must be a string")
        }
        return text
    }

    /// Checks that a request for a list with only one page does not ask for another one.
    private func rejectCursor(_ parameters: JSONValue) throws(ProtocolError) {
        guard try Self.cursor(parameters) == nil else {
            throw ProtocolError(.invalidParameters, "the cursor is invalid: the list has only one page")
        }
    }
}
