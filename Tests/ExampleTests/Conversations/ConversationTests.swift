import Foundation
import RoostConversations
import RoostModel
import RoostTestKit
import Testing

// Code as it would appear in programs that follow the guides on chat and session storage. The target can
// access only public API and has none of the package's Swift settings.

/// Stores chat histories in user defaults, each scope as one JSON blob.
public actor BlobChatStorage: ChatStorage {
    private let defaults: UserDefaults
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder

    public init(suiteName: String? = nil) {
        self.defaults = UserDefaults(suiteName: suiteName) ?? .standard
        self.encoder = JSONEncoder()
        self.encoder.dateEncodingStrategy = .millisecondsSince1970
        self.decoder = JSONDecoder()
        self.decoder.dateDecodingStrategy = .millisecondsSince1970
    }

    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        let all = try load(userId: userId, sessionId: sessionId, agentId: agentId)
        return trimToEvenPairs(all, maxMessages: maxMessages)
    }

    public func save(
        _ message: ConversationMessage, userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws {
        try await saveMessages(
            [message], userId: userId, sessionId: sessionId, agentId: agentId, maxMessages: maxMessages)
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        var stored = try load(userId: userId, sessionId: sessionId, agentId: agentId)
        for message in messages where !isConsecutiveSameRole(stored, message) { stored.append(message) }
        stored = trimToEvenPairs(stored, maxMessages: maxMessages)
        defaults.set(
            try encoder.encode(stored), forKey: key(userId: userId, sessionId: sessionId, agentId: agentId))
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        let prefix = key(userId: userId, sessionId: sessionId, agentId: "")
        let agentIds: [String] = defaults.dictionaryRepresentation().keys
            .filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
        var all: [ConversationMessage] = []
        for agentId in agentIds {
            let messages = try load(userId: userId, sessionId: sessionId, agentId: agentId)
            all += messages.map { $0.attributed(agentId: agentId) }
        }
        return all.sorted { $0.timestamp < $1.timestamp }
    }

    private func key(userId: String, sessionId: String, agentId: String) -> String {
        "Chats.\(userId).\(sessionId).\(agentId)"
    }

    private func load(userId: String, sessionId: String, agentId: String) throws -> [ConversationMessage] {
        let name = key(userId: userId, sessionId: sessionId, agentId: agentId)
        guard let data = defaults.data(forKey: name) else { return [] }
        return try decoder.decode([ConversationMessage].self, from: data)
    }
}

/// A class without synchronization that wraps another storage and logs its calls.
class LoggingSessionStorage: SessionStorageProtocol {
    private let underlyingStorage: SessionStorageProtocol
    private(set) var lines: [String] = []

    init(wrapping storage: SessionStorageProtocol) { self.underlyingStorage = storage }

    func saveSession(id: String, firstMessage: String) async throws {
        lines.append("[Storage] Saving session: \(id)")
        do {
            try await underlyingStorage.saveSession(id: id, firstMessage: firstMessage)
        } catch {
            throw StorageError.saveFailed(error)
        }
        lines.append("[Storage] Session saved successfully")
    }

    func getAllSessions() async throws -> [StoredSession] { try await underlyingStorage.getAllSessions() }
    func getSession(id: String) async throws -> StoredSession? {
        try await underlyingStorage.getSession(id: id)
    }
    func updateLastAccessed(id: String) async throws {
        try await underlyingStorage.updateLastAccessed(id: id)
    }
    func deleteSession(id: String) async throws { try await underlyingStorage.deleteSession(id: id) }
    func deleteAllSessions() async throws { try await underlyingStorage.deleteAllSessions() }
    func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try await underlyingStorage.updateSessionMessages(id: id, messages: messages)
    }
    func updateSessionId(oldId: String, newId: String) async throws {
        try await underlyingStorage.updateSessionId(oldId: oldId, newId: newId)
    }
}

actor OptimizedStorage: SessionStorageProtocol {
    private var cache: [String: StoredSession] = [:]

    func getAllSessions() async throws -> [StoredSession] {
        Array(cache.values).sorted { $0.lastAccessedAt > $1.lastAccessedAt }
    }

    func saveSession(id: String, firstMessage: String) async throws {
        let now = Date()
        let new = StoredSession(
            id: id, createdAt: now, firstUserMessage: firstMessage, lastAccessedAt: now, messages: [])
        cache[id, default: new].lastAccessedAt = now
    }

    func getSession(id: String) async throws -> StoredSession? { cache[id] }
    func updateLastAccessed(id: String) async throws { cache[id]?.lastAccessedAt = Date() }
    func deleteSession(id: String) async throws { cache[id] = nil }
    func deleteAllSessions() async throws { cache = [:] }
    func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        cache[id]?.messages = messages
        cache[id]?.lastAccessedAt = Date()
    }
    func updateSessionId(oldId: String, newId: String) async throws {
        cache[newId] = cache.removeValue(forKey: oldId)
        cache[newId]?.id = newId
    }
}

/// Removes the user defaults of a test, which would otherwise remain in the home folder of the person who
/// runs the test.
func removeDefaults(_ suiteName: String) {
    UserDefaults.standard.removePersistentDomain(forName: suiteName)
    let home = FileManager.default.homeDirectoryForCurrentUser
    try? FileManager.default.removeItem(at: home.appendingPathComponent(".config/\(suiteName).plist"))
}

@Suite struct ConversationExampleTests {
    @Test(arguments: ChatStorageLaw.basic)
    func `a custom chat storage obeys the basic laws`(law: ChatStorageLaw) async throws {
        let suiteName = "roost-example-\(UUID().uuidString)"
        defer { removeDefaults(suiteName) }
        try await law.check(BlobChatStorage(suiteName: suiteName))
    }

    @Test(arguments: SessionStorageLaw.basic)
    func `a custom session storage obeys the basic laws`(law: SessionStorageLaw) async throws {
        try await law.check(OptimizedStorage())
        try await law.check(LoggingSessionStorage(wrapping: OptimizedStorage()))
    }

    @Test func `a container provides the custom storage`() async throws {
        let customStorage = OptimizedStorage()
        let dependencies = DependencyContainer(
            globalPreferences: GlobalPreferencesStorage(),
            customSessionStorage: customStorage
        )
        try await dependencies.sessionStorage.saveSession(id: "test", firstMessage: "Hello")
        let message = ChatMessage(
            role: .user,
            content: "Hello, world!",
            messageType: .text
        )
        try await dependencies.sessionStorage.updateSessionMessages(id: "test", messages: [message])
        #expect(try await customStorage.getSession(id: "test")?.messages.map(\.content) == ["Hello, world!"])
    }

    @Test func `a mock can replace a storage in tests`() async throws {
        let mockStorage = MockSessionStorage()
        let container = DependencyContainer(
            globalPreferences: GlobalPreferencesStorage(),
            customSessionStorage: mockStorage
        )
        try await container.sessionStorage.saveSession(id: "test", firstMessage: "Hello")
        let sessions = try await container.sessionStorage.getAllSessions()
        #expect(sessions.count == 1)
        #expect(await mockStorage.calls.map(\.name) == ["saveSession", "getAllSessions"])
        await mockStorage.fail { $0.name == "saveSession" ? StorageError(.full, "no room") : nil }
        let logging = LoggingSessionStorage(wrapping: mockStorage)
        do {
            try await logging.saveSession(id: "x", firstMessage: "y")
            Issue.record("saveSession did not throw")
        } catch let error as StorageError {
            #expect((error.underlying as? StorageError)?.code == .full)
        }
        #expect(logging.lines == ["[Storage] Saving session: x"])
    }

    @Test func `a conversation works with a library storage or without one`() async throws {
        let suiteName = "roost-example-\(UUID().uuidString)"
        defer { removeDefaults(suiteName) }
        let store = UserDefaultsChatStorage(suiteName: suiteName)
        let conversation = Conversation(
            userId: "u", sessionId: "s", agentId: "a", store: store, maxMessages: 4)
        try await conversation.add(
            ConversationMessage(role: .user, content: "Hello"),
            ConversationMessage(role: .assistant, content: "Good morning"))
        #expect(try await conversation.history().map(\.content) == ["Hello", "Good morning"])
        #expect(try await conversation.session().map(\.content) == ["Hello", "[a] Good morning"])
        let withoutStore = Conversation(userId: "u", sessionId: "s", agentId: "a", store: nil)
        try await withoutStore.add(ConversationMessage(role: .user, content: "Hello"))
        #expect(try await withoutStore.history().isEmpty)
    }
}
