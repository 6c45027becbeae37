import HTTPTypes
import RoostModel

enum DocumentationRoutes {
    private static let tag = "Documentation"

    static let all = [document, page, start]

    private static let document = Route(
        method: .get, path: "/openapi.json", operation: "getOpenAPI", tag: tag,
        summary: "Return the OpenAPI document.", needsToken: false,
        answers: [Route.Answer(200, "The document.", .json(Schema.map("An OpenAPI 3.1 document.")))]
    ) { call in
        .json(OpenAPIDocument.json(APIServer.routes, version: call.context.settings.version))
    }

    private static let page = Route(
        method: .get, path: "/docs", operation: "getDocumentation", tag: tag,
        summary: "Show the operations as a page.", needsToken: false,
        answers: [
            Route.Answer(
                200, "The page.", Route.Body(mediaType: "text/html", schema: Schema.string("HTML.")))
        ]
    ) { _ in
        Reply.text(DocumentationPage.html(APIServer.routes), type: "text/html; charset=utf-8")
            .with(
                "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
                    + "frame-ancestors 'none'")
    }

    private static let start = Route(
        method: .get, path: "/", operation: "getStart", tag: tag,
        summary: "Redirect to the page with the operations.", needsToken: false,
        answers: [Route.Answer(302, "The page.", headers: ["Location": "The path of the page, /docs."])]
    ) { _ in Reply.empty(.found).with("Location", page.path) }
}
