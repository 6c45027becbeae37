public import Foundation
package import RoostFiles
import RoostModel

/// A chat storage that keeps each history in a separate file in a folder, with a line for each message.
///
/// A save replaces the file of the history atomically, so it survives a power failure, and a process that is
/// killed during a save has either made it or not; for long histories, ``SQLiteChatStorage`` is faster. Several
/// processes can save at the same time. A corrupt file affects only its own history.
public struct FileChatStorage: ChatStorage {
    /// The folder of the storage.
    public let directory: URL
    private let files: FileSystem
    /// The writers of this storage, so that only one of them blocks a thread while it waits for the lock.
    private let writers = TaskQueue()
    private let onDamage: DamageHandler

    /// Creates a storage.
    ///
    /// - Parameters:
    ///   - directory: The folder of the storage. The first save creates it.
    ///   - onDamage: Called for files that ``fetchAllChats(userId:sessionId:)`` omits because their scope
    ///     cannot be determined. By default, a warning is logged.
    public init(directory: URL, onDamage: DamageHandler? = nil) {
        self.init(directory: directory, files: .standard, onDamage: onDamage)
    }

    package init(directory: URL, files: FileSystem, onDamage: DamageHandler? = nil) {
        (self.directory, self.files) = (directory.standardizedFileURL, files)
        self.onDamage = onDamage ?? ConversationFormat.warn
    }

    public func fetch(
        userId: String, sessionId: String, agentId: String, maxMessages: Int?
    ) async throws -> [ConversationMessage] {
        let url = url(of: ChatScope(userId: userId, sessionId: sessionId, agentId: agentId))
        return ChatRules.trimmed(
            try await run { _ in
                try checkDescription()
                return try HistoryFile(url).messages()
            }, maxMessages)
    }

    public func saveMessages(
        _ messages: [ConversationMessage], userId: String, sessionId: String, agentId: String,
        maxMessages: Int?
    ) async throws {
        let scope = ChatScope(userId: userId, sessionId: sessionId, agentId: agentId)
        try await writers.run {
            try await run { isCancelled in
                try files.createFolder(directory)
                let lock = try FileLock.acquire(
                    directory.appendingPathComponent("lock"), timeout: Self.lockTimeout,
                    isCancelled: isCancelled)
                defer { lock.release() }
                if isCancelled() { throw CancellationError() }
                if try !checkDescription() { try writeDescription() }
                let history = try HistoryFile(url(of: scope)).messages()
                let kept = ChatRules.trimmed(ChatRules.adding(messages, to: history), maxMessages)
                guard kept != history else { return }
                // Removes the temporary files of processes that were killed.
                try AtomicFile.removeLeftovers(in: directory, files: files)
                try AtomicFile.write(try HistoryFile.data(kept, of: scope), to: url(of: scope), files: files)
            }
        }
    }

    public func fetchAllChats(userId: String, sessionId: String) async throws -> [ConversationMessage] {
        let onDamage = onDamage
        return try await run { _ in
            try checkDescription()
            var histories: [(agent: String, messages: [ConversationMessage])] = []
            for url in try historyURLs() {
                let file = try HistoryFile(url)
                // If the scope cannot be determined, the file may belong to this session.
                guard let scope = file.scope else {
                    if let error = file.error { onDamage(error) }
                    continue
                }
                guard scope.isOf(userId: userId, sessionId: sessionId) else { continue }
                histories.append((scope.agentId, try file.messages()))
            }
            return ChatRules.merged(histories)
        }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> Value
    ) async throws -> Value {
        do {
            return try await BlockingWork.run { isCancelled in try body(isCancelled) }
        } catch {
            throw StorageError.mapping(error)
        }
    }

    // MARK: The folder

    /// The time that a save waits for another process, in seconds.
    private static let lockTimeout = 30.0
    private static let (suffix, digestLength) = (".jsonl", 64)

    private func url(of scope: ChatScope) -> URL {
        directory.appendingPathComponent(scope.digest + Self.suffix)
    }

    /// Returns the files of all histories; none if the folder does not exist.
    private func historyURLs() throws -> [URL] {
        do {
            let length = Self.digestLength + Self.suffix.utf8.count
            return try FileManager.default.contentsOfDirectory(atPath: directory.path)
                .filter { $0.hasSuffix(Self.suffix) && $0.utf8.count == length }.sorted()
                .map { directory.appendingPathComponent($0) }
        } catch let error as CocoaError where [.fileReadNoSuchFile, .fileNoSuchFile].contains(error.code) {
            return []
        } catch {
            throw StorageError(.inputOutput, "cannot list folder \(directory.path)", underlying: error)
        }
    }

    /// The contents of `schema.json`, which describes the folder.
    private struct Description: Codable {
        var kind = "histories"
        var schema = ConversationFormat.version
    }

    private var descriptionURL: URL { directory.appendingPathComponent("schema.json") }

    /// Checks the description of the folder.
    ///
    /// - Returns: Whether there is one. A folder without files has none.
    @discardableResult
    private func checkDescription() throws -> Bool {
        guard let data = try HistoryFile.contents(of: descriptionURL) else { return false }
        guard let description = try? JSONDecoder().decode(Description.self, from: data) else {
            throw StorageError(
                .damaged,
                "cannot read \(descriptionURL.path): it is corrupt; if no newer program has used the folder, "
                    + "delete this file")
        }
        try ConversationFormat.check(version: description.schema, in: directory.path)
        return true
    }

    private func writeDescription() throws {
        let data = try ConversationFormat.encoder().encode(Description()) + Data("\n".utf8)
        try AtomicFile.write(data, to: descriptionURL, files: files)
    }
}

/// The file of a history: JSON Lines.
private struct HistoryFile {
    private struct Line: Codable {
        /// The scope of the file, in every line, so that damage of one line does not hide it.
        var scope: ChatScope?
        var append: [ConversationMessage]
    }

    private let url: URL
    private var lines: [Line] = []
    /// The number of the first corrupt line, counted from 1.
    private var corruptLine: Int?

    /// Reads a file; one that does not exist has no lines.
    init(_ url: URL) throws {
        self.url = url
        let decoder = ConversationFormat.decoder()
        let parts = try Self.contents(of: url)?.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let parts else { return }
        // The last part is empty, because every line ends with a line feed.
        if parts.last?.isEmpty == false || parts.count == 1 { corruptLine = parts.count }
        for (index, part) in parts.dropLast().enumerated() {
            if let line = try? decoder.decode(Line.self, from: part) {
                lines.append(line)
            } else {
                corruptLine = min(corruptLine ?? .max, index + 1)
            }
        }
        if scope == nil { corruptLine = corruptLine ?? 1 }
    }

    var scope: ChatScope? { lines.lazy.compactMap(\.scope).first }

    /// The error for the damage of the file; `nil` if all lines are intact.
    var error: StorageError? {
        corruptLine.map { StorageError(.damaged, "cannot read \(url.path): line \($0) is corrupt") }
    }

    func messages() throws -> [ConversationMessage] {
        if let error { throw error }
        return lines.flatMap(\.append)
    }

    static func data(_ messages: [ConversationMessage], of scope: ChatScope) throws -> Data {
        let encoder = ConversationFormat.encoder()
        let lines = messages.isEmpty ? [[]] : messages.map { [$0] }
        return try lines.reduce(into: Data()) { data, messages in
            data += try encoder.encode(Line(scope: scope, append: messages))
            data.append(UInt8(ascii: "\n"))
        }
    }

    static func contents(of url: URL) throws -> Data? {
        do {
            let file = try FileDescriptor(url.path, O_RDONLY | O_NOFOLLOW)
            return try file.read(at: 0, count: try file.size())
        } catch let error as FileError where error.isMissing {
            return nil
        }
    }
}
