import NIOHTTP1
import Roost
import RoostModel
import Testing

@testable import RoostServer

/// Tests of the document from which programs generate clients.
struct OpenAPITests {
    private let document = OpenAPIDocument.json(APIServer.routes, version: "test")

    private var schemas: [String: JSONValue] { document["components"]?["schemas"]?.members ?? [:] }

    private static func values(of name: String, in value: JSONValue) -> [JSONValue] {
        switch value {
        case .array(let elements): elements.flatMap { values(of: name, in: $0) }
        case .object(let members):
            (members[name].map { [$0] } ?? []) + members.values.flatMap { values(of: name, in: $0) }
        default: []
        }
    }

    @Test func `every reference names a schema`() {
        let references = Self.values(of: "$ref", in: document).compactMap(\.string)
        let names = references.map { String($0.dropFirst(SchemaCheck.referencePrefix.count)) }
        #expect(Set(names).subtracting(schemas.keys) == [])
        // Every schema is used.
        #expect(Set(schemas.keys).subtracting(names) == [])
        let list = document["paths"]?["/api/v1/clusters/{cluster}"]?["get"]?["responses"]?["200"]
        #expect(
            list?["content"]?["application/json"]?["schema"] == Schema.reference("ClusterDocument"))
        for type in ["EntryDocument", "RememberRequest", "UpdateRequest"] {
            #expect(schemas[type]?["properties"]?["metadata"] == Schema.reference("Metadata"), "\(type)")
        }
        #expect(schemas["Problem"]?["properties"]?["title"]?["type"] == "string")
    }

    @Test func `bodies with declared members have names`() {
        for (path, operations) in document["paths"]?.members ?? [:] {
            for body in Self.values(of: "application/json", in: operations) {
                #expect(body["schema"]?["properties"] == nil, "\(path)")
            }
        }
        // The marks of names are not part of the document.
        let titles = Self.values(of: "title", in: [.object(schemas), document["paths"] ?? .null])
        #expect(titles.allSatisfy { $0.string == nil })
    }

    @Test func `a choice that can be null has one list of values`() {
        let property = schemas["EmbeddingsRequest"]?["properties"]?["encoding_format"]
        #expect(property?["enum"] == ["float", "base64", nil])
        #expect(property?["type"] == nil)
        let check = SchemaCheck(components: schemas)
        func fault(_ format: JSONValue) -> String? {
            let request: JSONValue = ["input": "x", "model": "y", "encoding_format": format]
            return check.fault(in: request, Schema.reference("EmbeddingsRequest"), at: "body")
        }
        #expect(fault("base64") == nil && fault(.null) == nil)
        #expect(fault(5) == "body.encoding_format must be one of float, base64, null")
    }

    @Test func `only operations that use the store have conflicts`() {
        func statuses(_ path: String) -> Set<String> {
            Set(document["paths"]?[path]?["get"]?["responses"]?.members?.keys.map(\.self) ?? [])
        }
        #expect(statuses("/livez").isDisjoint(with: ["401", "409", "410"]))
        #expect(statuses("/api/v1/entries").isSuperset(of: ["200", "401", "409", "410"]))
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
