import Foundation
import RoostFiles
import RoostModel

/// A folder of journals, each named by a digest, with a description of its contents and a lock for writers.
struct JournalFolder<Record: Codable & Sendable>: Sendable {
    let directory: URL
    /// The kind of data in the journals, such as `sessions`. A folder contains only one kind.
    let kind: String
    let files: FileSystem
    /// The writers of one storage, so that only one of them blocks a thread while it waits for the lock.
    var writers = TaskQueue()

    private static var suffix: String { ".jsonl" }
    private static var digestLength: Int { 64 }

    private static func isJournal(_ name: String) -> Bool {
        name.hasSuffix(suffix) && name.utf8.count == digestLength + suffix.utf8.count
    }

    func file(_ digest: String) -> JournalFile<Record> {
        JournalFile(url: directory.appendingPathComponent(digest + Self.suffix), files: files)
    }

    /// Returns the names of the journals in ascending order; none if the folder does not exist.
    ///
    /// - Throws: `StorageError` with `.inputOutput` if the folder cannot be listed.
    func digests() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory.path)
                .filter(Self.isJournal)
                .map { String($0.dropLast(Self.suffix.utf8.count)) }.sorted()
        } catch let error as CocoaError
            where [.fileReadNoSuchFile, .fileNoSuchFile].contains(error.code)
        {
            return []
        } catch {
            throw StorageError(
                .inputOutput, "cannot list folder \(directory.path)", underlying: error)
        }
    }

    // MARK: Reading and changing

    /// Reads without a lock. If a concurrent writer may have disturbed the read, for example by truncating an
    /// incomplete line or renaming a journal, the read is repeated while holding the lock.
    ///
    /// - Parameter body: Performs the read. In the first attempt, it can throw ``Disturbed`` or
    ///   `StorageError` with `.damaged` to request a second attempt. `isFinal` tells whether this is the
    ///   second attempt.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (_ folder: JournalFolder, _ isFinal: Bool) throws -> Value
    ) async throws -> Value {
        try await BlockingWork.run { isCancelled in
            if let description = try description() { try check(description) }
            do {
                return try body(self, false)
            } catch {
                guard error is Disturbed || (error as? StorageError)?.code == .damaged else { throw error }
            }
            let lock: FileLock?
            do {
                lock = try FileLock.acquire(lockURL, timeout: 30, isCancelled: isCancelled)
            } catch let error as LockTimeout {
                throw StorageError(error)
            } catch is FileError {
                // In a read-only folder, the lock file cannot be created. There are no writers, so no lock is
                // needed.
                lock = nil
            }
            defer { lock?.release() }
            return try body(self, true)
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (_ folder: JournalFolder) throws -> Value
    ) async throws -> Value {
        try await read { folder, _ in try body(folder) }
    }

    /// Reports that the data that was read may be inconsistent because of a concurrent change.
    struct Disturbed: Error {}

    private var lockURL: URL { directory.appendingPathComponent("lock") }

    /// Runs `body` while holding the folder's lock. The folder is created if necessary.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (JournalFolder) throws -> Value
    ) async throws -> Value {
        try await writers.run {
            try await BlockingWork.run { isCancelled in
                do {
                    try files.createFolder(directory)
                    let lock = try FileLock.acquire(lockURL, timeout: 30, isCancelled: isCancelled)
                    defer { lock.release() }
                    if isCancelled() { throw CancellationError() }
                    try describe()
                    return try body(self)
                } catch let error as FileError {
                    throw StorageError(error)
                } catch let error as LockTimeout {
                    throw StorageError(error)
                }
            }
        }
    }

    // MARK: Schema

    /// The contents of `schema.json`, which describes the folder.
    private struct Description: Codable {
        var kind: String
        var schema: Int
    }

    private var descriptionURL: URL { directory.appendingPathComponent("schema.json") }

    /// Reads the description.
    ///
    /// - Returns: `nil` if the folder has no description, because it has no journals yet.
    private func description() throws -> Description? {
        do {
            let file = try FileDescriptor(descriptionURL.path, O_RDONLY | O_NOFOLLOW)
            let data = try file.read(at: 0, count: min(try file.size(), 4096))
            do {
                return try JSONDecoder().decode(Description.self, from: data)
            } catch {
                throw StorageError(
                    .damaged,
                    "cannot read \(descriptionURL.path): it is corrupt; if no newer program has used the "
                        + "folder, delete this file", underlying: error)
            }
        } catch let error as FileError where error.isMissing {
            return nil
        } catch let error as FileError {
            throw StorageError(error)
        }
    }

    private func check(_ description: Description) throws {
        guard description.kind == kind else {
            throw StorageError.invalid(
                "cannot store \(kind) in \(directory.path): the folder contains "
                    + "\(description.kind.prefix(40)); use another folder")
        }
        try ConversationSchema.check(description.schema, in: directory.path)
    }

    /// Checks the description of the folder, or writes it if the folder is new.
    private func describe() throws {
        if let description = try description() { return try check(description) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(Description(kind: kind, schema: ConversationSchema.current))
        try AtomicFile.write(data + Data("\n".utf8), to: descriptionURL, files: files)
    }

    // MARK: Damage

    /// Returns the session or history to which the records of a journal belong, and the number of its
    /// messages.
    typealias Summary<Subject> =
        @Sendable (_ records: [Record], _ digest: String) -> (subject: Subject?, messages: Int)

    /// Returns the journals that cannot be read completely.
    func damage<Subject>(_ summary: @escaping Summary<Subject>) async throws -> [ConversationDamage<Subject>]
    {
        try await read { folder, isFinal in
            let found = try folder.digests().map(folder.file).compactMap { file in
                file.damage(try file.salvage(), summary)
            }
            guard found.isEmpty || isFinal else { throw Disturbed() }
            return found
        }
    }
}

extension JournalFile {
    /// Returns a description of the damage to a journal with the given contents.
    ///
    /// - Returns: `nil` if all records can be read and their session or history is known.
    func damage<Subject>(
        _ contents: Contents, _ summary: JournalFolder<Record>.Summary<Subject>
    ) -> ConversationDamage<Subject>? {
        let (subject, messages) = summary(contents.records, digest)
        if contents.corruptLines.isEmpty {
            guard !contents.records.isEmpty, subject == nil else { return nil }
            return ConversationDamage(
                subject: nil, location: "\(url.path), whose owner is unknown", readable: 0)
        }
        let maximumCount = 5
        let lines = contents.corruptLines.prefix(maximumCount).map(String.init).joined(separator: ", ")
        let omitted = contents.corruptLines.count - maximumCount
        let more = omitted > 0 ? " and \(omitted) more" : ""
        return ConversationDamage(
            subject: subject, location: "\(url.path), line \(lines)\(more)",
            readable: subject == nil ? 0 : messages)
    }
}
