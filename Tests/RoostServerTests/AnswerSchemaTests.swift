import Foundation
import NIOHTTP1
import Roost
import RoostModel
import Testing

@testable import RoostServer

/// Tests that the document declares all members of answers. The harness checks every answer of all tests;
/// these tests request the answers that no other test has.
struct AnswerSchemaTests {
    @Test func `answers of conversations are declared`() async throws {
        try await HTTPHarness.run { harness in
            let messages: [JSONValue] = [
                ["role": "user", "content": "When do the swifts return?", "speaker": "Mara"],
                ["role": "assistant", "content": "The swifts return in May.", "name": "answer-1"],
                ["role": "user", "content": "Thank you."],
            ]
            let stored = try await harness.send(
                .POST, "/api/v1/conversations/messages",
                ["user": "u", "session": "s", "agent": "a", "messages": .array(messages)])
            #expect(stored.json["new"] == 3)
            let list = try await harness.send(.GET, "/api/v1/conversations").json
            #expect(list["conversations"]?.elements?.first?["messages"] == 3)
            #expect(try await harness.send(.GET, "/api/v1/conversations/messages").status == 200)
            for query in ["swifts return May", "entirely unrelated gearboxes"] {
                let found = try await harness.send(
                    .POST, "/api/v1/conversations/recall", ["query": .string(query)])
                #expect(found.status == 200)
            }
        }
    }

    @Test func `answers of clusters are declared`() async throws {
        try await HTTPHarness.run { harness in
            for number in 0..<8 {
                try await harness.store.add("tomato soil garden water seeds plant \(number)")
                try await harness.store.add("engine piston gearbox oil brake motor \(number)")
            }
            _ = try await harness.store.recluster()
            for path in ["clusters", "clusters/diff"] {
                #expect(try await harness.send(.GET, "/api/v1/" + path).status == 200)
            }
        }
    }

    @Test func `answers in the form of OpenAI are declared`() async throws {
        try await HTTPHarness.run { harness async throws in
            let model = JSONValue.string(harness.store.embedder.space.model)
            // Some clients send null instead of omitting a member.
            let body: JSONValue = [
                "model": model, "input": "x", "dimensions": nil, "encoding_format": nil, "user": nil,
            ]
            #expect(try await harness.send(.POST, "/v1/embeddings", body).status == 200)
        }
    }

    @Test func `a member that the document does not declare is found`() {
        let check = SchemaCheck(components: OpenAPIDocument.components, permitsUndeclared: false)
        let cluster: [String: JSONValue] = [
            "id": "x", "label": "x", "keywords": [], "size": 1, "pinned": false, "cohesion": 1,
            "representatives": [],
        ]
        let schema = TypeSchema.schema(of: ClusterDocument.self)
        func fault(_ cluster: [String: JSONValue]) -> String? {
            check.fault(in: .object(cluster), schema, at: "answer")
        }
        #expect(fault(cluster) == nil)
        #expect(fault(cluster.merging(["other": 1]) { $1 })?.contains("'other'") == true)
        #expect(fault(["id": "x"]) != nil)
    }
}
