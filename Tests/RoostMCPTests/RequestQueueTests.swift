import Foundation
import Roost
import RoostMemory
import RoostModel
import Synchronization
import Testing

@testable import RoostMCP

struct RequestQueueTests {
    private static func status(_ id: Int) -> JSONValue {
        [
            "jsonrpc": "2.0", "id": .integer(Int64(id)), "method": "tools/call",
            "params": ["_meta": MCPHarness.meta, "name": "status", "arguments": [:]],
        ]
    }

    @Test func `more requests than can run at the same time wait, and all are answered`() async throws {
        let harness = MCPHarness()
        for id in 0..<500 { harness.receive(Self.status(id)) }
        await harness.connection.finish()
        let answers = try await harness.messages(atLeast: 500)
        #expect(answers.count == 500)
        #expect(answers.allSatisfy { $0["result"] != nil })
        #expect(Set(answers.compactMap { $0["id"]?.integer }).count == 500)
    }

    /// Records the jobs that begin, without running them.
    private final class Starter: Sendable {
        let started = Mutex<[Int]>([])

        func start(_ job: RequestQueue.Job, _ number: Int) -> Task<Void, Never> {
            started.withLock { $0.append(number) }
            return Task {}
        }
    }

    @Test func `the number of jobs that run and of messages that wait is limited`() throws {
        let starter = Starter()
        var queue = RequestQueue()
        for number in 0..<RequestQueue.maximumRunning {
            try queue.add(.init(id: .integer(Int64(number)), size: 1) {}, start: starter.start)
        }
        for _ in 0..<10 { try queue.add(.init(count: 100, size: 1) {}, start: starter.start) }
        // The items of batches count.
        #expect(throws: ProtocolError.self) {
            try queue.add(.init(id: .integer(1_000), size: 1) {}, start: starter.start)
        }
        #expect(starter.started.withLock { $0.count } == RequestQueue.maximumRunning)
        queue.finish(0, start: starter.start)
        #expect(starter.started.withLock { $0.last } == RequestQueue.maximumRunning)
        try queue.add(.init(id: .integer(1_000), size: 1) {}, start: starter.start)
        // An id can be used again when its request has been answered.
        #expect(throws: ProtocolError.self) {
            try queue.add(.init(id: .integer(1_000), size: 1) {}, start: starter.start)
        }
        // A request that waits can be canceled.
        #expect(queue.cancel(.integer(1_000)) == nil)
        try queue.add(.init(id: .integer(1_000), size: 1) {}, start: starter.start)
    }

    @Test func `the size of the messages that wait is limited, and subscriptions do not block requests`()
        throws
    {
        let starter = Starter()
        var queue = RequestQueue()
        for number in 0..<RequestQueue.maximumSubscriptions {
            try queue.add(
                .init(id: .integer(Int64(number)), isSubscription: true, size: 1) {}, start: starter.start)
        }
        #expect(throws: ProtocolError.self) {
            try queue.add(.init(id: .string("s"), isSubscription: true, size: 1) {}, start: starter.start)
        }
        for number in 0..<RequestQueue.maximumRunning {
            try queue.add(.init(id: .string("\(number)"), size: 1 << 24) {}, start: starter.start)
        }
        #expect(queue.tasks.count == RequestQueue.maximumRunning + RequestQueue.maximumSubscriptions)
        try queue.add(.init(size: RequestQueue.maximumWaitingSize) {}, start: starter.start)
        #expect(throws: ProtocolError.self) { try queue.add(.init(size: 1) {}, start: starter.start) }
        #expect(queue.cancelAll().count == queue.tasks.count)
    }

    @Test func `jobs that wait for their turn leave the places to others`() throws {
        let starter = Starter()
        var queue = RequestQueue()
        for id in 0..<100 {
            try queue.add(
                .init(id: .integer(Int64(id)), size: 1, keepsOrder: true) {}, start: starter.start)
        }
        #expect(starter.started.withLock { $0 } == [0])
        try queue.add(.init(size: 1) {}, start: starter.start)
        #expect(starter.started.withLock { $0 } == [0, 100])
        // One that is canceled while it waits does not hold up the next one.
        #expect(queue.cancel(.integer(1)) == nil)
        queue.finish(0, start: starter.start)
        #expect(starter.started.withLock { $0 } == [0, 100, 2])
        queue.finish(100, start: starter.start)
        #expect(starter.started.withLock { $0 } == [0, 100, 2])
        queue.finish(2, start: starter.start)
        #expect(starter.started.withLock { $0 } == [0, 100, 2, 3])
    }

    @Test func `calls that store messages are executed in their order`() async throws {
        let harness = MCPHarness()
        let turns = (0..<150).map { "turn \($0)" }
        for (id, turn) in turns.enumerated() {
            let arguments: JSONValue = ["messages": [["role": "user", "content": .string(turn)]]]
            harness.receive([
                "jsonrpc": "2.0", "id": .integer(Int64(id)), "method": "tools/call",
                "params": [
                    "_meta": MCPHarness.meta, "name": "remember_messages", "arguments": arguments,
                ],
            ])
            // A canceled call does not stop those after it.
            guard id % 50 == 7 else { continue }
            harness.receive([
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

    @Test func `batches that store messages are executed in their order`() async throws {
        let harness = MCPHarness()
        _ = await harness.send(
            #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#)
        let turns = (1...90).map { "turn \($0)" }
        for (index, turn) in turns.enumerated() {
            let call: JSONValue = [
                "jsonrpc": "2.0", "id": .integer(Int64(index + 1)), "method": "tools/call",
                "params": [
                    "name": "remember_messages",
                    "arguments": ["messages": [["role": "user", "content": .string(turn)]]],
                ],
            ]
            harness.receive(index % 2 == 0 ? [call] : call)
        }
        await harness.connection.finish()
        let messages = try await ConversationMemory(harness.store).messages().sorted { $0.number < $1.number }
        #expect(messages.map(\.content) == turns)
    }

    @Test func `a batch cannot contain a self-contained request`() async {
        let harness = MCPHarness()
        _ = await harness.send(
            #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#)
        let batch: JSONValue = [Self.status(1), ["jsonrpc": "2.0", "id": 2, "method": "ping"]]
        let answers = await harness.send(data: batch.serialized()).first?.elements
        #expect(answers?.first?["error"]?["code"] == -32600)
        #expect(answers?.last?["result"] == [:])
    }
}
