public import Foundation
import RoostFiles
import RoostModel

/// Histories as files, one for each scope, in a folder.
///
/// A save is one synchronised line at a file's end; dates are whole milliseconds since 1970. Several
/// processes
/// may save at once, and one that is killed leaves the save or nothing. A file that is not as it was written
/// is an error for its scope only; the others go on.
public struct FileChatStorage: ChatStorage {
    public let directory: URL
    public let retention: ChatRetention

    /// A line of a scope's file.
    private struct Record: Codable, Sendable {
        /// On the first line only: whose file it is.
        var scope: ChatScope?
        var append: [ConversationMessage]
        /// The window after this save; absent for everything.
        var keep: Int?
    }

    /// A file is written anew when it has so many lines, and most of what they say is forgotten.
    private static let mostLines = 256

    /// - Parameter directory: is made with the first save.
    public init(directory: URL, retention: ChatRetention = .window) {
        (self.directory, self.retention) = (directory.standardizedFileURL, retention)
    }

    private func file(_ digest: String) -> JournalFile<Record> {
        JournalFile(
            url: directory.appendingPathComponent("\(digest).jsonl"),
            lock: directory.appendingPathComponent("lock"))
    }

    private static func history(_ records: [Record]) -> [ConversationMessage] {
        var history: [ConversationMessage] = []
        for record in records {
            history += record.append
            history = ChatRules.trimmed(history, record.keep)
        }
        return history
    }

    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        let file = file(scope.digest)
        let records = try await BlockingWork.run { _ in try file.read().records }
        return ChatRules.trimmed(Self.history(records), maxMessages)
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        let keep = retention == .window ? maxMessages : nil
        try await file(scope.digest).change { records in
            let history = Self.history(records)
            let added = Array(ChatRules.adding(messages, to: history).dropFirst(history.count))
            let kept = ChatRules.trimmed(history + added, keep)
            guard !added.isEmpty || kept.count < history.count else { return nil }
            if records.count >= Self.mostLines, kept.count < records.reduce(0, { $0 + $1.append.count }) / 2 {
                // A line for each message: no line is longer than the longest of them makes it.
                return .replace(
                    [Record(scope: scope, append: [], keep: nil)]
                        + kept.map { Record(append: [$0], keep: nil) })
            }
            return .add(Record(scope: records.isEmpty ? scope : nil, append: added, keep: keep))
        }
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        let directory = directory
        let scopes = try await BlockingWork.run { _ in
            var scopes: [(agent: String, messages: [ConversationMessage])] = []
            for digest in try Self.digests(in: directory) {
                let file = file(digest)
                let records: [Record]
                do {
                    records = try file.read().records
                } catch let error as StorageError where error.code == .damaged {
                    // Whose it was is on its first line, which may be whole.
                    guard let scope = Self.scope(of: file.url),
                        scope.isOf(userId: userId, sessionId: sessionId)
                    else { continue }
                    throw error
                }
                guard let scope = records.first?.scope,
                    scope.isOf(userId: userId, sessionId: sessionId)
                else { continue }
                scopes.append((scope.agentId, Self.history(records)))
            }
            return scopes
        }
        return ChatRules.merged(scopes)
    }

    private static func digests(in directory: URL) throws -> [String] {
        try JournalFolder.names(in: directory).map { String($0.dropLast(6)) }
    }

    private static func scope(of url: URL) -> ChatScope? {
        guard let data = FileManager.default.contents(atPath: url.path),
            let line = data.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first
        else { return nil }
        return try? ConversationMessage.decoder().decode(Record.self, from: Data(line)).scope
    }

    /// A file that was moved out of the way, and why.
    public struct Damage: Sendable, Hashable {
        /// Whose history it was, where that can be told.
        public var scope: ChatScope?
        /// Where the file is now.
        public var file: URL
        /// The messages that could still be read of it, oldest first: they are the scope's history now.
        public var recovered: Int
    }

    /// Moves files that cannot be read out of the way, and goes on with what can be read of them.
    ///
    /// - Throws: ``StorageError``.
    public func setDamagedAside() async throws -> [Damage] {
        let directory = directory
        return try await BlockingWork.run { isCancelled in
            guard FileManager.default.fileExists(atPath: directory.path) else { return [] }
            let held = try FileLock.acquire(
                directory.appendingPathComponent("lock"), timeout: 30, isCancelled: isCancelled)
            defer { held.release() }
            var found: [Damage] = []
            for digest in try Self.digests(in: directory) {
                let file = file(digest)
                do {
                    _ = try file.read()
                } catch let error as StorageError where error.code == .damaged {
                    let data = FileManager.default.contents(atPath: file.url.path) ?? Data()
                    let decoder = ConversationMessage.decoder()
                    var records: [Record] = []
                    for line in data.split(separator: UInt8(ascii: "\n")) {
                        guard let record = try? decoder.decode(Record.self, from: Data(line)) else { break }
                        records.append(record)
                    }
                    let aside = try file.setAside()
                    let history = Self.history(records)
                    if let scope = records.first?.scope {
                        let whole = try ConversationMessage.encoder()
                            .encode(Record(scope: scope, append: history, keep: nil))
                        try AtomicFile.write(whole + Data("\n".utf8), to: file.url)
                    }
                    found.append(
                        Damage(scope: records.first?.scope, file: aside, recovered: history.count))
                }
            }
            return found
        }
    }
}
