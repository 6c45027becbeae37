public import Foundation
package import RoostFiles
import RoostModel

/// Histories as files, one for each scope, in a folder.
///
/// A save is one synchronised line at a file's end; dates are whole milliseconds since 1970. Several
/// processes may save at once, and one that is killed leaves the save or nothing. A file that is not as it
/// was written is an error for its scope only; the others go on.
public struct FileChatStorage: ChatStorage {
    public let directory: URL
    public let retention: ChatRetention
    private let files: FileSystem

    /// A line of a scope's file.
    private struct Record: Codable, Sendable {
        /// Whose file it is; files of before have it on their first line only.
        var scope: ChatScope?
        var append: [ConversationMessage]
        /// The window after this save; absent for everything.
        var keep: Int?
    }

    /// A file is written anew when it has so many lines or bytes, and most of what they say is forgotten.
    private static let (mostLines, mostBytes) = (256, 1 << 20)

    private let onDamage: DamageHandler<ChatScope>

    /// - Parameters:
    ///   - directory: is made with the first save.
    ///   - onDamage: is told of files that ``fetchAllChats(userId:sessionId:)`` leaves out since it cannot be
    ///     told whose they are; without it a warning is logged.
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

    private var folder: JournalFolder<Record> {
        JournalFolder(directory: directory, kind: "histories", files: files)
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
        let records = try await folder.read { try $0.file(scope.digest).read().records }
        return ChatRules.trimmed(Self.history(records), maxMessages)
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        let keep = retention == .window ? maxMessages : nil
        try await folder.write { folder in
            let file = folder.file(scope.digest)
            if keep == nil, let (last, length) = try file.last(), last.keep == nil, !last.append.isEmpty {
                // Where all is kept the last message tells enough, however long the history is.
                let added = Array(ChatRules.adding(messages, to: last.append).dropFirst(last.append.count))
                guard !added.isEmpty else { return }
                return try file.append(Record(scope: scope, append: added, keep: nil), length)
            }
            try file.change { try Self.change($0, scope, messages, keep) }
        }
    }

    private static func change(
        _ contents: JournalFile<Record>.Contents, _ scope: ChatScope, _ messages: [ConversationMessage],
        _ keep: Int?
    ) throws -> JournalFile<Record>.Change? {
        let records = contents.records
        let history = history(records)
        let added = Array(ChatRules.adding(messages, to: history).dropFirst(history.count))
        let kept = ChatRules.trimmed(history + added, keep)
        guard !added.isEmpty || kept.count < history.count else { return nil }
        let written = records.reduce(0) { $0 + $1.append.count }
        // About what the messages take as lines: what each has beside its text, twice over.
        let bytes = kept.reduce(0) { $0 + $1.content.utf8.count + 512 }
        if records.count >= mostLines && kept.count < written / 2
            || contents.length > mostBytes && kept.count < written && bytes < contents.length / 2
        {
            // A line for each message: no line is longer than the longest of them makes it.
            return .replace(
                [Record(scope: scope, append: [], keep: nil)]
                    + kept.map { Record(scope: scope, append: [$0], keep: nil) })
        }
        return .add(Record(scope: scope, append: added, keep: keep))
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        let onDamage = onDamage
        let scopes = try await folder.read { folder, isSteady in
            var scopes: [(agent: String, messages: [ConversationMessage])] = []
            for digest in try folder.digests() {
                let file = folder.file(digest)
                let contents = try file.salvage()
                guard let scope = Self.scope(contents.records) else {
                    // Whose it is cannot be told: perhaps it is of this session.
                    if let damage = file.damage(contents, Self.summary) {
                        guard isSteady else { throw JournalFolder<Record>.Unsteady() }
                        onDamage(damage)
                    }
                    continue
                }
                guard scope.isOf(userId: userId, sessionId: sessionId) else { continue }
                if !contents.badLines.isEmpty { _ = try file.read() }
                scopes.append((scope.agentId, Self.history(contents.records)))
            }
            return scopes
        }
        return ChatRules.merged(scopes)
    }
}

extension FileChatStorage: MaintainedStorage {
    public static let schemaVersion = 1

    @discardableResult
    public func migrateIfNeeded() async throws -> Int { try await folder.migrateIfNeeded() }

    public func damage() async throws -> [ConversationDamage<ChatScope>] {
        try await folder.damage(Self.summary)
    }

    public func setDamagedAside() async throws -> [ConversationDamage<ChatScope>] {
        try await folder.setDamagedAside(Self.summary)
    }

    private static func summary(
        _ records: [Record], _ digest: String
    ) -> (subject: ChatScope?, messages: Int) {
        (scope(records), history(records).count)
    }

    private static func scope(_ records: [Record]) -> ChatScope? { records.lazy.compactMap(\.scope).first }
}
