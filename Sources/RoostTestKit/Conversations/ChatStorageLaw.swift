import Foundation
public import RoostConversations

/// Which law of conversations was broken, and how.
public struct ConversationLawViolation: Error, Sendable, CustomStringConvertible {
    public let law: String
    public let message: String

    public var description: String { "\(law): \(message)" }
}

/// What every storage of histories must do. One law is one test case:
///
///     @Test(arguments: ChatStorageLaw.basic)
///     func `my storage obeys`(law: ChatStorageLaw) async throws { try await law.check(MyStorage()) }
public enum ChatStorageLaw: String, Sendable, CaseIterable {
    case whatIsSavedIsFetched
    case consecutiveRolesAreSkipped
    case theWindowIsWholePairs
    case whatIsNotThereIsEmpty
    case allChatsAreInTheirOrder
    /// Beyond ``basic``: ids with dots and slashes, empty ones, prefixes of each other.
    case scopesDoNotMix
    case oddTextsComeBack
    case pairsOfManyTasksStayTogether

    /// Those that a storage may be expected to obey whose scopes are joined texts.
    public static let basic: [ChatStorageLaw] = [
        .whatIsSavedIsFetched, .consecutiveRolesAreSkipped, .theWindowIsWholePairs, .whatIsNotThereIsEmpty,
        .allChatsAreInTheirOrder,
    ]

    private func message(
        _ role: ConversationRole, _ content: String, _ second: Int = 0
    ) -> ConversationMessage {
        ConversationMessage(
            role: role, content: content,
            timestamp: Date(timeIntervalSince1970: 1_700_000_000.125 + Double(second)))
    }

    /// - Parameters:
    ///   - storage: without histories, fresh for each law.
    ///   - pairs: so many are saved by each of eight tasks; fewer for a storage of small histories.
    /// - Throws: ``ConversationLawViolation``, or what the storage threw.
    public func check(_ storage: any ChatStorage, pairs: Int = 250) async throws {
        func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
            if !condition { throw ConversationLawViolation(law: rawValue, message: message()) }
        }
        func fetch(
            _ most: Int? = nil, user: String = "u", session: String = "s", agent: String = "a"
        ) async throws -> [ConversationMessage] {
            try await storage.fetch(userId: user, sessionId: session, agentId: agent, maxMessages: most)
        }
        func save(_ messages: [ConversationMessage], _ most: Int? = nil, agent: String = "a") async throws {
            try await storage.saveMessages(
                messages, userId: "u", sessionId: "s", agentId: agent, maxMessages: most)
        }
        switch self {
        case .whatIsSavedIsFetched:
            let first = [message(.user, "one"), message(.assistant, "two", 1)]
            try await save(first)
            try await storage.save(
                message(.user, "three", 2), userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
            let found = try await fetch()
            try require(found.map(\.content) == ["one", "two", "three"], "\(found.map(\.content))")
            try require(found.map(\.role) == [.user, .assistant, .user], "\(found.map(\.role))")
            try require(found.map(\.timestamp).first == first[0].timestamp, "another time")
            try require(Array(found.prefix(2)) == first, "messages came back changed")
        case .consecutiveRolesAreSkipped:
            try await save([message(.user, "one"), message(.user, "again"), message(.assistant, "two")])
            try await save([message(.assistant, "again")])
            try await save([message(.user, "three"), message(.assistant, "four")])
            let found = try await fetch().map(\.content)
            try require(found == ["one", "two", "three", "four"], "\(found)")
        case .theWindowIsWholePairs:
            for number in 0..<5 {
                try await save([
                    message(.user, "q\(number)", number), message(.assistant, "a\(number)", number),
                ])
            }
            for (most, expected) in [
                (4, ["q3", "a3", "q4", "a4"]), (5, ["q3", "a3", "q4", "a4"]), (1, []), (0, []),
            ] {
                let found = try await fetch(most).map(\.content)
                try require(found == expected, "of \(most): \(found)")
            }
            try require(try await fetch(100).count == 10, "a window larger than the history")
            try await save([message(.user, "q5", 9)])
            let found = try await fetch(4).map(\.content)
            try require(found == ["q4", "a4", "q5"], "a window begins with a question: \(found)")
        case .whatIsNotThereIsEmpty:
            try require(try await fetch().isEmpty, "a history that was never saved")
            try require(
                try await storage.fetchAllChats(userId: "u", sessionId: "s").isEmpty, "a session without one")
            try await save([])
            try require(try await fetch().isEmpty, "nothing was saved")
        case .allChatsAreInTheirOrder:
            try await save([message(.user, "first", 0), message(.assistant, "second", 1)], agent: "beta")
            try await save([message(.user, "third", 2), message(.assistant, "last", 9)], agent: "alpha")
            try await save([message(.user, "fourth", 4), message(.assistant, "fifth", 5)], agent: "beta")
            try await storage.saveMessages(
                [message(.user, "of another session", 3)], userId: "u", sessionId: "other", agentId: "beta",
                maxMessages: nil)
            let found = try await storage.fetchAllChats(userId: "u", sessionId: "s").map(\.content)
            let expected = ["first", "[beta] second", "third", "fourth", "[beta] fifth", "[alpha] last"]
            try require(found == expected, "\(found)")
            // Of one moment each agent's stay in their order.
            for agent in ["gamma", "delta"] {
                try await storage.saveMessages(
                    (0..<20).map { message($0 % 2 == 0 ? .user : .assistant, "\(agent) \($0)", 7) },
                    userId: "u", sessionId: "at once", agentId: agent, maxMessages: nil)
            }
            let atOnce = try await storage.fetchAllChats(userId: "u", sessionId: "at once").map(\.content)
            try require(atOnce.count == 40, "\(atOnce.count) of 40 messages of one moment")
            for agent in ["gamma", "delta"] {
                let numbers = atOnce.filter { $0.contains("\(agent) ") }.compactMap {
                    $0.split(separator: " ").last.flatMap { Int($0) }
                }
                try require(numbers == Array(0..<20), "messages of one moment out of order: \(numbers)")
            }
        case .scopesDoNotMix:
            let ids = [
                "", ".", "a", "a.b", "b", "a/b", "../a", "A", "é", "e\u{301}", "a\u{0}b", " a",
                String(repeating: "x", count: 300), "\"", "[\"a\"]",
            ]
            var scopes: [ChatScope] = []
            for user in ids {
                for session in ids { scopes.append(.init(userId: user, sessionId: session, agentId: "b.c")) }
            }
            scopes += [("a", "b.c", "d"), ("a.b", "c", "d"), ("a", "b", "c.d"), ("", "", ""), ("a", "", "b")]
                .map { ChatScope(userId: $0.0, sessionId: $0.1, agentId: $0.2) }
            for (number, scope) in scopes.enumerated() {
                try await storage.save(
                    message(.user, "\(number)"), userId: scope.userId, sessionId: scope.sessionId,
                    agentId: scope.agentId, maxMessages: nil)
            }
            for (number, scope) in scopes.enumerated() {
                let found = try await fetch(
                    user: scope.userId, session: scope.sessionId, agent: scope.agentId)
                try require(found.map(\.content) == ["\(number)"], "\(scope): \(found.map(\.content))")
            }
            let all = try await storage.fetchAllChats(userId: "a", sessionId: "b").map(\.content)
            try require(all.count == 2, "a session of two agents has \(all.count) messages")
        case .oddTextsComeBack:
            let texts = [
                "", " ", "\n", "a\u{0}b", "e\u{301}", "é", "[a] said", "\u{FEFF}x", "👩‍👩‍👧", "\u{2028}\"\\",
                String(repeating: "long ", count: 200_000),
            ]
            for (number, text) in texts.enumerated() {
                try await save([message(number % 2 == 0 ? .user : .assistant, text, number)])
            }
            let found = try await fetch()
            try require(found.count == texts.count, "\(found.count) of \(texts.count)")
            for (text, other) in zip(texts, found) {
                try require(
                    text.utf8.elementsEqual(other.content.utf8), "'\(text.prefix(20))' came back changed")
            }
            try await save([ConversationMessage(role: .init(rawValue: "critic"), content: "x")])
            try require(try await fetch().last?.role.rawValue == "critic", "a role of others is kept")
        case .pairsOfManyTasksStayTogether:
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for pair in 0..<pairs {
                            try await storage.saveMessages(
                                [
                                    ConversationMessage(role: .user, content: "\(task)/\(pair)"),
                                    ConversationMessage(role: .assistant, content: "\(task)/\(pair)"),
                                ], userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let found = try await fetch()
            try require(found.count == 16 * pairs, "\(found.count) of \(16 * pairs) messages")
            for start in stride(from: 0, to: found.count - 1, by: 2) {
                try require(
                    found[start].content == found[start + 1].content && found[start].role == .user,
                    "a pair was torn apart at \(start)")
            }
            try require(Set(found.map(\.content)).count == 8 * pairs, "pairs are missing")
        }
    }
}
