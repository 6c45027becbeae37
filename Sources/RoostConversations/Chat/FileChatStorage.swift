public import Foundation
package import RoostFiles
import RoostModel

/// A chat storage that keeps each history in a separate file in a folder.
///
/// A save reads the file, appends one line and synchronizes the file, so the save survives a power failure;
/// for long histories, ``SQLiteChatStorage`` is faster. Several processes can save at the same time. If a
/// process is killed during a save, the save is either complete or absent. A corrupt file affects only its
/// own history.
public struct FileChatStorage: ChatStorage {
    /// The folder of the storage.
    public let directory: URL
    /// The treatment of messages outside the window.
    public let retention: ChatRetention
    private let files: FileSystem
    private let writers = TaskQueue()

    /// A file is compacted if it reaches this number of lines or bytes and most of its contents are outside
    /// the window. Rewriting smaller files is not worthwhile.
    private static let (minimumCompactedLines, minimumCompactedBytes) = (256, 1 << 20)
    /// The estimated size of a message in the file without its text, in bytes. It is deliberately high, so
    /// that a compacted file is not compacted again immediately.
    private static let estimatedOverhead = 512

    private let onDamage: DamageHandler<ChatScope>

    /// Creates a storage.
    ///
    /// - Parameters:
    ///   - directory: The folder of the storage. The first save creates it.
    ///   - retention: The treatment of messages outside the window.
    ///   - onDamage: Called for files that ``fetchAllChats(userId:sessionId:)`` omits because their scope
    ///     cannot be determined. By default, a warning is logged.
    public init(
        directory: URL, retention: ChatRetention = .window, onDamage: DamageHandler<ChatScope>? = nil
    ) {
        self.init(directory: directory, retention: retention, files: .standard, onDamage: onDamage)
    }

    package init(
        directory: URL, retention: ChatRetention = .window, files: FileSystem,
        onDamage: DamageHandler<ChatScope>? = nil
    ) {
        self.directory = directory.standardizedFileURL
        (self.retention, self.files) = (retention, files)
        self.onDamage = onDamage ?? { DamageLog.warn($0) }
    }

    private var folder: JournalFolder {
        JournalFolder(directory: directory, files: files, writers: writers)
    }

    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        let records = try await folder.read { folder, _ in try folder.file(scope).read().records }
        return ChatRules.trimmed(records.history, maxMessages)
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        let keep = retention == .window ? maxMessages : nil
        try await folder.write { try Self.save(messages, scope, keep, in: $0.file(scope)) }
    }

    private static func save(
        _ messages: [ConversationMessage], _ scope: ChatScope, _ keep: Int?, in file: JournalFile
    ) throws {
        let contents = try file.read()
        let history = contents.records.history
        let added = Array(ChatRules.adding(messages, to: history).dropFirst(history.count))
        let kept = ChatRules.trimmed(history + added, keep)
        guard !added.isEmpty || kept.count < history.count else { return }
        let written = contents.records.reduce(0) { $0 + $1.append.count }
        let bytes = kept.reduce(0) { $0 + $1.content.utf8.count + estimatedOverhead }
        if contents.records.count >= minimumCompactedLines && kept.count < written / 2
            || contents.length > minimumCompactedBytes && kept.count < written && bytes < contents.length / 2
        {
            // Write one line for each message, so that no line exceeds the size limit.
            return try file.replace(
                [JournalRecord(scope: scope, append: [], keep: nil)]
                    + kept.map { JournalRecord(scope: scope, append: [$0], keep: nil) })
        }
        try file.append(JournalRecord(scope: scope, append: added, keep: keep), at: contents.length)
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        let onDamage = onDamage
        let histories = try await folder.read { folder, isFinal in
            var histories: [(agent: String, messages: [ConversationMessage])] = []
            for file in try folder.journals() {
                let contents = try file.salvage()
                guard let scope = contents.records.scope else {
                    // The scope cannot be determined, so the file may belong to this session.
                    if let damage = file.damage(contents) {
                        guard isFinal else { throw JournalFolder.Disturbed() }
                        onDamage(damage)
                    }
                    continue
                }
                guard scope.isOf(userId: userId, sessionId: sessionId) else { continue }
                try file.check(contents)
                histories.append((scope.agentId, contents.records.history))
            }
            return histories
        }
        return ChatRules.merged(histories)
    }
}

extension FileChatStorage: MaintainedStorage {
    public func damage() async throws -> [ConversationDamage<ChatScope>] {
        try await folder.read { folder, isFinal in
            let found = try folder.journals().compactMap { $0.damage(try $0.salvage()) }
            guard found.isEmpty || isFinal else { throw JournalFolder.Disturbed() }
            return found
        }
    }
}
