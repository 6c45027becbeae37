import Crypto
public import Foundation
package import RoostFiles
import RoostModel

/// Sessions as files, one for each, in a folder.
///
/// A change is one synchronised line at a file's end; dates are whole milliseconds since 1970. Several
/// processes may change sessions at once, and one that is killed leaves its change or nothing.
public struct FileSessionStorage: SessionStorageProtocol, Sendable {
    public let directory: URL

    /// A line of a session's file.
    private struct Record: Codable, Sendable {
        /// On the first line: the session as it was when the file was written.
        var session: StoredSession?
        /// Messages that were added.
        var append: [ChatMessage]?
        /// Messages in the place of all.
        var replace: [ChatMessage]?
        /// The session's id from now on, once its file has the name that goes with it: one who was killed
        /// between the two has changed nothing.
        var renamed: String?
        var accessed: Date
    }

    /// A file is written anew when it has so many lines, and most of them say no more than when it was used.
    private static let mostLines = 512

    private static func isLong(_ records: [Record], _ session: StoredSession) -> Bool {
        records.count >= mostLines && records.count > 2 * (session.messages.count + 1)
    }

    /// A line for each message: no line is longer than the longest of them makes it.
    private static func records(_ session: StoredSession) -> [Record] {
        var bare = session
        bare.messages = []
        let accessed = session.lastAccessedAt
        return [Record(session: bare, accessed: accessed)]
            + session.messages.map { Record(append: [$0], accessed: accessed) }
    }

    private let onDamage: DamageHandler<String>
    private let files: FileSystem

    /// - Parameters:
    ///   - directory: is made with the first session.
    ///   - onDamage: is told what ``getAllSessions()`` leaves out; without it a warning is logged.
    public init(directory: URL, onDamage: DamageHandler<String>? = nil) {
        self.init(directory: directory, files: .standard, onDamage: onDamage)
    }

    package init(directory: URL, files: FileSystem, onDamage: DamageHandler<String>? = nil) {
        self.directory = directory.standardizedFileURL
        self.files = files
        self.onDamage = onDamage ?? { DamageLog.warn($0) }
    }

    private var folder: JournalFolder<Record> {
        JournalFolder(directory: directory, kind: "sessions", files: files)
    }

    /// Whether a folder with files of these names is one of sessions.
    func isOfSessions(_ names: [String]) -> Bool {
        names.contains(JournalFolder<Record>.noteName)
            || names.contains { $0.hasSuffix(".jsonl") && $0.utf8.count == 64 + 6 }
    }

    /// An id may be anything: a file is named by its digest.
    private static func digest(_ id: String) -> String {
        SHA256.hash(data: Data(id.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func session(_ file: JournalFile<Record>) throws -> StoredSession? {
        try session(of: try file.read(), file)
    }

    /// - Returns: `nil` where there is no file.
    private static func session(
        of contents: JournalFile<Record>.Contents, _ file: JournalFile<Record>
    ) throws -> StoredSession? {
        guard !contents.records.isEmpty else { return nil }
        guard let session = session(contents.records, file.digest) else {
            throw StorageError(.damaged, "\(file.url.path) is the file of no session")
        }
        return session
    }

    /// - Parameter digest: the name of the file.
    /// - Returns: `nil` where what is there is no session of that name.
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

    /// Touches a session, and replaces its messages where there are others.
    ///
    /// - Parameter missing: what is there from now on where there is none; without it, that is an error.
    private func touch(
        _ id: String, replacing messages: [ChatMessage]? = nil,
        orMaking missing: (@Sendable (_ now: Date) -> StoredSession)? = nil
    ) async throws {
        let file = folder.file(Self.digest(id))
        try await folder.change(file.digest) { contents in
            let records = contents.records
            let now = Date().wholeMilliseconds
            guard var session = try Self.session(of: contents, file) else {
                guard let missing else { throw SessionRules.missing }
                return .replace(Self.records(missing(now)))
            }
            session.lastAccessedAt = max(now, session.lastAccessedAt)
            guard messages != nil || Self.isLong(records, session) else {
                return .add(Record(accessed: session.lastAccessedAt))
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

    /// Those that cannot be read are left out, and told of (``init(directory:onDamage:)``).
    public func getAllSessions() async throws -> [StoredSession] {
        let onDamage = onDamage
        let found = try await folder.read { folder, isSteady in
            var damaged: [ConversationDamage<String>] = []
            var sessions: [(session: StoredSession, changed: Date)] = []
            for digest in try folder.digests() {
                let file = folder.file(digest)
                let contents = try file.salvage()
                guard contents.badLines.isEmpty, let session = Self.session(contents.records, digest) else {
                    // Where there is none it was given another name since the folder was listed, or removed.
                    guard isSteady else { throw JournalFolder<Record>.Unsteady() }
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

    /// - Complexity: the time for what is added, however long the session is.
    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try await folder.write { folder in
            let file = folder.file(Self.digest(id))
            if let (last, length) = try file.last() {
                let now = max(Date().wholeMilliseconds, last.accessed)
                return try file.append(Record(append: messages, accessed: now), length)
            }
            // There is none, or its last line is damaged: the error says which.
            guard let session = try Self.session(file) else { throw SessionRules.missing }
            throw StorageError(.damaged, "the file of session \(session.id) has no last line")
        }
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try SessionRules.check(id: newId)
        try await folder.write { folder in
            let (old, new) = (folder.file(Self.digest(oldId)), folder.file(Self.digest(newId)))
            guard let session = try Self.session(old) else { throw SessionRules.missing }
            guard old.url != new.url else { return }
            guard !new.exists else { throw SessionRules.clash }
            try old.change { _ in .add(Record(renamed: newId, accessed: session.lastAccessedAt)) }
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
