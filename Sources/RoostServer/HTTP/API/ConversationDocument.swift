import RoostModel

enum ConversationDocument {
    private static let user = Schema.string("The user.")
    private static let session = Schema.string("The session.")

    private static let identity = [
        "id": Schema.id("The id of the message, which is also that of its entry."),
        "user": user, "session": session, "agent": Schema.string("The agent."),
        "number": Schema.integer("The number of the message in its conversation, from 0."),
        "role": Schema.string("The role of the author."),
        "speaker": Schema.string("The name of the author."),
        "timestamp": Schema.time("The time of the message."),
        "name": Schema.string("The name that was given to the message when it was stored."),
    ]
    private static let required: [String] = [
        "id", "user", "session", "agent", "number", "role", "timestamp",
    ]

    static let message = Schema.object(
        identity.merging(["content": Schema.string("The text.")]) { $1 }, required: required + ["content"],
        isOpen: true, "A message of a conversation.")

    static let summary = Schema.object(
        named: "Conversation",
        [
            "user": user, "session": session,
            "agents": Schema.array(of: Schema.string("An agent."), "The agents that took part."),
            "messages": Schema.integer("The number of messages."),
            "first": Schema.time("The time of the first message."),
            "last": Schema.time("The time of the last message."),
            "firstMessage": Schema.string("The first message of the user, or of the conversation."),
            "title": Schema.string("The title."),
        ], required: ["user", "session", "agents", "messages", "first", "last", "firstMessage"], isOpen: true)

    static let recall = Schema.object(
        named: "RecallResult",
        [
            "messages": Schema.array(of: recollection, "The messages with their context."),
            "notices": Schema.array(
                of: Schema.string("A sentence."),
                "How the query was understood, and why there are no messages."),
            "nearest": Schema.array(
                of: Schema.object(
                    named: "NearMessage",
                    identity.merging(["snippet": Schema.string("The part that matches best.")]) { $1 },
                    required: required + ["snippet"], isOpen: true),
                "The nearest messages, if none of them is relevant."),
        ], required: ["messages"], isOpen: true)

    private static let recollection = Schema.object(
        named: "Recollection",
        [
            "message": Schema.reference("Message"),
            "score": Schema.number(
                "The relevance from 0 to 1, by which messages are ordered; 1 if they are listed by time."),
            "similarity": Schema.number("The cosine similarity of the query and the message."),
            "title": Schema.string("The title of the conversation, if it has one."),
            "before": Schema.array(
                of: Schema.reference("Message"), "The messages before it, oldest first."),
            "after": Schema.array(
                of: Schema.reference("Message"), "The messages after it, oldest first."),
        ], required: ["message", "score", "similarity", "before", "after"], isOpen: true)
}
