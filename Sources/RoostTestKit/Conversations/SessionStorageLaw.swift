import Foundation
public import RoostConversations
import RoostModel

/// A guarantee that every chat session storage must give. Each law is a separate test case:
///
///     @Test(arguments: SessionStorageLaw.basic)
///     func `my storage obeys`(law: SessionStorageLaw) async throws { try await law.check(MyStorage()) }
public enum SessionStorageLaw: String, Sendable, CaseIterable {
    /// A saved session can be fetched, with its first message and dates.
    case savedSessionsCanBeFetched
    /// Sessions are listed in the order of their last access, the most recent first.
    case sessionsAreOrderedByAccess
    /// Saving a session again changes only the date of its last access.
    case savingAgainUpdatesAccessDate
    /// The messages of a session can be replaced. Replacing them counts as an access.
    case messagesCanBeReplaced
    /// Messages can be appended to a session. Appending counts as an access.
    case messagesCanBeAppended
    /// Deleted sessions and their messages are removed.
    case deletedSessionsAreRemoved
    /// The id of a session can be changed without changing anything else.
    case sessionIdCanBeChanged
    /// A call with the id of a missing session throws and creates nothing.
    case missingSessionIsAnError
    /// Changing an id to that of another session throws and changes nothing.
    case idClashChangesNothing
    /// Any nonempty text is a valid id.
    case anyIdIsAccepted
    /// An imported session keeps its dates.
    case importPreservesDates
    /// Hundreds of messages can be appended one by one.
    case manyMessagesCanBeAppended

    /// The laws that a storage can obey if it implements only the eight methods of the protocol.
    public static let basic: [SessionStorageLaw] = [
        .savedSessionsCanBeFetched, .sessionsAreOrderedByAccess, .savingAgainUpdatesAccessDate,
        .messagesCanBeReplaced, .messagesCanBeAppended, .deletedSessionsAreRemoved, .sessionIdCanBeChanged,
    ]

    /// Messages of all kinds, with unusual texts, roles and dates.
    public static let messages: [ChatMessage] = [
        ChatMessage(role: .user, content: "Hello, world!", messageType: .text),
        ChatMessage(role: .assistant, content: "", messageType: .thinking),
        ChatMessage(role: .tool, content: "a\u{0}b \u{FEFF}👩‍👩‍👧", messageType: .toolResult, toolName: "ls"),
        ChatMessage(
            role: .init(rawValue: "critic"), content: "e\u{301}", messageType: .init(rawValue: "score"),
            timestamp: Date(timeIntervalSince1970: -5.125),
            attachments: [MessageAttachment(name: "a.bin", contentType: "x/y", data: Data([0, 255]))]),
    ]

    /// Checks the law with a storage.
    ///
    /// - Parameter storage: A storage that contains no sessions. Each law needs a new one.
    /// - Throws: ``LawViolation``, or an error thrown by the storage.
    public func check(_ storage: sending any SessionStorageProtocol) async throws {
        let trial = SessionTrial(storage: storage)
        switch self {
        case .savedSessionsCanBeFetched: try await trial.savedSessionsCanBeFetched()
        case .sessionsAreOrderedByAccess: try await trial.sessionsAreOrderedByAccess()
        case .savingAgainUpdatesAccessDate: try await trial.savingAgainUpdatesAccessDate()
        case .messagesCanBeReplaced: try await trial.messagesCanBeReplaced()
        case .messagesCanBeAppended: try await trial.messagesCanBeAppended()
        case .deletedSessionsAreRemoved: try await trial.deletedSessionsAreRemoved()
        case .sessionIdCanBeChanged: try await trial.sessionIdCanBeChanged()
        case .missingSessionIsAnError: try await trial.missingSessionIsAnError()
        case .idClashChangesNothing: try await trial.idClashChangesNothing()
        case .anyIdIsAccepted: try await trial.anyIdIsAccepted()
        case .importPreservesDates: try await trial.importPreservesDates()
        case .manyMessagesCanBeAppended: try await trial.manyMessagesCanBeAppended()
        }
    }
}

private struct SessionTrial {
    let storage: any SessionStorageProtocol
    let messages = SessionStorageLaw.messages

    /// Waits long enough to ensure that the next access has a later date.
    func pause() async throws { try await Task.sleep(for: .milliseconds(5)) }

    func ids() async throws -> [String] { try await storage.getAllSessions().map(\.id) }

    func savedSessionsCanBeFetched() async throws {
        try require(try await ids().isEmpty, "a new storage has sessions")
        try require(try await storage.getSession(id: "none") == nil, "a missing session was fetched")
        let before = Date().addingTimeInterval(-1)
        try await storage.saveSession(id: "one", firstMessage: "Hello")
        let found = try await storage.getSession(id: "one")
        try require(
            found?.id == "one" && found?.firstUserMessage == "Hello", "the id or the first message changed")
        try require(found?.messages.isEmpty == true, "a new session has messages")
        try require((found?.createdAt ?? .distantPast) > before, "the creation date is not the current time")
        try require(
            (found?.lastAccessedAt ?? .distantPast) > before, "the access date is not the current time")
        try require(try await ids() == ["one"], "the list does not contain exactly the saved session")
    }

    func sessionsAreOrderedByAccess() async throws {
        for id in ["one", "two", "three"] {
            try await storage.saveSession(id: id, firstMessage: id)
            try await pause()
        }
        try await storage.updateLastAccessed(id: "one")
        let order = try await ids()
        try require(order == ["one", "three", "two"], "the order is \(order)")
    }

    func savingAgainUpdatesAccessDate() async throws {
        try await storage.saveSession(id: "one", firstMessage: "first")
        try await storage.updateSessionMessages(id: "one", messages: messages)
        let before = try await storage.getSession(id: "one")
        try await pause()
        try await storage.saveSession(id: "one", firstMessage: "second")
        let after = try await storage.getSession(id: "one")
        try require(
            after?.firstUserMessage == "first",
            "the first message became '\(after?.firstUserMessage ?? "")'")
        try require(after?.createdAt == before?.createdAt, "the creation date changed")
        try require(after?.messages == before?.messages, "the messages changed")
        try require(
            (after?.lastAccessedAt ?? .distantPast) > (before?.lastAccessedAt ?? .distantFuture),
            "the date of last access did not change")
    }

    func messagesCanBeReplaced() async throws {
        try await storage.saveSession(id: "one", firstMessage: "Hello")
        try await storage.saveSession(id: "two", firstMessage: "Hello")
        try await storage.updateSessionMessages(id: "one", messages: messages)
        let found = try await storage.getSession(id: "one")?.messages
        try require(found == messages, "the messages became \(found ?? [])")
        try require(
            zip(found ?? [], messages).allSatisfy { $0.content.utf8.elementsEqual($1.content.utf8) },
            "the bytes of a text changed")
        let fewer = Array(messages.dropFirst().reversed())
        try await storage.updateSessionMessages(id: "one", messages: fewer)
        try require(
            try await storage.getSession(id: "one")?.messages == fewer, "fewer messages did not replace more")
        try require(
            try await storage.getSession(id: "two")?.messages.isEmpty == true,
            "the messages of another session changed")
        try await pause()
        try await storage.updateLastAccessed(id: "two")
        try await pause()
        try await storage.updateSessionMessages(id: "one", messages: fewer)
        try require(try await ids() == ["one", "two"], "replacing messages did not update the access date")
    }

    func messagesCanBeAppended() async throws {
        try await storage.saveSession(id: "one", firstMessage: "Hello")
        for message in messages { try await storage.appendSessionMessages(id: "one", messages: [message]) }
        try await storage.appendSessionMessages(id: "one", messages: [])
        try require(
            try await storage.getSession(id: "one")?.messages == messages, "the appended messages changed")
        try await storage.saveSession(id: "two", firstMessage: "Hello")
        try await pause()
        try await storage.appendSessionMessages(id: "one", messages: [messages[0]])
        try require(try await ids() == ["one", "two"], "appending messages did not update the access date")
    }

    func deletedSessionsAreRemoved() async throws {
        for id in ["one", "two", "three"] { try await storage.saveSession(id: id, firstMessage: id) }
        try await storage.updateSessionMessages(id: "one", messages: messages)
        for _ in 0..<2 { try await storage.deleteSession(id: "one") }
        try require(try await storage.getSession(id: "one") == nil, "a deleted session was fetched")
        try await storage.saveSession(id: "one", firstMessage: "another")
        try require(
            try await storage.getSession(id: "one")?.messages.isEmpty == true,
            "a new session has the messages of a deleted one")
        try await storage.deleteAllSessions()
        try require(try await ids().isEmpty, "sessions remain after all were deleted")
    }

    func sessionIdCanBeChanged() async throws {
        try await storage.saveSession(id: "old", firstMessage: "Hello")
        try await storage.updateSessionMessages(id: "old", messages: messages)
        let before = try await storage.getSession(id: "old")
        try await storage.updateSessionId(oldId: "old", newId: "new")
        let after = try await storage.getSession(id: "new")
        try require(try await storage.getSession(id: "old") == nil, "a session with the old id still exists")
        try require(after?.messages == messages, "the messages changed")
        try require(
            after?.createdAt == before?.createdAt && after?.firstUserMessage == "Hello",
            "the creation date or the first message changed")
    }

    func missingSessionIsAnError() async throws {
        try await requireError("updateLastAccessed") { try await storage.updateLastAccessed(id: "none") }
        try await requireError("updateSessionMessages") {
            try await storage.updateSessionMessages(id: "none", messages: messages)
        }
        try await requireError("appendSessionMessages") {
            try await storage.appendSessionMessages(id: "none", messages: [])
        }
        try await requireError("updateSessionId") {
            try await storage.updateSessionId(oldId: "none", newId: "new")
        }
        try await requireError("saving an empty id") {
            try await storage.saveSession(id: "", firstMessage: "x")
        }
        try require(try await ids().isEmpty, "a call that threw created a session")
    }

    func idClashChangesNothing() async throws {
        for id in ["one", "two"] {
            try await storage.saveSession(id: id, firstMessage: id)
            try await storage.updateSessionMessages(id: id, messages: [ChatMessage(role: .user, content: id)])
        }
        let before = try await storage.getAllSessions()
        try await requireError("changing an id to the id of another session") {
            try await storage.updateSessionId(oldId: "one", newId: "two")
        }
        try require(
            try await storage.getAllSessions() == before, "a rejected change of an id changed the sessions")
        try await storage.updateSessionId(oldId: "one", newId: "one")
        try require(
            try await storage.getAllSessions() == before, "changing an id to itself changed the sessions")
    }

    func anyIdIsAccepted() async throws {
        let ids = [
            ".", "..", "../../etc/passwd", "/", "a", "A", "a/b", "é", "e\u{301}", "a\u{0}b", " ", "%",
            "'; --", String(repeating: "x", count: 3000), "lock", "a.jsonl",
        ]
        for id in ids { try await storage.saveSession(id: id, firstMessage: id) }
        let count = try await storage.getAllSessions().count
        try require(count == ids.count, "\(ids.count) different ids created \(count) sessions")
        for id in ids {
            let found = try await storage.getSession(id: id)
            try require(
                found?.firstUserMessage.utf8.elementsEqual(id.utf8) == true,
                "'\(id.prefix(20))' names another session")
        }
    }

    func importPreservesDates() async throws {
        let old = StoredSession(
            id: "old", createdAt: Date(timeIntervalSince1970: 1_600_000_000.5), firstUserMessage: "Hello",
            lastAccessedAt: Date(timeIntervalSince1970: 1_600_000_100.25), messages: messages)
        try await storage.saveSession(id: "old", firstMessage: "another")
        try await storage.saveSession(id: "new", firstMessage: "new")
        try require(try await storage.importSession(old), "the storage does not preserve dates")
        try require(try await storage.getSession(id: "old") == old, "the imported session changed")
        let order = try await ids()
        try require(order == ["new", "old"], "the order is \(order)")
    }

    func manyMessagesCanBeAppended() async throws {
        try await storage.saveSession(id: "one", firstMessage: "Hello")
        for number in 0..<600 {
            try await storage.appendSessionMessages(
                id: "one", messages: [ChatMessage(role: .user, content: "\(number)")])
        }
        let found = try await storage.getSession(id: "one")?.messages.map(\.content)
        try require(found == (0..<600).map(String.init), "\(found?.count ?? 0) of 600 messages were fetched")
    }
}
