import HTTPTypes
import RoostMCP
import RoostModel

/// A page that describes the routes. It loads nothing, so it works without a network.
enum DocumentationPage {
    private static let style = """
        body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
        code,pre{font:14px/1.4 ui-monospace,monospace}pre{overflow-x:auto;padding:.5rem;border:1px solid #8884}
        details{margin:.3rem 0}summary{cursor:pointer}summary b{display:inline-block;width:4rem}
        td{padding:.1rem 1rem .1rem 0;vertical-align:top}@media(prefers-color-scheme:dark)\
        {body{background:#111;color:#ddd}a{color:#8bf}}
        """

    /// Returns the page for routes.
    static func html(_ routes: [Route], _ basePath: BasePath = .root) -> String {
        let document = escaped(basePath.appending("/openapi.json"))
        var html = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>Roost API</title>
            <meta name="viewport" content="width=device-width"><style>\(style)</style></head><body>
            <h1>Roost API</h1>
            <p>Requests need the header <code>Authorization: Bearer TOKEN</code>. Errors are JSON objects as \
            specified by RFC 9457. The same description for programs: \
            <a href="\(document)">\(document)</a>.</p>

            """
        for tag in OpenAPIDocument.tags(of: routes) {
            html += "<h2>\(escaped(tag))</h2>\n"
            for route in routes where route.tag == tag { html += section(route, basePath) }
        }
        return html + "</body></html>\n"
    }

    private static func section(_ route: Route, _ basePath: BasePath) -> String {
        let path = escaped(basePath.appending(route.path))
        var html =
            "<details><summary><b>\(route.method.rawValue)</b> <code>\(path)</code> – "
            + "\(escaped(route.summary))</summary>\n"
        if let details = route.details { html += "<p>\(escaped(details))</p>\n" }
        if !route.allParameters.isEmpty {
            html += "<table>"
            for parameter in route.allParameters {
                html +=
                    "<tr><td><code>\(escaped(parameter.name))</code></td><td>\(parameter.location.rawValue)"
                    + "</td><td>\(escaped(parameter.schema["description"]?.asString ?? ""))</td></tr>"
            }
            html += "</table>\n"
        }
        if let body = route.body { html += "<p>Body (\(escaped(body.mediaType))):</p>" + pre(body.schema) }
        for answer in route.answers {
            html += "<p>\(answer.status): \(escaped(answer.description))</p>"
            if let body = answer.body, body.mediaType == "application/json" { html += pre(body.schema) }
        }
        return html + "</details>\n"
    }

    /// Returns the members of a schema, one per line.
    private static func pre(_ schema: JSONValue) -> String {
        var schema = schema
        if let name = schema["$ref"]?.asString?.dropFirst(SchemaCheck.referencePrefix.count) {
            schema = OpenAPIDocument.components[String(name)] ?? schema
        }
        let required = Set((schema["required"]?.elements ?? []).compactMap(\.asString))
        let lines = (schema["properties"]?.members ?? [:]).sorted { $0.key < $1.key }.map { name, value in
            let type = (value["enum"] ?? value["type"]).map {
                ($0.elements ?? [$0]).map { $0.asString ?? "null" }.joined(separator: "|")
            }
            return "\(name)\(required.contains(name) ? "*" : ""): \(type ?? "any")  "
                + (value["description"]?.asString ?? "")
        }
        guard !lines.isEmpty else { return "" }
        return "<pre>" + escaped(lines.joined(separator: "\n")) + "</pre>\n"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
