import Foundation
public import RoostConversations
import RoostModel

/// What every storage of sessions must do. One law is one test case:
///
///     @Test(arguments: SessionStorageLaw.basic)
///     func `my storage obeys`(law: SessionStorageLaw) async throws { try await law.check(MyStorage()) }
public enum SessionStorageLaw: String, Sendable, CaseIterable {
    case whatIsSavedIsThere
    case theLastAccessedComesFirst
    case savingAgainTouches
    case messagesAreReplaced
    case messagesAreAdded
    case whatIsDeletedIsGone
    case aSessionGetsAnotherId
    /// Beyond ``basic``: what goes wrong is an error, and changes nothing.
    case whatIsNotThereIsAnError
    case aClashChangesNothing
    case anyIdIsAnId
    case datesAreKeptOnImport
    case manyMessagesAreThere

    /// Those that a storage obeys that does what the protocol's eight calls say, and no more.
    public static let basic: [SessionStorageLaw] = [
        .whatIsSavedIsThere, .theLastAccessedComesFirst, .savingAgainTouches, .messagesAreReplaced,
        .messagesAreAdded, .whatIsDeletedIsGone, .aSessionGetsAnotherId,
    ]

    /// Messages of all kinds.
    public static let messages: [ChatMessage] = [
        ChatMessage(role: .user, content: "Hello, world!", messageType: .text),
        ChatMessage(role: .assistant, content: "", messageType: .thinking),
        ChatMessage(role: .tool, content: "a\u{0}b \u{FEFF}👩‍👩‍👧", messageType: .toolResult, toolName: "ls"),
        ChatMessage(
            role: .init(rawValue: "critic"), content: "e\u{301}", messageType: .init(rawValue: "score"),
            timestamp: Date(timeIntervalSince1970: -5.125),
            attachments: [MessageAttachment(name: "a.bin", contentType: "x/y", data: Data([0, 255]))]),
    ]

    /// - Parameter storage: without sessions, fresh for each law.
    /// - Throws: ``ConversationLawViolation``, or what the storage threw.
    public func check(_ storage: sending any SessionStorageProtocol) async throws {
        func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
            if !condition { throw ConversationLawViolation(law: rawValue, message: message()) }
        }
        func pause() async throws { try await Task.sleep(for: .milliseconds(5)) }
        switch self {
        case .whatIsSavedIsThere:
            try require(try await storage.getAllSessions().isEmpty, "sessions of before")
            try require(try await storage.getSession(id: "none") == nil, "a session that is not there")
            let before = Date().addingTimeInterval(-1)
            try await storage.saveSession(id: "one", firstMessage: "Hello")
            let found = try await storage.getSession(id: "one")
            try require(found?.id == "one" && found?.firstUserMessage == "Hello", "what was saved")
            try require(found?.messages.isEmpty == true, "messages of nobody")
            try require((found?.createdAt ?? .distantPast) > before, "when it was made")
            try require((found?.lastAccessedAt ?? .distantPast) > before, "when it was accessed")
            try require(try await storage.getAllSessions().map(\.id) == ["one"], "all sessions")
        case .theLastAccessedComesFirst:
            for id in ["one", "two", "three"] {
                try await storage.saveSession(id: id, firstMessage: id)
                try await pause()
            }
            try await storage.updateLastAccessed(id: "one")
            let order = try await storage.getAllSessions().map(\.id)
            try require(order == ["one", "three", "two"], "\(order)")
        case .savingAgainTouches:
            try await storage.saveSession(id: "one", firstMessage: "first")
            try await storage.updateSessionMessages(id: "one", messages: Self.messages)
            let before = try await storage.getSession(id: "one")
            try await pause()
            try await storage.saveSession(id: "one", firstMessage: "second")
            let after = try await storage.getSession(id: "one")
            try require(
                after?.firstUserMessage == "first", "the first message is \(after?.firstUserMessage ?? "")")
            try require(after?.createdAt == before?.createdAt, "it was made anew")
            try require(after?.messages == before?.messages, "its messages")
            try require(
                (after?.lastAccessedAt ?? .distantPast) > (before?.lastAccessedAt ?? .distantFuture),
                "it was not touched")
        case .messagesAreReplaced:
            try await storage.saveSession(id: "one", firstMessage: "Hello")
            try await storage.saveSession(id: "two", firstMessage: "Hello")
            try await storage.updateSessionMessages(id: "one", messages: Self.messages)
            let found = try await storage.getSession(id: "one")?.messages
            try require(found == Self.messages, "messages came back changed: \(found ?? [])")
            try require(
                zip(found ?? [], Self.messages).allSatisfy { $0.content.utf8.elementsEqual($1.content.utf8) },
                "a text came back in another form")
            let fewer = Array(Self.messages.dropFirst().reversed())
            try await storage.updateSessionMessages(id: "one", messages: fewer)
            try require(try await storage.getSession(id: "one")?.messages == fewer, "fewer messages")
            try require(
                try await storage.getSession(id: "two")?.messages.isEmpty == true, "another session's")
            try await pause()
            try await storage.updateLastAccessed(id: "two")
            try await pause()
            try await storage.updateSessionMessages(id: "one", messages: fewer)
            try require(
                try await storage.getAllSessions().map(\.id) == ["one", "two"], "new messages touch a session"
            )
        case .messagesAreAdded:
            try await storage.saveSession(id: "one", firstMessage: "Hello")
            for message in Self.messages {
                try await storage.appendSessionMessages(id: "one", messages: [message])
            }
            try await storage.appendSessionMessages(id: "one", messages: [])
            try require(
                try await storage.getSession(id: "one")?.messages == Self.messages, "added one by one")
            try await storage.saveSession(id: "two", firstMessage: "Hello")
            try await pause()
            try await storage.appendSessionMessages(id: "one", messages: [Self.messages[0]])
            try require(
                try await storage.getAllSessions().map(\.id) == ["one", "two"],
                "more messages touch a session")
        case .whatIsDeletedIsGone:
            for id in ["one", "two", "three"] { try await storage.saveSession(id: id, firstMessage: id) }
            try await storage.updateSessionMessages(id: "one", messages: Self.messages)
            for _ in 0..<2 { try await storage.deleteSession(id: "one") }
            try require(try await storage.getSession(id: "one") == nil, "a deleted session")
            try await storage.saveSession(id: "one", firstMessage: "anew")
            try require(
                try await storage.getSession(id: "one")?.messages.isEmpty == true, "messages of before")
            try await storage.deleteAllSessions()
            try require(try await storage.getAllSessions().isEmpty, "all were deleted")
        case .aSessionGetsAnotherId:
            try await storage.saveSession(id: "old", firstMessage: "Hello")
            try await storage.updateSessionMessages(id: "old", messages: Self.messages)
            let before = try await storage.getSession(id: "old")
            try await storage.updateSessionId(oldId: "old", newId: "new")
            let after = try await storage.getSession(id: "new")
            try require(try await storage.getSession(id: "old") == nil, "the old id")
            try require(after?.messages == Self.messages, "its messages")
            try require(
                after?.createdAt == before?.createdAt && after?.firstUserMessage == "Hello", "the rest of it")
        case .whatIsNotThereIsAnError:
            try await requireError("updateLastAccessed") { try await storage.updateLastAccessed(id: "none") }
            try await requireError("updateSessionMessages") {
                try await storage.updateSessionMessages(id: "none", messages: Self.messages)
            }
            try await requireError("appendSessionMessages") {
                try await storage.appendSessionMessages(id: "none", messages: [])
            }
            try await requireError("updateSessionId") {
                try await storage.updateSessionId(oldId: "none", newId: "new")
            }
            try await requireError("an empty id") { try await storage.saveSession(id: "", firstMessage: "x") }
            try require(try await storage.getAllSessions().isEmpty, "a session was made of an error")
        case .aClashChangesNothing:
            for id in ["one", "two"] {
                try await storage.saveSession(id: id, firstMessage: id)
                try await storage.updateSessionMessages(
                    id: id, messages: [ChatMessage(role: .user, content: id)])
            }
            let before = try await storage.getAllSessions()
            try await requireError("a clash") {
                try await storage.updateSessionId(oldId: "one", newId: "two")
            }
            try require(try await storage.getAllSessions() == before, "a clash changed something")
            try await storage.updateSessionId(oldId: "one", newId: "one")
            try require(try await storage.getAllSessions() == before, "the same id is no change")
        case .anyIdIsAnId:
            let ids = [
                ".", "..", "../../etc/passwd", "/", "a", "A", "a/b", "é", "e\u{301}", "a\u{0}b", " ", "%",
                "'; --",
                String(repeating: "x", count: 3000), "lock", "a.jsonl",
            ]
            for id in ids { try await storage.saveSession(id: id, firstMessage: id) }
            try require(try await storage.getAllSessions().count == ids.count, "ids were mistaken for others")
            for id in ids {
                let found = try await storage.getSession(id: id)
                try require(
                    found?.firstUserMessage.utf8.elementsEqual(id.utf8) == true,
                    "'\(id.prefix(20))' is another's")
            }
        case .datesAreKeptOnImport:
            let old = StoredSession(
                id: "old", createdAt: Date(timeIntervalSince1970: 1_600_000_000.5), firstUserMessage: "Hello",
                lastAccessedAt: Date(timeIntervalSince1970: 1_600_000_100.25), messages: Self.messages)
            try await storage.saveSession(id: "old", firstMessage: "another")
            try await storage.saveSession(id: "new", firstMessage: "new")
            try require(try await storage.importSession(old), "dates are not kept")
            try require(try await storage.getSession(id: "old") == old, "it came back changed")
            try require(try await storage.getAllSessions().map(\.id) == ["new", "old"], "the order")
        case .manyMessagesAreThere:
            try await storage.saveSession(id: "one", firstMessage: "Hello")
            for number in 0..<600 {
                try await storage.appendSessionMessages(
                    id: "one", messages: [ChatMessage(role: .user, content: "\(number)")])
            }
            let found = try await storage.getSession(id: "one")?.messages.map(\.content)
            try require(found == (0..<600).map(String.init), "\(found?.count ?? 0) of 600")
        }
    }

    private func requireError(_ what: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            return
        }
        throw ConversationLawViolation(law: rawValue, message: "\(what) is no error")
    }
}
