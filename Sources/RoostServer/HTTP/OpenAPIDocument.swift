import HTTPTypes
import RoostModel

/// The OpenAPI 3.1 document, which is made from the routes, so that it cannot differ from them.
enum OpenAPIDocument {
    /// The schema to which all routes refer. The document has also those that routes contain under a name.
    static let components: [String: JSONValue] = ["Problem": Problem.schema]

    static func json(_ routes: [Route], version: String) -> JSONValue {
        var paths: [String: JSONValue] = [:]
        for route in routes {
            var operations = paths[route.path]?.members ?? [:]
            operations[route.method.rawValue.lowercased()] = operation(route)
            paths[route.path] = .object(operations)
        }
        var types = NamedSchemas()
        let references = types.replacing(in: .object(paths))
        for (name, schema) in components { types.add(types.replacing(in: schema), as: name) }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Roost", "version": .string(version),
                "description": "A store of texts that are searched by meaning and grouped into clusters.",
            ],
            "servers": [["url": "/"]],
            "security": [["token": []]],
            "tags": .array(tags(of: routes).map { ["name": .string($0)] }),
            "paths": references,
            "components": [
                "schemas": .object(types.schemas),
                "securitySchemes": [
                    "token": [
                        "type": "http", "scheme": "bearer",
                        "description": "The token that the server generated at its first start.",
                    ]
                ],
            ],
        ]
    }

    static func tags(of routes: [Route]) -> [String] {
        routes.reduce(into: []) { tags, route in
            if !tags.contains(route.tag) { tags.append(route.tag) }
        }
    }

    private static func operation(_ route: Route) -> JSONValue {
        var members: [String: JSONValue] = [
            "operationId": .string(route.operation), "summary": .string(route.summary),
            "tags": [.string(route.tag)],
        ]
        members["description"] = route.details.map { .string($0) }
        if !route.needsToken { members["security"] = [] }
        let parameters = route.parameters
        if !parameters.isEmpty { members["parameters"] = .array(parameters.map(\.json)) }
        if let body = route.body {
            members["requestBody"] = [
                "required": .bool(!body.isOptional), "content": content(body),
            ]
        }
        var responses: [String: JSONValue] = [:]
        for answer in route.answers { responses[String(answer.status)] = response(answer) }
        for (status, description) in route.problems {
            responses[String(status)] = [
                "description": .string(description),
                "content": [Problem.mediaType: ["schema": Schema.reference("Problem")]],
            ]
        }
        members["responses"] = .object(responses)
        return .object(members)
    }

    private static func content(_ body: Route.Body) -> JSONValue {
        .object([body.mediaType: ["schema": body.schema]])
    }

    private static func response(_ answer: Route.Answer) -> JSONValue {
        var members: [String: JSONValue] = ["description": .string(answer.description)]
        if let body = answer.body {
            let bodies = [body] + answer.alternatives
            members["content"] = .object(
                Dictionary(uniqueKeysWithValues: bodies.map { ($0.mediaType, ["schema": $0.schema]) }))
        }
        if !answer.headers.isEmpty {
            members["headers"] = .object(
                answer.headers.mapValues {
                    ["description": .string($0), "schema": ["type": "string"]]
                })
        }
        return .object(members)
    }
}

extension Problem {
    static let schema = Schema.object(
        [
            "type": Schema.string("The kind of problem as a URN."), "title": Schema.string("The status."),
            "status": Schema.integer("The status code."), "detail": Schema.string("The cause."),
            "code": Schema.string("The stable name of the problem."),
            "remedy": Schema.string("The stable name of an action that can solve the problem."),
            "advice": Schema.string("The action as a sentence."),
            "requestId": Schema.string("The id of the request, which the log of the server contains."),
            "error": [
                "description": "The problem in the form of OpenAI's API, for its operations."
            ],
        ], required: ["type", "title", "status", "detail", "code", "requestId"], isOpen: true,
        "A problem as specified by RFC 9457.")
}

/// Collects the schemas that have names, so that generated clients have a type with this name for each.
struct NamedSchemas {
    /// The schemas by name. Their named parts are references.
    private(set) var schemas: [String: JSONValue] = [:]

    /// Returns a value in which references replace all named schemas, and collects these.
    mutating func replacing(in value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { replacing(in: $0) })
        case .object(var members):
            // A property can also be called `title`; its value is an object.
            let name = members["title"]?.string
            if name != nil { members["title"] = nil }
            let schema = JSONValue.object(members.mapValues { replacing(in: $0) })
            guard let name else { return schema }
            add(schema, as: name)
            return Schema.reference(name)
        default: return value
        }
    }

    mutating func add(_ schema: JSONValue, as name: String) {
        precondition(schemas[name] == nil || schemas[name] == schema, "two schemas have the name \(name)")
        schemas[name] = schema
    }
}
