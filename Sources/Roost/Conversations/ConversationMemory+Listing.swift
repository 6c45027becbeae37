public import Foundation
public import RoostConversations
import RoostModel

/// A conversation, or a session of several, without its messages.
public struct ConversationSummary: Sendable, Hashable, Encodable {
    public var user: String
    public var session: String
    /// Those who took part, by the bytes of their ids.
    public var agents: [String]
    public var messages: Int
    public var first: Date
    public var last: Date
    /// What the user said first, or else what was said first.
    public var firstMessage: String

    private enum CodingKeys: String, CodingKey {
        case user, session, agents, messages, first, last, firstMessage
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
    }
}

extension ConversationMemory {
    /// The conversations that have messages that are meant, the last one first.
    ///
    /// - Complexity: reads the headers of the messages, and two messages of each conversation.
    /// - Throws: ``StorageError``.
    public func conversations(_ filter: Filter = .all) async throws -> [ConversationSummary] {
        try await summaries(filter) { $0 }
    }

    /// The sessions that have messages that are meant, with all their agents, the last one first.
    ///
    /// - Complexity: as ``conversations(_:)``.
    /// - Throws: ``StorageError``.
    public func sessions(_ filter: Filter = .all) async throws -> [ConversationSummary] {
        try await summaries(filter) { ChatScope(userId: $0.userId, sessionId: $0.sessionId, agentId: "") }
    }

    /// Whose the messages are that are meant, in no order.
    ///
    /// - Throws: ``StorageError``.
    public func scopes(_ filter: Filter = .all) async throws -> Set<ChatScope> {
        Set(try await headers(filter, try await store.storage.snapshot()).keys)
    }

    /// What is known of the messages of each scope without reading them.
    private func headers(
        _ filter: Filter, _ snapshot: any StorageSnapshot
    ) async throws -> [ChatScope: [EntryHeader]] {
        var found: [ChatScope: [EntryHeader]] = [:]
        var scopes: [String: ChatScope] = [:]
        var elsewhere: [EntryHeader] = []
        var row: UInt32?
        repeat {
            try Task.checkCancellation()
            let page = try await snapshot.headers(after: row, limit: 10_000, matching: filter.entries)
            for header in page.headers {
                // Sources of conversations are ASCII: equal ones have the same bytes.
                guard let scope = header.source.flatMap({ scopes[$0] ?? ChatScope(source: $0) }) else {
                    elsewhere.append(header)
                    continue
                }
                if let source = header.source { scopes[source] = scope }
                found[scope, default: []].append(header)
            }
            row = page.next
        } while row != nil
        // Messages that somebody keeps under another source tell themselves whose they are.
        for start in stride(from: 0, to: elsewhere.count, by: 1000) {
            let headers = elsewhere[start..<min(elsewhere.count, start + 1000)]
            let entries = try await snapshot.entries(headers.map(\.id))
            for message in entries.compactMap(RememberedMessage.init) {
                found[message.scope, default: []].append(
                    EntryHeader(id: message.id, source: nil, createdAt: message.timestamp))
            }
        }
        return found
    }

    private func summaries(
        _ filter: Filter, _ group: (ChatScope) -> ChatScope
    ) async throws -> [ConversationSummary] {
        let snapshot = try await store.storage.snapshot()
        var groups: [ChatScope: (agents: Set<ChatScope>, headers: [EntryHeader])] = [:]
        for (scope, headers) in try await headers(filter, snapshot) {
            groups[group(scope), default: ([], [])].agents.insert(scope)
            groups[group(scope), default: ([], [])].headers += headers
        }
        // By time; of equal ones by their rows, in the order of which they were read.
        let inOrder = groups.mapValues { group in
            group.headers.enumerated().sorted {
                ($0.element.createdAt, $0.offset) < ($1.element.createdAt, $1.offset)
            }.map(\.element)
        }
        let openings = try await openings(of: Array(inOrder.values), snapshot)
        return groups.compactMap { scope, group -> ConversationSummary? in
            guard let headers = inOrder[scope], let first = headers.first, let last = headers.last else {
                return nil
            }
            return ConversationSummary(
                user: scope.userId, session: scope.sessionId,
                agents: group.agents.map(\.agentId).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) },
                messages: headers.count, first: first.createdAt, last: last.createdAt,
                firstMessage: openings[first.id] ?? "")
        }.sorted {
            ($1.last, $0.user, $0.session, $0.agents.joined()) < (
                $0.last, $1.user, $1.session, $1.agents.joined()
            )
        }
    }

    /// What the user said first in each group, under the id of its first message.
    private func openings(
        of groups: [[EntryHeader]], _ snapshot: any StorageSnapshot
    ) async throws -> [Entry.ID: String] {
        var openings: [Entry.ID: String] = [:]
        var left = groups
        // Nearly always it is one of the first two; where it is not, more are read, and more.
        for (skipped, count) in [(0, 2), (2, 30), (32, Int.max - 32)] where !left.isEmpty {
            var unanswered: [[EntryHeader]] = []
            let size = skipped == 0 ? 200 : 10
            for start in stride(from: 0, to: left.count, by: size) {
                let batch = left[start..<min(left.count, start + size)]
                let ids = batch.flatMap { $0.dropFirst(skipped).prefix(count).map(\.id) }
                let messages = Dictionary(
                    try await snapshot.entries(ids).compactMap(RememberedMessage.init).map { ($0.id, $0) }
                ) { first, _ in first }
                for headers in batch {
                    let read = headers.dropFirst(skipped).prefix(count).compactMap { messages[$0.id] }
                    guard let id = headers.first?.id else { continue }
                    if skipped == 0 { openings[id] = read.first?.content }
                    if let said = read.first(where: { $0.role == .user }) {
                        openings[id] = said.content
                    } else if headers.count > skipped + count {
                        unanswered.append(headers)
                    }
                }
            }
            left = unanswered
        }
        return openings
    }
}
