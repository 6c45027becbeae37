import Foundation
import HTTPTypes
import RoostAuthorization
import RoostMCP
import RoostModel

/// The routes from which clients learn which authorization server issues tokens (RFC 9728).
enum AuthorizationRoutes {
    /// The metadata are at two paths: that of the server, and that of the Model Context Protocol.
    static let all = [
        metadata(ProtectedResource.metadataPath, "getResourceMetadata"),
        metadata(ProtectedResource.metadataPath + "/mcp", "getAgentResourceMetadata"),
    ]

    private static func metadata(_ path: String, _ operation: String) -> Route {
        Route(
            method: .get, path: path, operation: operation, tag: "Authorization",
            summary: "Describe how clients get tokens (RFC 9728).",
            details: "The document exists only if the server accepts tokens of an authorization server.",
            needsToken: false,
            parameters: [],
            answers: [
                Route.Answer(
                    200, "The metadata.",
                    .json(
                        Schema.object(
                            named: "ResourceMetadata",
                            [
                                "resource": Schema.string("The audience of tokens."),
                                "authorization_servers": Schema.array(
                                    of: Schema.string("The address of an issuer."), "The issuers."),
                                "scopes_supported": Schema.array(
                                    of: Schema.string("A scope."), "The scopes that tokens need."),
                                "bearer_methods_supported": Schema.array(
                                    of: Schema.string("`header`."), "Where requests contain the token."),
                                "resource_name": Schema.string("The name of the server."),
                            ], required: ["resource", "authorization_servers"], isOpen: true))),
                Route.Answer(
                    404, "The server accepts only its own token.",
                    Route.Body(mediaType: Problem.mediaType, schema: Schema.reference("Problem"))),
            ]
        ) { call in
            guard let resource = call.context.settings.authorization else {
                throw Problem.notFound("the server accepts only its own token")
            }
            var members: [String: JSONValue] = [
                "resource": .string(resource.resource.absoluteString),
                "authorization_servers": [.string(resource.issuer.absoluteString)],
                "bearer_methods_supported": ["header"], "resource_name": "Roost",
            ]
            if !resource.scopes.isEmpty {
                members["scopes_supported"] = .array(resource.scopes.map { .string($0) })
            }
            return .json(.object(members))
        }
    }
}
