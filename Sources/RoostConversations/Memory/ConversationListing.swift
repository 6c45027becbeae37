public import Foundation
import Roost
package import RoostModel

extension ConversationMemory {
    /// Returns the conversations with messages that match a filter, ordered by their latest message, most
    /// recent first.
    ///
    /// - Complexity: Reads the headers of the matching messages, and usually two messages of each
    ///   conversation.
    /// - Throws: `StorageError`; `CancellationError`.
    @concurrent
    public func conversations(_ filter: Filter = .all) async throws -> [ConversationSummary] {
        try await conversations(filter, in: store.storage.snapshot())
    }

    package func conversations(
        _ filter: Filter, in snapshot: any StorageSnapshot
    ) async throws -> [ConversationSummary] {
        try await ConversationListing(snapshot, filter).summaries { $0 }
    }

    /// Returns the sessions with messages that match a filter, ordered by their latest message, most recent
    /// first. A session comprises the conversations with all of its agents.
    ///
    /// - Complexity: The same as that of ``conversations(_:)``.
    /// - Throws: `StorageError`; `CancellationError`.
    @concurrent
    public func sessions(_ filter: Filter = .all) async throws -> [ConversationSummary] {
        try await ConversationListing(try await store.storage.snapshot(), filter).summaries {
            ChatScope(userId: $0.userId, sessionId: $0.sessionId, agentId: "")
        }
    }

    /// Returns the scopes of the messages that match a filter.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    @concurrent
    public func scopes(_ filter: Filter = .all) async throws -> Set<ChatScope> {
        try await ConversationListing(try await store.storage.snapshot(), filter).scopes
    }
}

private struct ConversationListing {
    private let snapshot: any StorageSnapshot
    /// The header of a message, and its position among all messages that were read, which is that of its row.
    private struct Item {
        var header: EntryHeader
        var position: Int
        var id: Entry.ID { header.id }
        var createdAt: Date { header.createdAt }
    }

    private var items: [ChatScope: [Item]] = [:]

    private static let pageSize = 1000

    var scopes: Set<ChatScope> { Set(items.keys) }

    init(_ snapshot: any StorageSnapshot, _ filter: ConversationMemory.Filter) async throws {
        self.snapshot = snapshot
        var scopes: [String: ChatScope] = [:]
        var (withoutScope, count) = ([Item](), 0)
        for try await page in snapshot.headerPages(matching: filter.entries) {
            for header in page.headers {
                let item = Item(header: header, position: count)
                count += 1
                // The source ids of conversations are ASCII, so equal strings have equal bytes.
                guard let scope = header.source.flatMap({ scopes[$0] ?? ChatScope(source: $0) }) else {
                    withoutScope.append(item)
                    continue
                }
                if let source = header.source { scopes[source] = scope }
                items[scope, default: []].append(item)
            }
        }
        // If the source id of a message is not that of a conversation, its scope is in the metadata, which
        // the header does not contain.
        for start in stride(from: 0, to: withoutScope.count, by: Self.pageSize) {
            let page = withoutScope[start..<min(withoutScope.count, start + Self.pageSize)]
            let positions = Dictionary(page.map { ($0.id, $0.position) }) { first, _ in first }
            let entries = try await snapshot.entries(page.map(\.id))
            for message in entries.compactMap(RememberedMessage.init) {
                items[message.scope, default: []].append(
                    Item(
                        header: EntryHeader(id: message.id, source: nil, createdAt: message.timestamp),
                        position: positions[message.id] ?? count))
            }
        }
    }

    private struct Group {
        var agents: Set<ChatScope> = []
        var items: [Item] = []
    }

    /// Returns a summary of each group of scopes, ordered by the latest message, most recent first.
    func summaries(_ groupOf: (ChatScope) -> ChatScope) async throws -> [ConversationSummary] {
        var groups: [ChatScope: Group] = [:]
        for (scope, items) in items {
            groups[groupOf(scope), default: Group()].agents.insert(scope)
            groups[groupOf(scope), default: Group()].items += items
        }
        // Messages with the same time are in the order of their rows, also those of different agents.
        let sorted = groups.mapValues { group in
            group.items.sorted { ($0.createdAt, $0.position) < ($1.createdAt, $1.position) }
        }
        let openings = try await openings(of: Array(sorted.values))
        return groups.compactMap { scope, group -> ConversationSummary? in
            guard let items = sorted[scope], let first = items.first, let last = items.last else {
                return nil
            }
            return ConversationSummary(
                user: scope.userId, session: scope.sessionId,
                agents: group.agents.map(\.agentId).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) },
                messages: items.count, first: first.createdAt, last: last.createdAt,
                firstMessage: openings[first.id]?.text ?? "", title: openings[first.id]?.title)
        }.sorted {
            ($1.last, $0.user, $0.session, $0.agents.joined()) < (
                $0.last, $1.user, $1.session, $1.agents.joined()
            )
        }
    }

    /// The number of messages in which the first one of the user is searched for, and the number of
    /// conversations whose messages are read at once.
    private static let (openingLength, openingsPerRead) = (4, 200)

    private struct Opening {
        /// The user's first message, or the first message if the user wrote none of the first ones.
        var text: String
        var title: String?
    }

    /// Returns the opening of each group. The keys are the ids of the groups' first messages.
    private func openings(of groups: [[Item]]) async throws -> [Entry.ID: Opening] {
        var result: [Entry.ID: Opening] = [:]
        for start in stride(from: 0, to: groups.count, by: Self.openingsPerRead) {
            let batch = groups[start..<min(groups.count, start + Self.openingsPerRead)]
                .map { $0.prefix(Self.openingLength).map(\.id) }
            let messages = Dictionary(
                try await snapshot.entries(batch.flatMap(\.self)).compactMap(RememberedMessage.init)
                    .map { ($0.id, $0) }
            ) { first, _ in first }
            for ids in batch {
                let read = ids.compactMap { messages[$0] }
                guard let id = ids.first, let first = read.first else { continue }
                let opening = read.first { $0.role == .user } ?? first
                result[id] = Opening(text: opening.content, title: first.title)
            }
        }
        return result
    }
}

/// A summary of a conversation, or of a session with several agents.
public struct ConversationSummary: Sendable, Hashable, Encodable {
    /// The id of the user.
    public var user: String
    /// The id of the session.
    public var session: String
    /// The ids of the agents that took part, sorted by their bytes.
    public var agents: [String]
    /// The number of messages.
    public var messages: Int
    /// The time of the first message.
    public var first: Date
    /// The time of the last message.
    public var last: Date
    /// The user's first message, or the first message of the conversation if the user wrote none.
    public var firstMessage: String
    /// The title of the conversation, if its first message has one.
    public var title: String?

    private enum CodingKeys: String, CodingKey {
        case user, session, agents, messages, first, last, firstMessage, title
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(user, forKey: .user)
        try container.encode(session, forKey: .session)
        try container.encode(agents, forKey: .agents)
        try container.encode(messages, forKey: .messages)
        try container.encode(DateText.string(from: first), forKey: .first)
        try container.encode(DateText.string(from: last), forKey: .last)
        try container.encode(firstMessage, forKey: .firstMessage)
        try container.encodeIfPresent(title, forKey: .title)
    }
}
