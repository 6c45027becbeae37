import Foundation
import HTTPTypes
import RoostModel

enum AgentRoutes {
    static let all = [post]

    private static let error = Route.Body.json(Schema.map("A JSON-RPC error."))

    private static let message: JSONValue = [
        "anyOf": [
            Schema.map("A JSON-RPC message."),
            Schema.array(of: Schema.map("A JSON-RPC message."), "Messages."),
        ], "description": "A JSON-RPC message, or an array of messages.",
    ]

    /// The answer to a request. If the client asked for progress, it is a stream of events.
    private static let response: Route.Answer = {
        var answer = Route.Answer(200, "The response, or the responses to an array.", .json(message))
        answer.alternatives = [.events]
        return answer
    }()

    private static let post = Route(
        method: .post, path: "/mcp", operation: "callAgentProtocol", tag: "Agents",
        summary: "Answer a message of the Model Context Protocol.",
        details: "Messages of the revisions 2024-11-05 to 2026-07-28 are accepted, without sessions. The "
            + "answer is a stream of events if the client asks for progress.",
        body: .json(message), readsRawBody: true,
        answers: [
            response,
            Route.Answer(202, "The message was a notification."),
            Route.Answer(400, "The message or its header fields are invalid.", error),
            Route.Answer(404, "The method is unknown.", error),
            Route.Answer(415, "The message is not JSON.", error),
        ]
    ) { call in
        // Some clients send no type.
        guard HTTPExchange.isJSON(call.header("Content-Type") ?? HTTPExchange.jsonType) else {
            let error = ProtocolError(.invalidRequest, "the field Content-Type must be application/json")
            return .json(error.response(to: nil), .unsupportedMediaType)
        }
        return await HTTPExchange(call: call).reply()
    }
}
