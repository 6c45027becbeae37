import Foundation
import Roost
import RoostModel
import Synchronization

@testable import RoostServer

/// A connection to a server over a store in memory.
struct MCPHarness {
    let store: KnowledgeStore
    let connection: MCPConnection
    private let rules: AccessRules
    private let sent = SentMessages()

    private final class SentMessages: Sendable {
        let messages = Mutex<[JSONValue]>([])
    }

    init(_ rules: AccessRules = AccessRules(), store: KnowledgeStore? = nil) {
        let store = store ?? KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        (self.store, self.rules) = (store, rules)
        let sent = sent
        connection = MCPConnection(MCPServer(StoreHandle { store }, rules, version: "test")) { data in
            let value = (try? JSONDecoder().decode(JSONValue.self, from: data)) ?? .null
            sent.messages.withLock { $0.append(value) }
        }
    }

    /// Sends a message and returns everything that the server has sent until it has answered all requests.
    func send(_ json: String) async -> [JSONValue] { await send(data: Data(json.utf8)) }

    /// Sends a message of any bytes and returns everything that the server has sent as an answer.
    func send(data: Data) async -> [JSONValue] {
        await connection.receive(data)
        await connection.finish()
        return sent.messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }

    /// Passes a message to the server without waiting for answers.
    func receive(_ value: JSONValue) async { await connection.receive(value.serialized()) }

    /// Waits until the server has sent the given number of messages, at most for 20 seconds, and returns all.
    func messages(atLeast count: Int) async throws -> [JSONValue] {
        let deadline = ContinuousClock.now + .seconds(1200)
        while sent.messages.withLock({ $0.count }) < count, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        return sent.messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }

    /// The `_meta` member of self-contained requests.
    static let meta: JSONValue = [
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": [:],
    ]

    /// Sends a self-contained request and returns the response.
    func request(_ method: String, _ parameters: [String: JSONValue] = [:]) async -> JSONValue {
        var parameters = parameters
        if parameters["_meta"] == nil { parameters["_meta"] = Self.meta }
        let message: JSONValue = [
            "jsonrpc": "2.0", "id": 7, "method": .string(method), "params": .object(parameters),
        ]
        return await send(String(decoding: message.serialized(), as: UTF8.self)).last ?? .null
    }

    /// Calls a tool and returns its structured result; the result of a failed call is its message. An operation that is
    /// not offered as a tool is executed with the settings of a server for agents.
    func call(_ tool: String, _ arguments: JSONValue = [:]) async -> JSONValue {
        if let operation = Operations.all.first(where: { $0.name == tool && !$0.isTool }) {
            return await run(operation, arguments)
        }
        let response = await request("tools/call", ["name": .string(tool), "arguments": arguments])
        let result = response["result"]
        return result?["structuredContent"] ?? result?["content"]?.elements?.first?["text"] ?? response
    }

    private func run(_ operation: AnyOperation, _ arguments: JSONValue) async -> JSONValue {
        var operations = Operations(StoreHandle { store }, rules, version: "test")
        operations.servesAgents = true
        let schema = operation.inputSchema { _ in true }
        if let fault = SchemaCheck(nullIsAbsent: true).fault(in: arguments, schema, at: "arguments") {
            return .string(fault)
        }
        do {
            return try await operations.run(operation, arguments.members ?? [:]).json
        } catch {
            return .string(FailureText.message(of: error))
        }
    }
}
