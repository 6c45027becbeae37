import Foundation
import HTTPTypes
import RoostMCP
import RoostModel

/// The route of the Model Context Protocol over HTTP ("Streamable HTTP").
enum AgentRoutes {
    static let all = [post]

    private static let error = Route.Body.json(Schema.map("A JSON-RPC error."))

    /// The schema of a JSON-RPC message, or of an array of messages.
    private static let message: JSONValue = [
        "anyOf": [
            Schema.map("A JSON-RPC message."),
            Schema.array(of: Schema.map("A JSON-RPC message."), "Messages."),
        ], "description": "A JSON-RPC message, or an array of messages.",
    ]

    /// The answer to a request. If the client asked for progress or notifications, it is a stream of events.
    private static let response: Route.Answer = {
        var answer = Route.Answer(200, "The response, or the responses to an array.", .json(message))
        answer.alternatives = [.events]
        return answer
    }()

    private static let post = Route(
        method: .post, path: "/mcp", operation: "callAgentProtocol", tag: "Agents",
        summary: "Answer a message of the Model Context Protocol.",
        details: "Messages of the revisions 2024-11-05 to 2026-07-28 are accepted, without sessions. The "
            + "answer is a stream of events if the client asks for progress, or subscribes to changes of "
            + "resources with subscriptions/listen.",
        body: .json(message), readsRawBody: true,
        embedsBody: true,
        answers: [
            response,
            Route.Answer(202, "The message was a notification."),
            Route.Answer(400, "The message or its header fields are invalid.", error),
            Route.Answer(404, "The method is unknown.", error),
            Route.Answer(406, "The client does not accept the type of the answer.", error),
            Route.Answer(415, "The message is not JSON.", error),
        ]
    ) { call in
        // Some clients send no type.
        let type = call.header("Content-Type") ?? HTTPExchange.jsonType
        guard HTTPExchange.isJSON(type) else {
            return refusal(
                of: call, "the field Content-Type must be application/json", .unsupportedMediaType)
        }
        guard MediaRanges(call.header("Accept")).accept(HTTPExchange.jsonType) else {
            return refusal(of: call, "the field Accept must contain application/json", .notAcceptable)
        }
        return await HTTPExchange(call: call).reply()
    }

    /// Returns the answer to a message whose header fields are invalid, with the id of the request if it can
    /// be read.
    private static func refusal(of call: Call, _ message: String, _ status: Reply.Status) -> Reply {
        let id = (try? IncomingMessage.parse(call.bytes)).flatMap(IncomingMessage.id)
        return HTTPExchange.reply(ProtocolError(.invalidRequest, message).response(to: id), status)
    }
}
