import Crypto
public import Foundation
package import RoostFiles
import RoostModel

/// A session storage that keeps each session in a separate file in a folder.
///
/// A change appends one line to the file and synchronizes the file, so the change survives a power failure.
/// Several processes can change sessions at the same time. If a process is killed during a change, the change
/// is either complete or absent.
public struct FileSessionStorage: SessionStorageProtocol, Sendable {
    /// The folder of the storage.
    public let directory: URL

    /// One line in the file of a session.
    private struct Record: Codable, Sendable {
        /// The session without its messages; present only in the first line.
        var session: StoredSession?
        /// Messages that were added by this change.
        var append: [ChatMessage]?
        /// Messages that replace all earlier ones.
        var replace: [ChatMessage]?
        /// The new id of the session. It takes effect when the file is renamed to the digest of the id: if
        /// the process is killed before that, the id has not changed.
        var renamed: String?
        var accessed: Date
    }

    /// A file is compacted if it has at least this many lines and most of them only record accesses.
    private static let minimumCompactedLines = 512

    private static func needsCompaction(_ records: [Record], _ session: StoredSession) -> Bool {
        records.count >= minimumCompactedLines && records.count > 2 * (session.messages.count + 1)
    }

    /// Returns the records of a compacted file: one line for each message, so that no line exceeds the size
    /// limit.
    private static func records(_ session: StoredSession) -> [Record] {
        var header = session
        header.messages = []
        let accessed = session.lastAccessedAt
        return [Record(session: header, accessed: accessed)]
            + session.messages.map { Record(append: [$0], accessed: accessed) }
    }

    private let onDamage: DamageHandler<String>
    private let files: FileSystem
    private let writers = TaskQueue()

    /// Creates a storage.
    ///
    /// - Parameters:
    ///   - directory: The folder of the storage. The first save creates it.
    ///   - onDamage: Called for sessions that ``getAllSessions()`` omits because they cannot be read. By
    ///     default, a warning is logged.
    public init(directory: URL, onDamage: DamageHandler<String>? = nil) {
        self.init(directory: directory, files: .standard, onDamage: onDamage)
    }

    package init(directory: URL, files: FileSystem, onDamage: DamageHandler<String>? = nil) {
        self.directory = directory.standardizedFileURL
        self.files = files
        self.onDamage = onDamage ?? { DamageLog.warn($0) }
    }

    private var folder: JournalFolder<Record> {
        JournalFolder(directory: directory, kind: "sessions", files: files, writers: writers)
    }

    /// Returns whether a folder that contains files with the given names can be a session storage.
    func isSessionFolder(_ names: [String]) -> Bool {
        names.contains(JournalFolder<Record>.descriptionName)
            || names.contains(where: JournalFolder<Record>.isJournal)
    }

    /// Returns the digest that names the file of a session. An id itself may not be a valid file name.
    private static func digest(_ id: String) -> String {
        Hexadecimal.text(SHA256.hash(data: Data(id.utf8)))
    }

    private static func session(_ file: JournalFile<Record>) throws -> StoredSession? {
        try session(of: try file.read(), file)
    }

    /// Reads the session in a file.
    ///
    /// - Returns: `nil` if the file does not exist.
    private static func session(
        of contents: JournalFile<Record>.Contents, _ file: JournalFile<Record>
    ) throws -> StoredSession? {
        guard !contents.records.isEmpty else { return nil }
        guard let session = session(contents.records, file.digest) else {
            throw StorageError(
                .damaged,
                "cannot read \(file.url.path): its name does not match the session that it contains",
                remedy: .setDamagedAside)
        }
        return session
    }

    /// Returns the session that results from the records of a file.
    ///
    /// - Parameter digest: The name of the file.
    /// - Returns: `nil` if the records are invalid, or if the session's id does not match the file name.
    private static func session(_ records: [Record], _ digest: String) -> StoredSession? {
        guard var session = records.first?.session else { return nil }
        for record in records.dropFirst() {
            if let replaced = record.replace { session.messages = replaced }
            if let added = record.append { session.messages += added }
            if let id = record.renamed, Self.digest(id) == digest { session.id = id }
            session.lastAccessedAt = record.accessed
        }
        return Self.digest(session.id) == digest ? session : nil
    }

    /// Updates the time of a session's last access.
    ///
    /// - Parameters:
    ///   - messages: The messages that replace those of the session; `nil` keeps them.
    ///   - create: Returns the session to store if none exists; without it, a missing session is an error.
    private func touch(
        _ id: String, replacing messages: [ChatMessage]? = nil,
        orCreating create: (@Sendable (_ now: Date) -> StoredSession)? = nil
    ) async throws {
        let file = folder.file(Self.digest(id))
        try await folder.change(file.digest) { contents in
            let records = contents.records
            let now = Date().wholeMilliseconds
            guard var session = try Self.session(of: contents, file) else {
                guard let create else { throw SessionRules.missing }
                return .replace(Self.records(create(now)))
            }
            session.lastAccessedAt = max(now, session.lastAccessedAt)
            guard messages != nil || Self.needsCompaction(records, session) else {
                return .append(Record(accessed: session.lastAccessedAt))
            }
            if let messages { session.messages = messages }
            return .replace(Self.records(session))
        }
    }

    public func saveSession(id: String, firstMessage: String) async throws {
        try SessionRules.check(id: id)
        try await touch(id) { now in
            StoredSession(id: id, createdAt: now, firstUserMessage: firstMessage, lastAccessedAt: now)
        }
    }

    /// Returns all sessions, most recently accessed first. Sessions that cannot be read are omitted and
    /// reported (``init(directory:onDamage:)``).
    public func getAllSessions() async throws -> [StoredSession] {
        let onDamage = onDamage
        let found = try await folder.read { folder, isFinal in
            var damaged: [ConversationDamage<String>] = []
            var sessions: [(session: StoredSession, changed: Date)] = []
            for digest in try folder.digests() {
                let file = folder.file(digest)
                let contents = try file.salvage()
                guard contents.corruptLines.isEmpty, let session = Self.session(contents.records, digest)
                else {
                    // The file may have been renamed or deleted after the folder was listed.
                    guard isFinal else { throw JournalFolder<Record>.Disturbed() }
                    if let damage = file.damage(contents, Self.summary) { damaged.append(damage) }
                    continue
                }
                let attributes = try? FileManager.default.attributesOfItem(atPath: file.url.path)
                sessions.append((session, attributes?[.modificationDate] as? Date ?? .distantPast))
            }
            let inOrder = sessions.sorted {
                ($0.session.lastAccessedAt, $0.changed) > ($1.session.lastAccessedAt, $1.changed)
            }
            return (sessions: inOrder.map(\.session), damaged: damaged)
        }
        for damage in found.damaged { onDamage(damage) }
        return found.sessions
    }

    public func getSession(id: String) async throws -> StoredSession? {
        try await folder.read { try Self.session($0.file(Self.digest(id))) }
    }

    public func updateLastAccessed(id: String) async throws { try await touch(id) }

    public func deleteSession(id: String) async throws {
        try await folder.write { folder in
            try folder.file(Self.digest(id)).remove()
            try AtomicFile.removeLeftovers(in: folder.directory, files: folder.files)
        }
    }

    public func deleteAllSessions() async throws {
        try await folder.write { folder in
            for digest in try folder.digests() {
                try folder.file(digest).remove()
            }
            try AtomicFile.removeLeftovers(in: folder.directory, files: folder.files)
        }
    }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try await touch(id, replacing: messages)
    }

    /// Appends messages to a session.
    ///
    /// - Complexity: O(*n*), where *n* is the size of the new messages. The cost does not depend on the
    ///   length of the session.
    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try await folder.write { folder in
            let file = folder.file(Self.digest(id))
            if let (last, length) = try file.last() {
                let now = max(Date().wholeMilliseconds, last.accessed)
                return try file.append(Record(append: messages, accessed: now), at: length)
            }
            // The session does not exist, or its last line is corrupt; reading it throws the specific error.
            guard let session = try Self.session(file) else { throw SessionRules.missing }
            throw StorageError(
                .damaged, "cannot append to session \(session.id): the last line of its file is corrupt",
                remedy: .setDamagedAside)
        }
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try SessionRules.check(id: newId)
        try await folder.write { folder in
            let (old, new) = (folder.file(Self.digest(oldId)), folder.file(Self.digest(newId)))
            guard let session = try Self.session(old) else { throw SessionRules.missing }
            guard old.url != new.url else { return }
            guard !new.exists else { throw SessionRules.clash }
            try old.change { _ in .append(Record(renamed: newId, accessed: session.lastAccessedAt)) }
            try old.rename(to: new)
        }
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try SessionRules.check(id: session.id)
        try await folder.change(Self.digest(session.id)) { _ in .replace(Self.records(session)) }
        return true
    }

    public func changeToken() async throws -> String? {
        try await folder.read { folder in
            try folder.digests().map { digest in
                let path = folder.file(digest).url.path
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
                return "\(digest) \(attributes?[.systemFileNumber] ?? 0) \(attributes?[.size] ?? 0) \(date)"
            }.joined(separator: "\n")
        }
    }
}

extension FileSessionStorage: MaintainedStorage {
    public static let schemaVersion = 1

    @discardableResult
    public func migrateIfNeeded() async throws -> Int { try await folder.migrateIfNeeded() }

    public func damage() async throws -> [ConversationDamage<String>] {
        try await folder.damage(Self.summary)
    }

    public func setDamagedAside() async throws -> [ConversationDamage<String>] {
        try await folder.setDamagedAside(Self.summary)
    }

    private static func summary(
        _ records: [Record], _ digest: String
    ) -> (subject: String?, messages: Int) {
        let session = session(records, digest)
        return (session?.id, session?.messages.count ?? 0)
    }
}
