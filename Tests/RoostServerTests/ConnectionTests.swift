import Foundation
import Roost
import RoostConversations
import RoostModel
import Testing

@testable import RoostServer

struct ConnectionTests {
    private static func call(_ id: Int) -> JSONValue {
        [
            "jsonrpc": "2.0", "id": .integer(Int64(id)), "method": "tools/call",
            "params": ["_meta": MCPHarness.meta, "name": "clusters", "arguments": [:]],
        ]
    }

    @Test func `more requests than can run at the same time wait, and all are answered`() async throws {
        let harness = MCPHarness()
        for id in 0..<500 { await harness.receive(Self.call(id)) }
        await harness.connection.finish()
        let answers = try await harness.messages(atLeast: 500)
        #expect(answers.count == 500)
        #expect(answers.allSatisfy { $0["result"] != nil })
        #expect(Set(answers.compactMap { $0["id"]?.integer }).count == 500)
    }

    @Test func `an id can be used again when its request has been answered`() async {
        let harness = MCPHarness()
        for _ in 0..<2 {
            let answers = await harness.send(data: Self.call(1).serialized())
            #expect(answers.count == 1 && answers[0]["result"] != nil)
        }
    }

    @Test(arguments: [true, false])
    func `calls that store messages are executed in their order`(areBatched: Bool) async throws {
        let harness = MCPHarness()
        _ = await harness.send(
            #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#)
        let turns = (1...150).map { "turn \($0)" }
        for (id, turn) in zip(1..., turns) {
            let arguments: JSONValue = ["messages": [["role": "user", "content": .string(turn)]]]
            let call: JSONValue = [
                "jsonrpc": "2.0", "id": .integer(Int64(id)), "method": "tools/call",
                "params": ["name": "remember_messages", "arguments": arguments],
            ]
            await harness.receive(areBatched && id % 2 == 0 ? [call] : call)
            // A canceled call does not stop those after it.
            guard id % 50 == 7 else { continue }
            await harness.receive([
                "jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": ["requestId": .integer(Int64(id))],
            ])
        }
        await harness.connection.finish()
        let messages = try await ConversationMemory(harness.store).messages().sorted { $0.number < $1.number }
        #expect(messages.count >= 147)
        let stored = Set(messages.map(\.content))
        #expect(messages.map(\.content) == turns.filter(stored.contains))
    }
}
