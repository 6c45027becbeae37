import Foundation
package import RoostConversations
import RoostModel

/// The fault of a message that a client wants to store.
package struct MessageFault: Error {
    /// The member that has the fault.
    package let member: String
    /// The end of a sentence that begins with the member.
    package let text: String
}

extension MessageDraft {
    /// Reads a message that a client wants to store. The schema of the request has been checked.
    ///
    /// - Throws: ``MessageFault`` if the text is empty, or the time has no time zone.
    package init(_ value: JSONValue) throws(MessageFault) {
        guard let role = value["role"]?.asString, let content = value["content"]?.asString,
            !content.allSatisfy(\.isWhitespace)
        else { throw MessageFault(member: "content", text: "is empty") }
        let time = value["timestamp"]?.asString
        let date = time.flatMap(DateText.date)
        guard time == nil || date != nil else {
            throw MessageFault(
                member: "timestamp",
                text: "must be a time with a time zone, such as 2026-01-31T09:00:00Z or "
                    + "2026-01-31T10:00:00+01:00")
        }
        self.init(
            id: value["name"]?.asString, role: ConversationRole(rawValue: role),
            speaker: value["speaker"]?.asString, content: content, timestamp: date)
    }
}
