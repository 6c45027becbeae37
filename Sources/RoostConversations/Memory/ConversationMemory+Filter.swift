public import Foundation
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
        /// The start of the time range. A message with exactly this time matches.
        public var since: Date?
        /// The end of the time range. A message with exactly this time does not match.
        public var until: Date?

        /// A filter that matches all messages.
        public static let all = Filter()

        /// The end of the year 9999, after which a store cannot represent dates.
        private static let latestEnd = Date(timeIntervalSince1970: 253_402_300_800)

        /// Creates a filter.
        public init(
            userId: String? = nil, sessionId: String? = nil, agentId: String? = nil, since: Date? = nil,
            until: Date? = nil
        ) {
            (self.userId, self.sessionId, self.agentId) = (userId, sessionId, agentId)
            (self.since, self.until) = (since, until)
        }

        /// Creates a filter that matches the messages of one conversation.
        public init(_ scope: ChatScope) {
            self.init(userId: scope.userId, sessionId: scope.sessionId, agentId: scope.agentId)
        }

        /// The corresponding filter for the entries of the store.
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
