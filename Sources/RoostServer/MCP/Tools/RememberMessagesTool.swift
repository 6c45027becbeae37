import Foundation
import Roost
import RoostConversations
import RoostModel

struct RememberMessagesTool: Tool {
    let handle: StoreHandle
    let rules: AccessRules

    private static let maximumCount = 1_000

    let definition = ToolDefinition(
        name: "remember_messages", title: "Remember messages",
        description:
            "Stores messages of a conversation in the given order, so that 'recall' finds them later. "
            + "Call it after each turn with the new messages, the last messages or the whole conversation. "
            + "Messages at the start that the stored conversation already ends with, compared by role, "
            + "speaker and text, are skipped, so you can repeat a failed call. A message with a name or a "
            + "timestamp is skipped if the conversation already contains it. If a new message repeats the "
            + "last stored one, give it a timestamp. Messages that the user removed are not stored again. "
            + "Use a separate 'session' for each conversation.",
        effect: .adds,
        input: [
            ToolProperty(
                "messages",
                .array(
                    of: .object([
                        ToolProperty(
                            "role", .choice(["user", "assistant", "system", "tool"]), isRequired: true,
                            "The role of the author."),
                        ToolProperty(
                            "content", .string(maximumBytes: RememberTool.maximumTextLength),
                            isRequired: true,
                            "The text."),
                        ToolProperty("speaker", .string(maximumBytes: 1_000), "The name of the author."),
                        ToolProperty(
                            "name", .string(maximumBytes: 1_000), "A name that identifies the message."),
                        ToolProperty(
                            "timestamp", .string(maximumBytes: 40),
                            "The time of the message in ISO 8601 with a time zone, such as "
                                + "2026-01-31T09:00:00Z; the current time if it is absent."),
                    ]), maximumCount: maximumCount), isRequired: true, "The messages, oldest first.")
        ] + ScopeArguments.defaultedProperties,
        // A model can store the turns of a conversation in several calls at once.
        keepsOrder: true)

    func call(_ arguments: ToolArguments, _ context: CallContext) async throws -> JSONValue {
        let scope = try ScopeArguments.scope(arguments, rules)
        let drafts = try (arguments["messages"]?.elements ?? []).enumerated().map { index, value in
            try Self.draft(value, index)
        }
        return try await handle.change { store in
            let report = try await ConversationMemory(store).remember(drafts, in: scope)
            return ["new": .integer(Int64(report.new)), "known": .integer(Int64(report.known))]
        }
    }

    private static func draft(_ value: JSONValue, _ index: Int) throws(ToolFailure) -> MessageDraft {
        do {
            return try MessageDraft(value)
        } catch {
            throw ToolFailure("'messages[\(index)].\(error.member)' \(error.text)")
        }
    }
}
