import Crypto
public import Foundation
import RoostFiles
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

    /// - Parameter directory: is made with the first session.
    public init(directory: URL) { self.directory = directory.standardizedFileURL }

    private func file(_ name: String) -> JournalFile<Record> {
        JournalFile(
            url: directory.appendingPathComponent(name), lock: directory.appendingPathComponent("lock"))
    }

    /// Named by a digest: an id may be anything.
    private static func name(_ id: String) -> String {
        SHA256.hash(data: Data(id.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            + ".jsonl"
    }

    private static func session(_ records: [Record]) -> StoredSession? {
        guard var session = records.first?.session else { return nil }
        for record in records.dropFirst() {
            if let replaced = record.replace { session.messages = replaced }
            if let added = record.append { session.messages += added }
            session.lastAccessedAt = record.accessed
        }
        return session
    }

    private func change(
        _ id: String,
        _ body:
            @escaping @Sendable (inout StoredSession) throws -> (
                append: [ChatMessage]?, replace: [ChatMessage]?
            )
    ) async throws {
        try await file(Self.name(id)).change { records in
            guard var session = Self.session(records) else { throw SessionRules.missing }
            let change = try body(&session)
            let now = max(Date().wholeMilliseconds, session.lastAccessedAt)
            let record = Record(append: change.append, replace: change.replace, accessed: now)
            session = Self.session(records + [record]) ?? session
            guard Self.isLong(records, session) || change.replace != nil else { return .add(record) }
            return .replace(Self.records(session))
        }
    }

    public func saveSession(id: String, firstMessage: String) async throws {
        try SessionRules.check(id: id)
        try await file(Self.name(id)).change { records in
            let now = Date().wholeMilliseconds
            guard let session = Self.session(records) else {
                let session = StoredSession(
                    id: id, createdAt: now, firstUserMessage: firstMessage, lastAccessedAt: now)
                return .replace(Self.records(session))
            }
            let accessed = max(now, session.lastAccessedAt)
            guard Self.isLong(records, session) else { return .add(Record(accessed: accessed)) }
            var touched = session
            touched.lastAccessedAt = accessed
            return .replace(Self.records(touched))
        }
    }

    /// Those that cannot be read are left out; ``setDamagedAside()`` names them.
    public func getAllSessions() async throws -> [StoredSession] {
        let directory = directory
        return try await BlockingWork.run { _ in
            var sessions: [(session: StoredSession, changed: Date)] = []
            for name in try JournalFolder.names(in: directory) {
                do {
                    guard let session = Self.session(try file(name).read().records) else { continue }
                    let path = directory.appendingPathComponent(name).path
                    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                    sessions.append((session, attributes?[.modificationDate] as? Date ?? .distantPast))
                } catch let error as StorageError where error.code == .damaged {
                    continue
                }
            }
            return sessions.sorted {
                ($0.session.lastAccessedAt, $0.changed) > ($1.session.lastAccessedAt, $1.changed)
            }.map(\.session)
        }
    }

    public func getSession(id: String) async throws -> StoredSession? {
        let file = file(Self.name(id))
        return try await BlockingWork.run { _ in Self.session(try file.read().records) }
    }

    public func updateLastAccessed(id: String) async throws { try await change(id) { _ in (nil, nil) } }

    public func deleteSession(id: String) async throws {
        try await underLock { directory in
            try FileSystem.standard.unlink(directory.appendingPathComponent(Self.name(id)).path)
            try AtomicFile.removeLeftovers(in: directory)
        }
    }

    public func deleteAllSessions() async throws {
        try await underLock { directory in
            for name in try JournalFolder.names(in: directory) {
                try FileSystem.standard.unlink(directory.appendingPathComponent(name).path)
            }
            try AtomicFile.removeLeftovers(in: directory)
        }
    }

    public func updateSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try await change(id) { _ in (nil, messages) }
    }

    public func appendSessionMessages(id: String, messages: [ChatMessage]) async throws {
        try await change(id) { _ in (messages, nil) }
    }

    public func updateSessionId(oldId: String, newId: String) async throws {
        try SessionRules.check(id: newId)
        try await underLock { directory in
            let (old, new) = (file(Self.name(oldId)), file(Self.name(newId)))
            guard var session = Self.session(try old.read().records) else { throw SessionRules.missing }
            guard Self.name(oldId) != Self.name(newId) else { return }
            let other = Self.session(try new.read().records)
            session.id = newId
            // One who was killed between the two steps below has left the same under both ids.
            guard other == nil || other == session else { throw SessionRules.clash }
            var data = Data()
            for record in Self.records(session) {
                data += try ConversationMessage.encoder().encode(record) + Data("\n".utf8)
            }
            // Killed in between, the session is there under both ids, and lost under none.
            try AtomicFile.write(data, to: new.url)
            try FileSystem.standard.unlink(old.url.path)
        }
    }

    @discardableResult
    public func importSession(_ session: StoredSession) async throws -> Bool {
        try SessionRules.check(id: session.id)
        try await file(Self.name(session.id)).change { _ in
            .replace(Self.records(session))
        }
        return true
    }

    public func changeToken() async throws -> String? {
        let directory = directory
        return try await BlockingWork.run { _ in
            try JournalFolder.names(in: directory).map { name in
                let path = directory.appendingPathComponent(name).path
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
                return "\(name) \(attributes?[.systemFileNumber] ?? 0) \(attributes?[.size] ?? 0) \(date)"
            }.joined(separator: "\n")
        }
    }

    /// Moves files that cannot be read out of the way.
    ///
    /// - Returns: where they are now.
    /// - Throws: ``StorageError``.
    public func setDamagedAside() async throws -> [URL] {
        try await underLock { directory in
            var aside: [URL] = []
            for name in try JournalFolder.names(in: directory) {
                do {
                    _ = try file(name).read()
                } catch let error as StorageError where error.code == .damaged {
                    aside.append(try file(name).setAside())
                }
            }
            return aside
        }
    }

    private func underLock<Value: Sendable>(
        _ body: @escaping @Sendable (URL) throws -> Value
    ) async throws -> Value {
        let directory = directory
        return try await BlockingWork.run { isCancelled in
            do {
                try FileSystem.standard.createFolder(directory)
                let held = try FileLock.acquire(
                    directory.appendingPathComponent("lock"), timeout: 30, isCancelled: isCancelled)
                defer { held.release() }
                return try body(directory)
            } catch let error as FileError {
                throw StorageError(.inputOutput, error.description, underlying: error)
            } catch let error as LockTimeout {
                throw StorageError(.locked, "\(error)", underlying: error, isRetryable: true)
            }
        }
    }
}
