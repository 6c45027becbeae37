import Foundation
public import RoostConversations

/// A guarantee that every chat history storage must give. Each law is a separate test case:
///
///     @Test(arguments: ChatStorageLaw.basic)
///     func `my storage obeys`(law: ChatStorageLaw) async throws { try await law.check(MyStorage()) }
public enum ChatStorageLaw: String, Sendable, CaseIterable {
    /// Saved messages can be fetched in order and unchanged.
    case savedMessagesCanBeFetched
    /// Of consecutive messages with the same role, only the first is stored.
    case repeatedRolesAreSkipped
    /// A limited fetch returns the latest complete pairs of a question and an answer.
    case windowHasCompletePairs
    /// A history that was never saved is empty.
    case missingHistoryIsEmpty
    /// The messages of all agents in a session are merged in the order of their times.
    case allChatsAreOrdered
    /// Histories of different scopes are kept separate, even if ids contain dots or slashes, are empty, or are
    /// prefixes of one another.
    case scopesAreSeparate
    /// Texts of any form, and roles unknown to Roost, are stored unchanged.
    case unusualTextsArePreserved
    /// If concurrent tasks save pairs of messages, the two messages of each pair stay adjacent.
    case concurrentPairsStayAdjacent

    /// The laws that a storage can obey even if it joins the ids of a scope into one key.
    public static let basic: [ChatStorageLaw] = [
        .savedMessagesCanBeFetched, .repeatedRolesAreSkipped, .windowHasCompletePairs, .missingHistoryIsEmpty,
        .allChatsAreOrdered,
    ]

    /// Checks the law with a storage.
    ///
    /// - Parameters:
    ///   - storage: A storage that contains no histories. Each law needs a new one.
    ///   - pairs: The number of pairs that each of eight tasks saves for ``concurrentPairsStayAdjacent``.
    ///     Pass a smaller number for a storage that is designed for small histories.
    /// - Throws: ``LawViolation``, or an error thrown by the storage.
    public func check(_ storage: any ChatStorage, pairs: Int = 250) async throws {
        let trial = ChatTrial(storage: storage)
        switch self {
        case .savedMessagesCanBeFetched: try await trial.savedMessagesCanBeFetched()
        case .repeatedRolesAreSkipped: try await trial.repeatedRolesAreSkipped()
        case .windowHasCompletePairs: try await trial.windowHasCompletePairs()
        case .missingHistoryIsEmpty: try await trial.missingHistoryIsEmpty()
        case .allChatsAreOrdered:
            try await trial.allChatsAreOrdered()
            try await trial.simultaneousMessagesKeepTheirOrder()
        case .scopesAreSeparate: try await trial.scopesAreSeparate()
        case .unusualTextsArePreserved: try await trial.unusualTextsArePreserved()
        case .concurrentPairsStayAdjacent: try await trial.concurrentPairsStayAdjacent(pairs: pairs)
        }
    }
}

private struct ChatTrial {
    let storage: any ChatStorage

    func fetch(
        _ maximum: Int? = nil, user: String = "u", session: String = "s", agent: String = "a"
    ) async throws -> [ConversationMessage] {
        try await storage.fetch(userId: user, sessionId: session, agentId: agent, maxMessages: maximum)
    }

    func save(_ messages: [ConversationMessage], session: String = "s", agent: String = "a") async throws {
        try await storage.saveMessages(
            messages, userId: "u", sessionId: session, agentId: agent, maxMessages: nil)
    }

    func message(_ role: ConversationRole, _ content: String, _ second: Int = 0) -> ConversationMessage {
        ConversationMessage(
            role: role, content: content,
            timestamp: Date(timeIntervalSince1970: 1_700_000_000.125 + Double(second)))
    }

    func savedMessagesCanBeFetched() async throws {
        let first = [message(.user, "one"), message(.assistant, "two", 1)]
        try await save(first)
        try await storage.save(
            message(.user, "three", 2), userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
        let found = try await fetch()
        let (contents, roles) = (found.map(\.content), found.map(\.role))
        try require(contents == ["one", "two", "three"], "the contents are \(contents)")
        try require(roles == [.user, .assistant, .user], "the roles are \(roles)")
        try require(found.map(\.timestamp).first == first[0].timestamp, "the timestamp changed")
        try require(Array(found.prefix(2)) == first, "the messages changed")
    }

    func repeatedRolesAreSkipped() async throws {
        try await save([message(.user, "one"), message(.user, "again"), message(.assistant, "two")])
        try await save([message(.assistant, "again")])
        try await save([message(.user, "three"), message(.assistant, "four")])
        let found = try await fetch().map(\.content)
        try require(found == ["one", "two", "three", "four"], "the contents are \(found)")
    }

    func windowHasCompletePairs() async throws {
        for number in 0..<5 {
            try await save([message(.user, "q\(number)", number), message(.assistant, "a\(number)", number)])
        }
        for (maximum, expected) in [
            (4, ["q3", "a3", "q4", "a4"]), (5, ["q3", "a3", "q4", "a4"]), (1, []), (0, []),
        ] {
            let found = try await fetch(maximum).map(\.content)
            try require(found == expected, "a window of \(maximum) messages contains \(found)")
        }
        let count = try await fetch(100).count
        try require(count == 10, "a window larger than the history of 10 messages has \(count)")
        try await save([message(.user, "q5", 9)])
        let found = try await fetch(4).map(\.content)
        try require(found == ["q4", "a4", "q5"], "the window that ends with 'q5' contains \(found)")
    }

    func missingHistoryIsEmpty() async throws {
        try require(try await fetch().isEmpty, "a history that was never saved has messages")
        try require(
            try await storage.fetchAllChats(userId: "u", sessionId: "s").isEmpty,
            "a session without histories has messages")
        try await save([])
        try require(try await fetch().isEmpty, "saving an empty list created messages")
    }

    func allChatsAreOrdered() async throws {
        try await save([message(.user, "first", 0), message(.assistant, "second", 1)], agent: "beta")
        try await save([message(.user, "third", 2), message(.assistant, "last", 9)], agent: "alpha")
        try await save([message(.user, "fourth", 4), message(.assistant, "fifth", 5)], agent: "beta")
        try await save([message(.user, "of another session", 3)], session: "other", agent: "beta")
        let found = try await storage.fetchAllChats(userId: "u", sessionId: "s").map(\.content)
        let expected = ["first", "[beta] second", "third", "fourth", "[beta] fifth", "[alpha] last"]
        try require(found == expected, "the messages of all agents are \(found)")
    }

    /// Messages of one agent keep their order even if they all have the same time.
    func simultaneousMessagesKeepTheirOrder() async throws {
        for agent in ["gamma", "delta"] {
            try await save(
                (0..<20).map { message($0 % 2 == 0 ? .user : .assistant, "\(agent) \($0)", 7) },
                session: "at once", agent: agent)
        }
        let found = try await storage.fetchAllChats(userId: "u", sessionId: "at once").map(\.content)
        try require(found.count == 40, "\(found.count) of 40 simultaneous messages were fetched")
        for agent in ["gamma", "delta"] {
            let numbers = found.filter { $0.contains("\(agent) ") }.compactMap {
                $0.split(separator: " ").last.flatMap { Int($0) }
            }
            try require(numbers == Array(0..<20), "simultaneous messages are out of order: \(numbers)")
        }
    }

    func scopesAreSeparate() async throws {
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
            let found = try await fetch(user: scope.userId, session: scope.sessionId, agent: scope.agentId)
            try require(
                found.map(\.content) == ["\(number)"], "the messages of \(scope) are \(found.map(\.content))")
        }
        let all = try await storage.fetchAllChats(userId: "a", sessionId: "b").map(\.content)
        try require(all.count == 2, "a session with 2 messages has \(all.count)")
    }

    func unusualTextsArePreserved() async throws {
        let texts = [
            "", " ", "\n", "a\u{0}b", "e\u{301}", "é", "[a] said", "\u{FEFF}x", "👩‍👩‍👧", "\u{2028}\"\\",
            String(repeating: "long ", count: 200_000),
        ]
        for (number, text) in texts.enumerated() {
            try await save([message(number % 2 == 0 ? .user : .assistant, text, number)])
        }
        let found = try await fetch()
        try require(found.count == texts.count, "\(found.count) of \(texts.count) messages were fetched")
        for (text, message) in zip(texts, found) {
            try require(
                text.utf8.elementsEqual(message.content.utf8), "the text '\(text.prefix(20))' changed")
        }
        try await save([ConversationMessage(role: .init(rawValue: "critic"), content: "x")])
        let role = try await fetch().last?.role.rawValue
        try require(role == "critic", "the unknown role 'critic' became '\(role ?? "nil")'")
    }

    func concurrentPairsStayAdjacent(pairs: Int) async throws {
        try await concurrently(8) { task in
            for pair in 0..<pairs {
                try await storage.saveMessages(
                    [
                        ConversationMessage(role: .user, content: "\(task)/\(pair)"),
                        ConversationMessage(role: .assistant, content: "\(task)/\(pair)"),
                    ], userId: "u", sessionId: "s", agentId: "a", maxMessages: nil)
            }
        }
        let found = try await fetch()
        try require(found.count == 16 * pairs, "\(found.count) of \(16 * pairs) messages were fetched")
        for start in stride(from: 0, to: found.count - 1, by: 2) {
            try require(
                found[start].content == found[start + 1].content && found[start].role == .user,
                "another message is between those of a pair, at \(start)")
        }
        try require(
            Set(found.map(\.content)).count == 8 * pairs, "a pair is missing, and another is stored twice")
    }
}
