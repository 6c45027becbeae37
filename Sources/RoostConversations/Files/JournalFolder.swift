import Foundation
import RoostFiles
import RoostModel

/// A folder of journals, each named by the digest of its scope, with a description of its contents and a lock
/// for writers.
struct JournalFolder: Sendable {
    let directory: URL
    let files: FileSystem
    /// The writers of one storage, so that only one of them blocks a thread while it waits for the lock.
    var writers = TaskQueue()

    private static let suffix = ".jsonl"
    private static let digestLength = 64

    private func file(named name: String) -> JournalFile {
        JournalFile(url: directory.appendingPathComponent(name), files: files)
    }

    func file(_ scope: ChatScope) -> JournalFile { file(named: scope.digest + Self.suffix) }

    /// Returns all journals; none if the folder does not exist.
    ///
    /// - Throws: `StorageError` with `.inputOutput` if the folder cannot be listed.
    func journals() throws -> [JournalFile] {
        do {
            let length = Self.digestLength + Self.suffix.utf8.count
            return try FileManager.default.contentsOfDirectory(atPath: directory.path)
                .filter { $0.hasSuffix(Self.suffix) && $0.utf8.count == length }.sorted().map {
                    file(named: $0)
                }
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
    /// incomplete line, the read is repeated while holding the lock.
    ///
    /// - Parameter body: Performs the read. In the first attempt, it can throw ``Disturbed`` or
    ///   `StorageError` with `.damaged` to request a second attempt. `isFinal` tells whether this is the
    ///   second attempt.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (_ folder: JournalFolder, _ isFinal: Bool) throws -> Value
    ) async throws -> Value {
        try await BlockingWork.run { isCancelled in
            try description().map { try ConversationSchema.check($0.schema, in: directory.path) }
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
        var kind = "histories"
        var schema = ConversationSchema.current
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

    /// Checks the description of the folder, or writes it if the folder is new.
    private func describe() throws {
        if let description = try description() {
            return try ConversationSchema.check(description.schema, in: directory.path)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(Description())
        try AtomicFile.write(data + Data("\n".utf8), to: descriptionURL, files: files)
    }
}
