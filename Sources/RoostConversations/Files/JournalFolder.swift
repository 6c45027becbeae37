import Foundation
import RoostFiles
import RoostModel

/// A folder of journals, each named by a digest, with a note of what they are and a lock for those who write.
struct JournalFolder<Record: Codable & Sendable>: Sendable {
    let directory: URL
    /// What the journals are of: a folder of sessions is none of histories.
    let kind: String
    let files: FileSystem
    private var schema: SchemaMigrator { SchemaMigrator() }

    private static var suffix: String { ".jsonl" }

    func file(_ digest: String) -> JournalFile<Record> {
        JournalFile(url: directory.appendingPathComponent(digest + Self.suffix), files: files)
    }

    /// The names of the journals, in their order; none where there is no folder.
    ///
    /// - Throws: ``StorageError`` with `.inputOutput` where it cannot be listed, which is not the same as
    ///   empty.
    func digests() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory.path)
                .filter { $0.hasSuffix(Self.suffix) && $0.utf8.count == 64 + Self.suffix.utf8.count }
                .map { String($0.dropLast(Self.suffix.utf8.count)) }.sorted()
        } catch let error as CocoaError
            where [.fileReadNoSuchFile, .fileNoSuchFile].contains(error.code)
        {
            return []
        } catch {
            throw StorageError(
                .inputOutput, "the folder \(directory.path) cannot be listed", underlying: error)
        }
    }

    // MARK: Reading and changing

    /// Reads under no lock; once more under it where what was found may only be the work of a writer of that
    /// moment, who cuts off half a line, or gives a journal another name.
    ///
    /// - Parameter body: throws ``Unsteady`` or ``StorageError`` with `.damaged` to be asked again;
    ///   `isSteady` tells that it will not be.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (_ folder: JournalFolder, _ isSteady: Bool) throws -> Value
    ) async throws -> Value {
        try await BlockingWork.run { isCancelled in
            if let note = try note() { try check(note) }
            do {
                return try body(self, false)
            } catch {
                guard error is Unsteady || (error as? StorageError)?.code == .damaged else { throw error }
            }
            let held: FileLock?
            do {
                held = try FileLock.acquire(lockURL, timeout: 30, isCancelled: isCancelled)
            } catch let error as LockTimeout {
                throw StorageError(.locked, "\(error)", underlying: error, isRetryable: true)
            } catch is FileError {
                // A folder that cannot be written to has no writers either.
                held = nil
            }
            defer { held?.release() }
            return try body(self, true)
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (_ folder: JournalFolder) throws -> Value
    ) async throws -> Value {
        try await read { folder, _ in try body(folder) }
    }

    /// What was read may be of before and after a change.
    struct Unsteady: Error {}

    private var lockURL: URL { directory.appendingPathComponent("lock") }

    /// Under the folder's lock, which is made where there is none.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (JournalFolder) throws -> Value
    ) async throws -> Value {
        try await BlockingWork.run { isCancelled in
            do {
                try files.createFolder(directory)
                let held = try FileLock.acquire(lockURL, timeout: 30, isCancelled: isCancelled)
                defer { held.release() }
                if isCancelled() { throw CancellationError() }
                try migrate()
                return try body(self)
            } catch let error as FileError {
                throw StorageError(.inputOutput, error.description, underlying: error)
            } catch let error as LockTimeout {
                throw StorageError(.locked, "\(error)", underlying: error, isRetryable: true)
            }
        }
    }

    /// Changes one journal under the folder's lock.
    func change(
        _ digest: String,
        _ body: @escaping @Sendable (JournalFile<Record>.Contents) throws -> JournalFile<Record>.Change?
    ) async throws {
        try await write { try $0.file(digest).change(body) }
    }

    // MARK: Schema

    /// `schema.json`: what the folder is.
    private struct Note: Codable {
        var kind: String
        var schema: Int
    }

    static var noteName: String { "schema.json" }
    private var noteURL: URL { directory.appendingPathComponent(Self.noteName) }

    /// - Returns: `nil` for a folder that has none: of before there were notes, or without journals.
    private func note() throws -> Note? {
        do {
            let file = try FileDescriptor(noteURL.path, O_RDONLY | O_NOFOLLOW)
            let data = try file.read(at: 0, count: min(try file.size(), 4096))
            do {
                return try JSONDecoder().decode(Note.self, from: data)
            } catch {
                throw StorageError(
                    .damaged,
                    "\(noteURL.path) is not as it was written; where no newer program used the folder, "
                        + "remove that file", underlying: error)
            }
        } catch let error as FileError where error.isMissing {
            return nil
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
    }

    private func check(_ note: Note) throws {
        guard note.kind == kind else {
            throw StorageError.invalid(
                "\(directory.path) is a folder of \(note.kind.prefix(40)), not of \(kind); give each its own")
        }
        do {
            try schema.check(stored: note.schema)
        } catch let error as StorageError {
            throw StorageError(error.code, "\(directory.path): \(error.message)")
        }
    }

    /// - Returns: the version that the folder had.
    @discardableResult
    private func migrate() throws -> Int {
        let note = try note()
        if let note { try check(note) }
        return try schema.migrateIfNeeded(
            stored: note?.schema, isEmpty: note == nil ? try digests().isEmpty : false
        ) { version in
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let data = try encoder.encode(Note(kind: kind, schema: version))
            try AtomicFile.write(data + Data("\n".utf8), to: noteURL, files: files)
        }
    }

    func migrateIfNeeded() async throws -> Int { try await write { try $0.migrate() } }

    // MARK: Damage

    /// Whose the records of a journal of that name are, and how many messages they have.
    typealias Summary<Subject> =
        @Sendable (_ records: [Record], _ digest: String) -> (subject: Subject?, messages: Int)

    /// What cannot be read.
    func damage<Subject>(_ summary: @escaping Summary<Subject>) async throws -> [ConversationDamage<Subject>]
    {
        try await read { folder, isSteady in
            let found = try folder.digests().map(folder.file).compactMap { file in
                file.damage(try file.salvage(), summary)
            }
            guard found.isEmpty || isSteady else { throw Unsteady() }
            return found
        }
    }

    /// Moves journals that cannot be read out of the way; what can be read of each, where it is known whose
    /// it is, takes its place.
    func setDamagedAside<Subject>(
        _ summary: @escaping Summary<Subject>
    ) async throws -> [ConversationDamage<Subject>] {
        try await write { folder in
            try folder.digests().map(folder.file).compactMap { file in
                let contents = try file.salvage()
                guard var damage = file.damage(contents, summary) else { return nil }
                damage.aside = try file.copyAside().path
                if damage.subject != nil {
                    try file.replace(contents.records)
                } else {
                    try file.remove()
                }
                return damage
            }
        }
    }
}

extension JournalFile {
    /// - Returns: `nil` for a journal that can be read, and is somebody's.
    func damage<Subject>(
        _ contents: Contents, _ summary: JournalFolder<Record>.Summary<Subject>
    ) -> ConversationDamage<Subject>? {
        let (subject, messages) = summary(contents.records, digest)
        if contents.badLines.isEmpty {
            guard !contents.records.isEmpty, subject == nil else { return nil }
            return ConversationDamage(subject: nil, place: "\(url.path), which is nobody's", readable: 0)
        }
        let lines = contents.badLines.prefix(5).map(String.init).joined(separator: ", ")
        let more = contents.badLines.count > 5 ? " and \(contents.badLines.count - 5) more" : ""
        return ConversationDamage(
            subject: subject, place: "\(url.path), line \(lines)\(more)",
            readable: subject == nil ? 0 : messages)
    }
}
