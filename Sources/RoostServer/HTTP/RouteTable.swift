import Foundation
import HTTPTypes
import RoostModel

struct RouteTable: Sendable {
    enum Match: Sendable {
        case route(Route, [String: String])
        /// The path exists, but not with this method.
        case otherMethods([HTTPRequest.Method])
        case none
    }

    let routes: [Route]
    private let patterns: [[String]]

    /// Creates a table.
    ///
    /// - Precondition: No two routes have the same path and method.
    init(_ routes: [Route]) {
        self.routes = routes
        patterns = routes.map { Self.segments(of: $0.path) }
        precondition(Set(routes.map { "\($0.method) \($0.path)" }).count == routes.count)
    }

    private static func segments(of path: String) -> [String] {
        path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    }

    /// Returns the route for a path without a query. Of the paths that match, the one with the fewest placeholders counts.
    func match(_ method: HTTPRequest.Method, _ path: String) -> Match {
        let segments = Self.segments(of: path)
        var found: [(route: Route, values: [String: String])] = []
        for (route, pattern) in zip(routes, patterns) {
            guard let values = Self.values(of: segments, pattern) else { continue }
            let fewest = found.first?.values.count ?? .max
            if values.count < fewest { found = [] }
            if values.count <= fewest { found.append((route, values)) }
        }
        guard !found.isEmpty else { return .none }
        let get = found.first { $0.route.method == .get && !$0.route.isStream }
        if let match = found.first(where: { $0.route.method == method }) ?? (method == .head ? get : nil) {
            return .route(match.route, match.values)
        }
        let methods = found.map(\.route.method) + (get == nil ? [] : [.head])
        return .otherMethods(methods.sorted { $0.rawValue < $1.rawValue })
    }

    /// Returns the values of the placeholders of a pattern; `nil` if the segments do not match it.
    private static func values(of segments: [String], _ pattern: [String]) -> [String: String]? {
        guard segments.count == pattern.count else { return nil }
        var values: [String: String] = [:]
        for (segment, part) in zip(segments, pattern) where segment != part {
            guard part.hasPrefix("{"), !segment.isEmpty, let value = segment.removingPercentEncoding else {
                return nil
            }
            values[String(part.dropFirst().dropLast())] = value
        }
        return values
    }
}

extension Route {
    /// Creates the route of an operation. Parameters that are not in the path or the header are in the query of GET and
    /// DELETE, and in the body of other requests.
    init(_ operation: AnyOperation) {
        let route = operation.route
        let hasQuery = route.method == .get || route.method == .delete
        func isInPath(_ parameter: Argument) -> Bool { route.path.contains("{\(parameter.name)}") }
        func isInBody(_ parameter: Argument) -> Bool {
            !hasQuery && !isInPath(parameter) && parameter.header == nil
        }
        let typeName = operation.name.split(separator: "_").map(\.capitalized).joined()
        let body = operation.inputSchema(named: typeName + "Request", where: isInBody)
        var answers = [Route.Answer(200, "The result.", .json(operation.outputSchema))]
        if operation.access.effect == .adds {
            let location = ["Location": "The address of the created object."]
            answers.append(Route.Answer(201, "The result.", .json(operation.outputSchema), headers: location))
        }
        self.init(
            method: HTTPRequest.Method(rawValue: route.method.rawValue.uppercased()) ?? .get,
            path: route.path,
            operation: operation.name, tag: route.tag,
            summary: operation.summary, details: operation.details.isEmpty ? nil : operation.details,
            writes: operation.access.effect != .reads,
            parameters: operation.parameters.filter { !isInBody($0) }.map { parameter -> Parameter in
                if isInPath(parameter) { return .path(parameter.name, parameter.schema) }
                if let header = parameter.header { return .header(header, parameter.schema) }
                return .query(parameter.name, parameter.schema, isRequired: parameter.use == .required)
            },
            body: body["properties"] == [:] ? nil : .json(body), answers: answers
        ) { call in
            var arguments = call.body.members ?? [:]
            for parameter in operation.parameters {
                if let value = call.values[parameter.header ?? parameter.name] {
                    arguments[parameter.name] = value
                }
            }
            let result = try await call.context.operations.run(operation, arguments)
            var reply = Reply.json(result.json, result.head.location == nil ? .ok : .created)
            if let location = result.head.location { reply = reply.with("Location", location) }
            if let revision = result.head.revision { reply = reply.with("ETag", "\"\(revision)\"") }
            return reply
        }
    }
}
