import RoostModel

/// The prompts of a server: messages that a person selects in the host to begin a task.
struct PromptCatalog: Sendable {
    private struct Prompt: Sendable {
        var name: String
        var title: String
        var description: String
        /// The name and description of the only argument, which is required.
        var argument: (name: String, description: String)
        /// The message, with `{}` in place of the argument.
        var message: String
    }

    private let prompts: [Prompt]

    /// Creates the prompts for the visible part of a store. They ask the model to search entries, so the
    /// list is empty if no entries are visible.
    init(_ rules: AccessRules) {
        prompts = rules.showsEntries ? [Self.answer, Self.summary(usingClusters: rules.showsClusters)] : []
    }

    private static let answer = Prompt(
        name: "answer_from_notes", title: "Answer from my notes",
        description: "Answers a question with the texts of the store and names the entries used.",
        argument: ("question", "The question."),
        message: """
            Answer the following question from my knowledge store only. Call 'search' with the question, \
            and with other words if the results do not answer it; call 'fetch' for the entries that look \
            relevant. Name the title and address of each entry that you use. If the store does not \
            contain the answer, say so.

            Question: {}
            """)

    private static func summary(usingClusters: Bool) -> Prompt {
        let steps =
            usingClusters
            ? "Call 'clusters' to see whether a cluster covers it and list its members; call 'search' for "
                + "the rest and 'fetch' for texts that you need in full."
            : "Call 'search' with the topic and with other words for it, and 'fetch' for texts that you "
                + "need in full."
        return Prompt(
            name: "summarize_topic", title: "Summarize a topic",
            description: "Summarizes what the store contains about a topic"
                + (usingClusters ? " or cluster." : "."),
            argument: ("topic", usingClusters ? "A topic, or the label of a cluster." : "A topic."),
            message: """
                Summarize what my knowledge store contains about the following topic. \(steps) Group the \
                summary by aspect, and name the entries on which each statement is based.

                Topic: {}
                """)
    }

    /// The definitions for `prompts/list`.
    var definitions: [JSONValue] {
        prompts.map { prompt in
            [
                "name": .string(prompt.name), "title": .string(prompt.title),
                "description": .string(prompt.description),
                "arguments": [
                    [
                        "name": .string(prompt.argument.name),
                        "description": .string(prompt.argument.description), "required": true,
                    ]
                ],
            ]
        }
    }

    /// The maximum length of an argument in UTF-8 bytes.
    private static let maximumLength = 20_000

    /// Returns the result of `prompts/get`.
    ///
    /// - Throws: ``ProtocolError`` if the prompt is unknown or its argument is missing.
    func prompt(_ parameters: JSONValue) throws(ProtocolError) -> [String: JSONValue] {
        guard let name = parameters["name"]?.asString,
            let prompt = prompts.first(where: { $0.name == name })
        else {
            throw ProtocolError(
                .invalidParameters,
                prompts.isEmpty
                    ? "unknown prompt; the server has no prompts"
                    : "unknown prompt; known prompts: \(prompts.map(\.name).joined(separator: ", "))")
        }
        let argument = prompt.argument.name
        guard let text = parameters["arguments"]?[argument]?.asString, !text.isEmpty,
            text.utf8.count <= Self.maximumLength
        else {
            throw ProtocolError(
                .invalidParameters,
                "the prompt '\(name)' needs the argument '\(argument)', a string of 1 to "
                    + "\(Self.maximumLength) bytes"
            )
        }
        let message = prompt.message.split(separator: "{}", omittingEmptySubsequences: false)
            .joined(separator: text)
        return [
            "description": .string(prompt.description),
            "messages": [["role": "user", "content": ["type": "text", "text": .string(message)]]],
        ]
    }
}
