import Foundation
import HTTPTypes
import Hummingbird
import RoostModel

/// An operation of the server: its description, from which the OpenAPI document is made and requests are
/// checked, and the function that answers requests.
struct Route: Sendable {
    struct Body: Sendable {
        var mediaType: String
        var schema: JSONValue

        /// Whether an empty body has the same meaning as an empty object.
        var isOptional: Bool { schema["type"] == "object" && schema["required"] == nil }

        static func json(_ schema: JSONValue) -> Body { Body(mediaType: "application/json", schema: schema) }

        static let events = Body(
            mediaType: "text/event-stream", schema: Schema.string("Server-sent events with JSON data."))

        static let lines = Body(
            mediaType: "application/x-ndjson", schema: Schema.string("One JSON object per line."))
    }

    struct Answer: Sendable {
        var status: Int
        var description: String
        var body: Body?
        var headers: [String: String] = [:]
        var alternatives: [Body] = []

        init(_ status: Int, _ description: String, _ body: Body? = nil, headers: [String: String] = [:]) {
            (self.status, self.description, self.body, self.headers) = (status, description, body, headers)
        }
    }

    var method: HTTPRequest.Method
    /// The path, in which `{name}` stands for one segment.
    var path: String
    /// The name of the operation in generated clients.
    var operation: String
    var tag: String
    var summary: String
    var details: String?
    /// Whether the route changes the store, so that a read-only server refuses it.
    var writes = false
    /// Whether requests need the token, and count against the limit on requests that are answered at the same
    /// time.
    var needsToken = true
    /// Whether the answer is a stream, which may stay open for an unlimited time.
    var isStream = false
    var parameters: [Parameter] = []
    var body: Body?
    /// Whether the body is passed to the handler as a stream instead of a JSON value.
    var streamsBody = false
    /// Whether the handler parses the body itself, because its errors have another form.
    var readsRawBody = false
    var answers: [Answer]
    var handle: @Sendable (Call) async throws -> Reply

    /// The statuses of problems that the route can return, with descriptions.
    var problems: [Int: String] {
        var problems = [
            400: "The request is invalid.",
            403: "The Host or Origin is not permitted, or the server is "
                + "read-only.", 408: "The request took too long.",
            503: "The server is busy, is stopping, or needs a model that is not available; see Retry-After.",
            431: "The target or the header fields are too long, or the fields are too many.",
            500: "The store is damaged or cannot be read.",
        ]
        if needsToken { problems[401] = "The token is missing or wrong." }
        if body != nil || streamsBody {
            problems[413] = "The body is too large."
            problems[415] = "The media type of the body is not supported."
        }
        if path.contains("{") || !parameters.isEmpty || body != nil {
            problems[404] = "The object was not found."
        }
        // Requests without a token do not use the store.
        if needsToken {
            problems[409] = "The request conflicts with the state of the store."
            problems[410] = "The cursor has expired, because the store has changed; begin again."
        }
        if writes { problems[507] = "The disk or the store is full." }
        if parameters.contains(where: { $0.name == "If-Match" }) {
            problems[412] = "The entry does not exist or has changed since the revision of If-Match."
        }
        for answer in answers { problems[answer.status] = nil }
        return problems
    }
}

struct Parameter: Sendable {
    enum Location: String, Sendable {
        case path, query, header
    }

    var name: String
    var location: Location
    var schema: JSONValue
    var isRequired: Bool

    static func path(_ name: String, _ schema: JSONValue) -> Parameter {
        Parameter(name: name, location: .path, schema: schema, isRequired: true)
    }

    static func query(_ name: String, _ schema: JSONValue, isRequired: Bool = false) -> Parameter {
        Parameter(name: name, location: .query, schema: schema, isRequired: isRequired)
    }

    static func header(_ name: String, _ schema: JSONValue) -> Parameter {
        Parameter(name: name, location: .header, schema: schema, isRequired: false)
    }

    /// Whether the parameter can be given several times in a query.
    var isRepeatable: Bool { schema["type"] == "array" }

    var json: JSONValue {
        var schema = schema.members ?? [:]
        var members: [String: JSONValue] = [
            "name": .string(name), "in": .string(location.rawValue), "required": .bool(isRequired),
        ]
        members["description"] = schema.removeValue(forKey: "description")
        members["schema"] = .object(schema)
        return .object(members)
    }
}

struct Call: Sendable {
    var request: Request
    /// The id of the request in logs and answers.
    var id: String
    var operation: String
    var values: [String: JSONValue]
    /// The checked JSON body; null without a body.
    var body: JSONValue = .null
    /// The bytes of the body, unless it is streamed.
    var bytes = Data()
    var context: ServerContext

    func string(_ name: String) -> String? { values[name]?.string }

    func flag(_ name: String) -> Bool { values[name]?.flag ?? false }

    func header(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { request.headers[$0] }
    }
}
