public import Foundation
public import RoostConversations
public import RoostModel

extension ConversationMemory {
    /// A selection of messages. A message matches if it meets all conditions that are set.
    public struct Filter: Sendable, Hashable {
        /// The user of the conversation.
        public var userId: String?
        /// The session of the conversation.
        public var sessionId: String?
        /// The agent of the conversation.
        public var agentId: String?
        /// The earliest time of a message.
        public var since: Date?
        /// The time before which a message must be; a message of exactly this time does not match.
        public var until: Date?

        /// The filter that all messages match.
        public static let all = Filter()

        /// Midnight after the last day that a store can keep: the end of the year 9999.
        private static let latestEnd = Date(timeIntervalSince1970: 253_402_300_800)

        /// Creates a filter.
        public init(
            userId: String? = nil, sessionId: String? = nil, agentId: String? = nil, since: Date? = nil,
            until: Date? = nil
        ) {
            (self.userId, self.sessionId, self.agentId) = (userId, sessionId, agentId)
            (self.since, self.until) = (since, until)
        }

        /// Creates a filter that the messages of one conversation match.
        public init(_ scope: ChatScope) {
            self.init(userId: scope.userId, sessionId: scope.sessionId, agentId: scope.agentId)
        }

        /// The filter that the entries of these messages match.
        public var entries: EntryFilter {
            typealias Key = RememberedMessage.Key
            var filter = EntryFilter(metadata: [Key.kind: Key.message])
            filter.metadata[Key.user] = userId
            filter.metadata[Key.session] = sessionId
            filter.metadata[Key.agent] = agentId
            if let userId, let sessionId, let agentId {
                let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
                filter.sources = [scope.source]
            }
            if since != nil || until != nil {
                let start = since ?? .distantPast
                filter.created = start..<max(start, until ?? Self.latestEnd)
            }
            return filter
        }
    }
}
