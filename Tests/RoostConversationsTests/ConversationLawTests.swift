import Foundation
import RoostConversations
import RoostModel
import RoostTestKit
import TestSupport
import Testing

/// Runs a test with a suite of user defaults, and deletes the suite afterwards.
func withDefaults<Value>(_ body: (_ suite: String) async throws -> Value) async throws -> Value {
    let suite = "roost-test-\(UUID().uuidString)"
    defer {
        UserDefaults.standard.removePersistentDomain(forName: suite)
        let home = FileManager.default.homeDirectoryForCurrentUser
        for folder in [".config", "Library/Preferences"] {
            try? FileManager.default.removeItem(at: home.appendingPathComponent("\(folder)/\(suite).plist"))
        }
    }
    return try await body(suite)
}

/// Every chat and session storage satisfies the laws.
@Suite(.temporaryFolders)
struct ConversationLawTests {
    enum Chat: CaseIterable {
        case memory, file, sqlite, defaults, device

        func make(_ folder: URL, _ suite: String) throws -> any ChatStorage {
            switch self {
            case .memory: InMemoryChatStorage()
            case .file: FileChatStorage(directory: folder)
            case .sqlite: try SQLiteChatStorage(databasePath: folder.appendingPathComponent("c.sqlite").path)
            case .defaults: UserDefaultsChatStorage(suiteName: suite)
            case .device: try DeviceChatStorage(name: "test", folder: folder)
            }
        }
    }

    @Test(arguments: Chat.allCases, ChatStorageLaw.allCases)
    func `chat storages satisfy the law`(kind: Chat, law: ChatStorageLaw) async throws {
        let folder = TemporaryFolder.unusedURL()
        try await withDefaults {
            // Each save to user defaults or to a file writes the complete history, and a large number of
            // pairs would take a long time.
            let isShort = kind == .defaults || kind == .file
            try await law.check(try kind.make(folder, $0), pairs: isShort ? 40 : 250)
        }
    }

    enum Sessions: CaseIterable {
        case memory, sqlite, defaults, debug, caching, mock, container

        func make(_ folder: URL, _ suite: String) throws -> sending any SessionStorageProtocol {
            let path = folder.appendingPathComponent("s.sqlite").path
            switch self {
            case .memory: return InMemorySessionStorage()
            case .sqlite: return try SQLiteSessionStorage(databasePath: path)
            case .defaults: return UserDefaultsSessionStorage(suiteName: suite)
            case .debug: return DebugSessionStorage(wrapping: InMemorySessionStorage()) { _ in }
            case .caching:
                return CachingSessionStorage(wrapping: try SQLiteSessionStorage(databasePath: path))
            case .mock: return MockSessionStorage()
            case .container:
                return DependencyContainer(
                    globalPreferences: GlobalPreferencesStorage(name: "test", folder: folder)
                ).sessionStorage
            }
        }
    }

    @Test(arguments: Sessions.allCases, SessionStorageLaw.allCases)
    func `session storages satisfy the law`(kind: Sessions, law: SessionStorageLaw) async throws {
        let folder = TemporaryFolder.unusedURL()
        try await withDefaults { try await law.check(try kind.make(folder, $0)) }
    }
}
