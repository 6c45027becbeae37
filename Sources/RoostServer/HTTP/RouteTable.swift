import Foundation
import HTTPTypes
import RoostModel

struct RouteTable: Sendable {
    /// The result of looking up a request.
    enum Match: Sendable {
        /// The route, and the values of the placeholders in its path.
        case route(Route, [String: String])
        /// The path exists, but not with this method.
        case otherMethods([HTTPRequest.Method])
        case none
    }

    private final class Node: Sendable {
        let children: [String: Node]
        let placeholder: (name: String, node: Node)?
        let routes: [HTTPRequest.Method: Route]

        init(_ routes: [(segments: ArraySlice<String>, route: Route)]) {
            var (ending, groups): ([HTTPRequest.Method: Route], [String: [(ArraySlice<String>, Route)]]) =
                ([:], [:])
            for (segments, route) in routes {
                guard let first = segments.first else {
                    precondition(ending[route.method] == nil, "two routes for \(route.method) \(route.path)")
                    ending[route.method] = route
                    continue
                }
                groups[first, default: []].append((segments.dropFirst(), route))
            }
            let names = groups.keys.filter { $0.hasPrefix("{") }
            precondition(names.count <= 1, "placeholders for the same segment must have the same name")
            placeholder = names.first.map { name in
                (String(name.dropFirst().dropLast()), Node(groups[name] ?? []))
            }
            children = groups.filter { !$0.key.hasPrefix("{") }.mapValues(Node.init)
            self.routes = ending
        }
    }

    /// All routes, in the order of the documentation.
    let routes: [Route]
    private let root: Node

    /// Creates a table.
    ///
    /// - Precondition: No two routes have the same path and method.
    init(_ routes: [Route]) {
        self.routes = routes
        root = Node(routes.map { (Self.segments(of: $0.path)[...], $0) })
    }

    private static func segments(of path: String) -> [String] {
        path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    }

    /// Returns the route for a path without a query.
    func match(_ method: HTTPRequest.Method, _ path: String) -> Match {
        var node = root
        var values: [String: String] = [:]
        var segments = Self.segments(of: path)[...]
        while let segment = segments.popFirst() {
            if let child = node.children[segment] {
                node = child
            } else if let (name, next) = node.placeholder, !segment.isEmpty {
                guard let value = segment.removingPercentEncoding else { return .none }
                values[name] = value
                node = next
            } else {
                return .none
            }
        }
        if let route = node.routes[method] { return .route(route, values) }
        if method == .head, let route = node.routes[.get], !route.isStream { return .route(route, values) }
        guard !node.routes.isEmpty else { return .none }
        var methods = Array(node.routes.keys)
        if let route = node.routes[.get], !route.isStream { methods.append(.head) }
        return .otherMethods(methods.sorted { $0.rawValue < $1.rawValue })
    }
}

extension Route {
    /// Creates the route of an operation. Parameters that are not in the path or the header are in the query of GET and
    /// DELETE, and in the body of other requests.
    init(_ operation: AnyOperation) {
        let route = operation.route
        let hasQuery = route.method == .get || route.method == .delete
        func isInPath(_ parameter: OperationParameter) -> Bool { route.path.contains("{\(parameter.name)}") }
        func isInBody(_ parameter: OperationParameter) -> Bool {
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
            method: route.method, path: route.path, operation: operation.name, tag: route.tag,
            summary: operation.summary, details: operation.details.isEmpty ? nil : operation.details,
            effect: operation.access.effect == .reads ? .reads : .writes,
            parameters: operation.parameters.filter { !isInBody($0) }.map { parameter -> Parameter in
                if isInPath(parameter) { return .path(parameter.name, parameter.schema) }
                if let header = parameter.header { return .header(header, parameter.schema) }
                return .query(parameter.name, parameter.schema, isRequired: parameter.isRequired)
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
