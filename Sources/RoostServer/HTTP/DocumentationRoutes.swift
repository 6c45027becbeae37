import HTTPTypes
import RoostModel

enum DocumentationRoutes {
    private static let tag = "Documentation"

    static let all = [live, document, page]

    private static let live = Route(
        method: .get, path: "/livez", operation: "isLive", tag: tag,
        summary: "Report that the process answers requests.", needsToken: false,
        answers: [
            Route.Answer(
                200, "The process answers.", .json(Schema.map("The member `status`, which is `ok`.")))
        ]
    ) { _ in .json(["status": "ok"]) }

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
}

/// A page that describes the routes. It loads nothing, so it works without a network.
enum DocumentationPage {
    private static let style = """
        body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
        code,pre{font:14px/1.4 ui-monospace,monospace}pre{overflow-x:auto;padding:.5rem;border:1px solid #8884}
        details{margin:.3rem 0}summary{cursor:pointer}summary b{display:inline-block;width:4rem}
        td{padding:.1rem 1rem .1rem 0;vertical-align:top}@media(prefers-color-scheme:dark)\
        {body{background:#111;color:#ddd}a{color:#8bf}}
        """

    static func html(_ routes: [Route]) -> String {
        var html = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>Roost API</title>
            <meta name="viewport" content="width=device-width"><style>\(style)</style></head><body>
            <h1>Roost API</h1>
            <p>Requests need the header <code>Authorization: Bearer TOKEN</code>. Errors are JSON objects as \
            specified by RFC 9457. Bodies and answers are described in \
            <a href="/openapi.json">/openapi.json</a>.</p>

            """
        for tag in OpenAPIDocument.tags(of: routes) {
            html += "<h2>\(escaped(tag))</h2>\n"
            for route in routes where route.tag == tag { html += section(route) }
        }
        return html + "</body></html>\n"
    }

    private static func section(_ route: Route) -> String {
        let path = escaped(route.path)
        var html =
            "<details><summary><b>\(route.method.rawValue)</b> <code>\(path)</code> – "
            + "\(escaped(route.summary))</summary>\n"
        if let details = route.details { html += "<p>\(escaped(details))</p>\n" }
        if !route.parameters.isEmpty {
            html += "<table>"
            for parameter in route.parameters {
                html +=
                    "<tr><td><code>\(escaped(parameter.name))</code></td><td>\(parameter.location.rawValue)"
                    + "</td><td>\(escaped(parameter.schema["description"]?.string ?? ""))</td></tr>"
            }
            html += "</table>\n"
        }
        return html + "</details>\n"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
