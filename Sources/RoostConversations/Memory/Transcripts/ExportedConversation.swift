import Foundation

/// Collects the messages of one exported conversation.
struct ExportedConversation {
    private let location: String
    private let start: Date?
    private let title: String?
    private var messageIDs = MessageIDs()
    private(set) var messages: [MessageDraft] = []

    /// Creates a conversation without messages.
    ///
    /// - Parameters:
    ///   - location: The location of the conversation in the file.
    ///   - start: The time at which the conversation began.
    ///   - title: The title of the conversation.
    init(at location: String, start: Date?, title: String?) {
        (self.location, self.start) = (location, start)
        self.title = title.flatMap(TranscriptValue.title)
    }

    /// Adds a message. A message without a valid time gets the time of the previous message.
    mutating func add(_ draft: MessageDraft, time: JSONValue?, _ builder: inout TranscriptBuilder) {
        var draft = draft
        draft.title = title
        let location = "\(location), message \(messages.count + 1)"
        draft.timestamp = time.flatMap(TranscriptValue.date)
        if draft.timestamp == nil {
            draft.timestamp = messages.last?.timestamp ?? start
            if time != nil {
                builder.warn(
                    location, "\(TranscriptValue.invalidTime) and received the time of the previous message")
            }
        }
        if !messageIDs.claim(&draft) { builder.addDuplicateID(at: location) }
        messages.append(draft)
    }
}
