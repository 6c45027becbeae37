import Foundation
import Roost
import RoostConversations
import RoostModel
import Testing

@testable import RoostMCP

/// Compares real results of all tools with their output schemas.
struct OutputSchemaTests {
    /// Returns the members of a value that its schema does not declare, and those that it lacks.
    private static func faults(_ value: JSONValue, _ schema: JSONValue?, _ path: String) -> [String] {
        if let elements = value.elements {
            return elements.flatMap { faults($0, schema?["items"], path + "[]") }
        }
        // Without properties, the schema allows any members.
        guard let members = value.members, let properties = schema?["properties"]?.members else { return [] }
        let required = (schema?["required"]?.elements ?? []).compactMap(\.asString)
        return required.filter { members[$0] == nil }.map { "missing: \(path).\($0)" }
            + members.flatMap { name, value in
                guard let property = properties[name] else { return ["undeclared: \(path).\(name)"] }
                return faults(value, property, "\(path).\(name)")
            }
    }

    private static func schemas(_ harness: MCPHarness) async -> [String: JSONValue] {
        let tools = await harness.request("tools/list")["result"]?["tools"]?.elements ?? []
        return Dictionary(
            tools.map { ($0["name"]?.asString ?? "", $0["outputSchema"] ?? .null) }
        ) { first, _ in first }
    }

    /// Calls tools and checks their results.
    ///
    /// - Returns: The members of all results, by tool.
    private static func check(
        _ harness: MCPHarness, _ calls: [(String, JSONValue)]
    ) async throws -> [String: Set<String>] {
        let schemas = await schemas(harness)
        var seen: [String: Set<String>] = [:]
        for (tool, arguments) in calls {
            let result = await harness.call(tool, arguments)
            let members = try #require(result.members, "\(tool) \(arguments): \(result)")
            seen[tool, default: []].formUnion(members.keys)
            #expect(faults(result, schemas[tool], tool) == [], "\(tool) \(arguments)")
        }
        return seen
    }

    @Test func `results have no members that the output schemas do not declare`() async throws {
        let harness = MCPHarness()
        let topics = ["tomato soil garden water seeds plant", "engine piston gearbox oil brake motor"]
        let drafts = (0..<16).map { number in
            SourceDraft(
                id: "file:///notes/\(number).md", fingerprint: "1",
                entries: [
                    EntryDraft(
                        content: "# Note \(number)\n\n\(topics[number % 2]) \(number)",
                        tags: ["topic"], sourceLocation: EntryLocation(line: 1))
                ])
        }
        _ = try await harness.store.ingest(drafts)
        _ = try await harness.store.recluster()
        let found = await harness.call("search", ["query": "tomato garden"])
        let id = try #require(found["results"]?.elements?.first?["id"])
        let cluster = try #require(await harness.call("fetch", ["id": id])["cluster"])
        let note: JSONValue = "The meeting is on Monday at nine."
        let seen = try await Self.check(
            harness,
            [
                ("search", ["query": "tomato garden", "limit": 2]), ("search", ["query": "quantum physics"]),
                ("fetch", ["id": id]), ("clusters", [:]), ("clusters", ["cluster": cluster]),
                ("clusters", ["drift": true, "limit": 1]), ("status", [:]),
                ("remember", ["text": note, "dryRun": true]), ("remember", ["text": note]),
                ("remember", ["text": note]),
                ("remember", ["text": note, "allowDuplicate": true, "title": "Meeting"]),
                ("update", ["id": id, "addTags": ["new"], "title": "A title"]),
                ("forget", ["ids": [id]]), ("forget", ["ids": [id], "confirm": true]),
            ])
        #expect(seen["search"]?.isSuperset(of: ["results", "nearest", "notices", "nextCursor"]) == true)
        #expect(seen["remember"]?.isSuperset(of: ["wouldStore", "updated", "duplicates"]) == true)
        #expect(seen["status"]?.contains("reclusteredAt") == true)
        #expect(seen["clusters"]?.contains("drift") == true)
    }

    @Test func `results about messages have no members that the output schemas do not declare`()
        async throws
    {
        var rules = AccessRules()
        rules.scope = ChatScope(userId: "ann", sessionId: "s", agentId: "a")
        let harness = MCPHarness(rules)
        let long = JSONValue.string(
            "the heron stood in the water " + String(repeating: "all day ", count: 2_000))
        let messages: JSONValue = [
            ["role": "user", "content": long, "speaker": "Ann", "name": "m1"],
            ["role": "assistant", "content": "the bread rises", "timestamp": "2026-01-02T10:00:00Z"],
            ["role": "user", "content": "paint the hull"], ["role": "user", "content": "the choir sings"],
        ]
        let seen = try await Self.check(
            harness,
            [
                ("recall", ["query": "heron"]), ("remember_messages", ["messages": messages]),
                ("recall", ["query": "heron water", "budget": 2_000]),
                ("recall", ["query": "quantum chromodynamics lattice"]), ("status", [:]),
            ])
        #expect(seen["recall"]?.isSuperset(of: ["messages", "nearest", "notices"]) == true)
        #expect(seen["status"]?.contains("conversation") == true)
    }
}
