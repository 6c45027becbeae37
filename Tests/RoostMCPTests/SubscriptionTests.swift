import Foundation
import Roost
import RoostModel
import Testing

@testable import RoostMCP

struct SubscriptionTests {
    private static let id: JSONValue = ["io.modelcontextprotocol/subscriptionId": "s"]

    /// Returns a request that subscribes to notifications.
    private static func listen(_ notifications: JSONValue) -> JSONValue {
        [
            "jsonrpc": "2.0", "id": "s", "method": "subscriptions/listen",
            "params": ["_meta": MCPHarness.meta, "notifications": notifications],
        ]
    }

    private static func notification(_ method: String, _ members: [String: JSONValue] = [:]) -> JSONValue {
        [
            "jsonrpc": "2.0", "method": .string("notifications/\(method)"),
            "params": .object(members.merging(["_meta": id]) { $1 }),
        ]
    }

    @Test func `discovery declares the notifications`() async {
        let result = await MCPHarness().request("server/discover")["result"]
        #expect(result?["capabilities"]?["resources"] == ["subscribe": true, "listChanged": true])
        var rules = AccessRules()
        rules.tags = ["work"]
        let limited = await MCPHarness(rules).request("server/discover")["result"]
        #expect(limited?["capabilities"]?["resources"]?["listChanged"] == false)
    }

    @Test func `changes of subscribed resources are reported, with the id of the subscription`() async throws
    {
        let harness = MCPHarness()
        let entry = try await harness.store.add("the first text", tags: ["a"])
        let uri = JSONValue.string("roost://entry/\(entry.id.text)")
        harness.receive(
            Self.listen(["resourceSubscriptions": [uri, "roost://source/add"], "toolsListChanged": true]))
        #expect(
            try await harness.messages(atLeast: 1) == [
                Self.notification(
                    "subscriptions/acknowledged",
                    ["notifications": ["resourceSubscriptions": [uri, "roost://source/add"]]])
            ])
        try await harness.store.add("another text")
        #expect(
            try await harness.messages(atLeast: 1) == [
                Self.notification("resources/updated", ["uri": "roost://source/add"])
            ])
        try await harness.store.remove(entry.id)
        let removal = try await harness.messages(atLeast: 2).compactMap { $0["params"]?["uri"] }
        #expect(removal == [uri, "roost://source/add"])
        await harness.connection.finish()
    }

    @Test func `a new clustering changes the list of resources`() async throws {
        let harness = MCPHarness()
        for number in 0..<8 {
            try await harness.store.add("tomato soil garden water seeds plant \(number)")
            try await harness.store.add("engine piston gearbox oil brake motor \(number)")
        }
        harness.receive(Self.listen(["resourcesListChanged": true]))
        _ = try await harness.messages(atLeast: 1)
        _ = try await harness.store.recluster()
        let messages = try await harness.messages(atLeast: 1)
        #expect(messages == [Self.notification("resources/list_changed")])
        await harness.connection.finish()
    }

    @Test func `an unchanged list of resources is not reported`() async throws {
        let harness = MCPHarness()
        for number in 0..<8 {
            try await harness.store.add("tomato soil garden water seeds plant \(number)")
            try await harness.store.add("engine piston gearbox oil brake motor \(number)")
        }
        let report = try await harness.store.recluster()
        harness.receive(Self.listen(["resourcesListChanged": true]))
        _ = try await harness.messages(atLeast: 1)
        // The clusters are replaced, but the list shows the same ids, labels and keywords.
        _ = try await harness.store.recluster()
        let id = try #require(report.clusters.first?.id)
        try await Task.sleep(for: .milliseconds(500))
        try await harness.store.labelCluster(id, as: "Another name")
        let messages = try await harness.messages(atLeast: 1)
        #expect(messages == [Self.notification("resources/list_changed")])
        await harness.connection.finish()
    }

    @Test func `every subscribed resource is reported after a restore`() async throws {
        let harness = MCPHarness()
        try await harness.store.add("a text")
        harness.receive(
            Self.listen(["resourcesListChanged": true, "resourceSubscriptions": ["roost://source/add"]]))
        _ = try await harness.messages(atLeast: 1)
        try await harness.store.storage.renewEpoch()
        let methods = try await harness.messages(atLeast: 2).map { $0["method"] }
        #expect(methods == ["notifications/resources/list_changed", "notifications/resources/updated"])
        await harness.connection.finish()
    }

    @Test func `hidden entries and clusters are not reported`() async throws {
        let open = MCPHarness()
        let secret = try await open.store.add("a secret")
        let own = try await open.store.add("a task", tags: ["work"])
        var rules = AccessRules()
        rules.tags = ["work"]
        let harness = MCPHarness(rules, store: open.store)
        let uris = [secret.id, own.id].map { JSONValue.string("roost://entry/\($0.text)") }
        let cluster = JSONValue.string("roost://cluster/\(UUID().uuidString)")
        harness.receive(
            Self.listen([
                "resourcesListChanged": true,
                "resourceSubscriptions": .array(uris + [cluster, "file:///etc/passwd"]),
            ]))
        let accepted = try await harness.messages(atLeast: 1).first?["params"]?["notifications"]
        // An invisible entry cannot be distinguished from one that does not exist yet.
        #expect(accepted == ["resourceSubscriptions": .array(uris)])
        try await harness.store.remove(secret.id)
        try await harness.store.remove(own.id)
        let reported = try await harness.messages(atLeast: 1).map { $0["params"]?["uri"] }
        #expect(reported == [uris[1]])
        await harness.connection.finish()
    }

    @Test func `a subscription is answered at the end of the connection`() async throws {
        for isCanceled in [false, true] {
            let harness = MCPHarness()
            harness.receive(Self.listen(["resourcesListChanged": true]))
            _ = try await harness.messages(atLeast: 1)
            if isCanceled { harness.connection.cancel() }
            await harness.connection.finish()
            let messages = try await harness.messages(atLeast: 1)
            #expect(messages.count == 1 && messages[0]["id"] == "s" && messages[0]["error"] == nil)
            let result = messages.first?["result"]
            #expect(result?["resultType"] == "complete")
            #expect(result?["_meta"]?["io.modelcontextprotocol/subscriptionId"] == "s")
        }
    }

    @Test func `a canceled subscription ends without a response`() async throws {
        let harness = MCPHarness()
        harness.receive(Self.listen(["resourcesListChanged": true]))
        _ = try await harness.messages(atLeast: 1)
        harness.receive([
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": ["requestId": "s"],
        ])
        await harness.connection.finish()
        #expect(try await harness.messages(atLeast: 0).isEmpty)
    }

    @Test(
        arguments: [
            ["_meta": MCPHarness.meta], ["notifications": 1],
            ["notifications": ["resourcesListChanged": "yes"]],
            ["notifications": ["resourceSubscriptions": "roost://source/add"]],
            ["notifications": ["resourceSubscriptions": [1]]],
            ["notifications": ["resourceSubscriptions": .array([JSONValue](repeating: "x", count: 101))]],
        ] as [[String: JSONValue]])
    func `an invalid filter is refused`(parameters: [String: JSONValue]) async throws {
        let harness = MCPHarness()
        let all = parameters.merging(["_meta": MCPHarness.meta]) { $1 }
        harness.receive([
            "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": .object(all),
        ])
        let answer = try await harness.messages(atLeast: 1).first
        #expect(answer?["error"]?["code"] == -32602)
        await harness.connection.finish()
    }
}
