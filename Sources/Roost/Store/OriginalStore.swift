public import Foundation
public import RoostChunks
import RoostFiles
public import RoostModel

/// The original files of a store: byte-for-byte copies of ingested files, in its folder `originals`.
///
/// Each document is stored once under its SHA-256 digest, which the fingerprint of its source contains. A
/// document is written before the record of its source is committed, so that every committed digest can be
/// read.
public struct OriginalStore: Sendable {
    /// The chunk storage of the documents: compressed, and verified against the digests when read.
    public let storage: ComposedChunkStorage
    let folder: URL

    private static let name = "originals"
    private static let lockName = ".lock"
    /// The maximum time that ``lockAgainstRemoval()`` waits for ``removeUnreferenced(by:in:)``, in seconds.
    private static let lockTimeout: TimeInterval = 30

    /// Creates the store of originals of the knowledge store in `directory`.
    public init(of directory: URL) { self.init(of: directory, files: .standard) }

    /// Creates the store of originals of the knowledge store in `directory`.
    ///
    /// - Parameter files: `FileSystem/deferring` if the caller synchronizes all files at the end.
    init(of directory: URL, files: FileSystem) {
        folder = directory.appendingPathComponent(Self.name, isDirectory: true)
        let organization = GitStyleOrganization()
        storage = ComposedChunkStorage(
            organization: organization,
            retrieval: CompressedRetrieval(
                wrapped: FileSystemRetrieval(baseURL: folder, files: files), algorithm: .zstd),
            existence: FileSystemExistence(organization: organization, baseURL: folder),
            isContentAddressed: true)
    }

    /// Whether a document has ever been stored.
    public var exists: Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder)
            && isFolder.boolValue
    }

    // MARK: Reading

    /// Returns the document with the given digest; `nil` if it is not stored.
    ///
    /// - Throws: `ChunkStorageError`, with `.corrupt` if the bytes do not match the digest.
    public func document(digest: String) async throws -> Data? {
        try await storage.readChunk(ChunkIdentifier(id: digest))
    }

    /// Returns the document from which an entry was ingested, byte for byte.
    ///
    /// - Throws: ``RoostError`` with `.notFound` if the snapshot does not contain the entry, or this store not
    ///   its document; `ChunkStorageError` with `.corrupt` if the document is damaged; `StorageError`.
    public func document(of id: Entry.ID, in snapshot: any StorageSnapshot) async throws -> Data {
        guard let entry = try await snapshot.entries([id]).first else {
            throw RoostError(.notFound, "entry \(id.text) was not found")
        }
        guard let source = entry.source else {
            throw RoostError(.notFound, "entry \(id.text) has no source and therefore no original file")
        }
        let digest = try await snapshot.sources([source]).first?.documentDigest
        if let digest, let document = try await document(digest: digest) { return document }
        throw RoostError(
            .notFound,
            "the original file of entry \(id.text), \(SourceDraft.displayName(of: source)), is not stored",
            remedy: .keepOriginals)
    }

    /// Returns the digests of all documents.
    ///
    /// - Throws: `ChunkStorageError`.
    public func digests() async throws -> [String] {
        guard exists else { return [] }
        return try await storage.retrieval.paths(in: "")
            .compactMap { storage.organization.identifier(from: $0)?.id }
    }

    func file(_ digest: String) -> URL {
        folder.appendingPathComponent(storage.organization.storagePath(for: ChunkIdentifier(id: digest)))
    }

    func damaged() async throws -> [(path: String, reason: String)] {
        var result: [(path: String, reason: String)] = []
        for digest in try await digests() {
            try Task.checkCancellation()
            do {
                _ = try await document(digest: digest)
            } catch ChunkStorageError.corrupt(_, let reason) {
                result.append((file(digest).path, reason))
            } catch ChunkStorageError.tooLarge {
                result.append((file(digest).path, "it exceeds the maximum size"))
            }
        }
        return result
    }

    // MARK: Writing and removing

    func recordPresence() async throws {
        try await StoreManifest.recordOriginals(in: folder.deletingLastPathComponent())
    }

    func store(_ document: Data) async throws {
        let identifier = ChunkIdentifier(hashing: document)
        guard try await storage.existence?.presence(of: identifier) != true else { return }
        try await storage.writeChunk(document, identifier: identifier, metadata: nil)
    }

    /// Acquires the lock of ``lockAgainstRemoval()`` for a process that only reads documents.
    ///
    /// - Returns: `nil` if the folder is read-only, because a lock file cannot be created there. This process
    ///   then relies on no other process removing documents.
    func lockForReading() async throws -> FileLock? {
        guard !FileSystem.isWritable(folder) else { return try await lockAgainstRemoval() }
        return try? FileLock.shared(folder.appendingPathComponent(Self.lockName))
    }

    /// Acquires the shared lock that keeps ``removeUnreferenced(by:in:)`` from removing documents whose
    /// source records are not committed yet.
    func lockAgainstRemoval() async throws -> FileLock {
        let url = folder.appendingPathComponent(Self.lockName)
        return try await BlockingWork.run { isCancelled in
            do {
                try FileSystem.standard.createFolder(folder)
                return try FileLock.acquire(
                    url, timeout: Self.lockTimeout, isShared: true, isCancelled: isCancelled)
            } catch is LockTimeout {
                throw StorageError(
                    .locked,
                    "cannot write to \(folder.path): another process is removing unreferenced documents",
                    isRetryable: true)
            } catch {
                throw StorageError.mapping(error)
            }
        }
    }

    /// Removes the documents that neither a source record nor an undo record references.
    ///
    /// Ingests and recorded removals hold the lock of ``lockAgainstRemoval()`` while nothing references their
    /// documents.
    ///
    /// - Returns: The number of removed documents; 0 if a client holds the lock.
    @discardableResult
    func removeUnreferenced(
        by storage: any StorageProvider, in directory: URL, recorder: UndoRecorder? = nil
    ) async throws -> Int {
        guard exists else { return 0 }
        let url = folder.appendingPathComponent(Self.lockName)
        guard let lock = try? FileLock.acquire(url, timeout: 0) else { return 0 }
        defer { lock.release() }
        try await self.storage.retrieval.removeLeftovers(in: "")
        let all = try await digests()
        guard !all.isEmpty else { return 0 }
        // An undo commits the old source record before it removes the undo record. If the undo record is read
        // first, at least one of the two is seen.
        var referenced = try await BlockingWork.run { _ in
            Set(([directory] + [recorder?.directory].compactMap(\.self)).flatMap(UndoRecorder.digests))
        }
        referenced.formUnion(try await storage.snapshot().sources().compactMap(\.documentDigest))
        let removed = all.filter { !referenced.contains($0) }
        for digest in removed { try await self.storage.deleteChunk(ChunkIdentifier(id: digest)) }
        return removed.count
    }

    /// Copies all documents to another store, and makes the copies durable. Documents that the other store
    /// contains with the same size are not copied again. A copy that a power failure interrupted can be
    /// shorter.
    func copyAll(to target: OriginalStore) async throws -> Int {
        let lock = try await lockForReading()
        defer { lock?.release() }
        let digests = try await digests()
        guard !digests.isEmpty else { return 0 }
        try await BlockingWork.run { isCancelled in
            try StorageError.mappingFileErrors {
                for digest in digests {
                    if isCancelled() { throw CancellationError() }
                    let file = target.file(digest)
                    let original = self.file(digest)
                    let size = try FileSystem.sizeOfRegularFile(original.path)
                    if try size == FileSystem.sizeOfRegularFile(file.path) { continue }
                    try FileSystem.deferring.createFolder(file.deletingLastPathComponent())
                    try AtomicFile.copy(original, to: file, files: .deferring)
                }
                try FileSystem.synchronizeAll(around: target.folder)
            }
        }
        return digests.count
    }
}
