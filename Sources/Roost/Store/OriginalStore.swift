public import Foundation
public import RoostChunks
import RoostFiles
import RoostModel

/// Source documents as they were when they were ingested, byte for byte, each once: `originals` in a store's
/// folder.
///
/// A document lies under its SHA-256, which the fingerprint of its source names, so that the record of a
/// source leads to it. It is written before the record is: what is named is there.
public struct OriginalStore: Sendable {
    /// Where documents are: compressed, and compared with their names when they are read.
    public let storage: ComposedChunkStorage
    let folder: URL

    private static let name = "originals"
    private static let lockName = ".lock"
    private static let patience = Duration.seconds(1)

    /// - Parameter directory: the store's folder.
    public init(of directory: URL) { self.init(of: directory, files: .standard) }

    /// - Parameter files: ``FileSystem/deferring`` where many are written before anybody is told of them.
    init(of directory: URL, files: FileSystem) {
        folder = directory.appendingPathComponent(Self.name, isDirectory: true)
        let organization = GitStyleOrganization()
        storage = ComposedChunkStorage(
            organization: organization,
            retrieval: VerifyingRetrieval(
                wrapped: CompressedRetrieval(
                    wrapped: FileSystemRetrieval(baseURL: folder, files: files), algorithm: .zstd),
                organization: organization),
            existence: FileSystemExistence(organization: organization, baseURL: folder))
    }

    /// Whether any document was ever kept.
    public var exists: Bool { FileManager.default.fileExists(atPath: folder.path) }

    /// Keeps a document; one that is there already is left as it is.
    ///
    /// - Throws: ``ChunkStorageError``.
    func keep(_ document: Data) async throws {
        let name = ChunkIdentifier(hashing: document)
        guard try await storage.existence?.presence(of: name) != true else { return }
        try await storage.writeChunk(document, identifier: name, metadata: nil)
    }

    /// The document with a digest; `nil` where it is not kept.
    ///
    /// - Throws: ``ChunkStorageError``: `.corrupt` where its bytes are others than they were.
    public func document(digest: String) async throws -> Data? {
        try await storage.readChunk(ChunkIdentifier(id: digest))
    }

    /// The digests of all documents.
    ///
    /// - Throws: ``ChunkStorageError``.
    public func digests() async throws -> [String] {
        guard exists else { return [] }
        return try await storage.retrieval.paths(in: "")
            .compactMap { storage.organization.identifier(from: $0)?.id }
    }

    /// Keeps whoever would remove documents out, while some are written that nothing names yet.
    ///
    /// - Throws: ``StorageError`` with `.locked`, `.inputOutput`.
    func use() async throws -> FileLock {
        let url = folder.appendingPathComponent(Self.lockName)
        return try await BlockingWork.run { isCancelled in
            do {
                try FileSystem.standard.createFolder(folder)
                _ = try FileDescriptor(url.path, O_RDWR | O_CREAT)
                let deadline = Date().addingTimeInterval(30)
                while true {
                    if let lock = try FileLock.shared(url) { return lock }
                    if isCancelled() { throw CancellationError() }
                    guard Date() < deadline else {
                        throw StorageError(
                            .locked, "\(folder.path) is being tidied up by another process",
                            isRetryable: true)
                    }
                    usleep(10_000)
                }
            } catch let error as FileError {
                throw StorageError(.inputOutput, error.description, underlying: error)
            }
        }
    }

    /// Removes documents that no source names, and `roost undo` would not bring back.
    ///
    /// - Returns: how many; 0 where another process is keeping some just now.
    /// - Throws: ``StorageError``; ``ChunkStorageError``.
    @discardableResult
    func removeUnneeded(by storage: any StorageProvider, in directory: URL) async throws -> Int {
        guard exists else { return 0 }
        let url = folder.appendingPathComponent(Self.lockName)
        guard let lock = try? FileLock.acquire(url, timeout: 0) else { return 0 }
        defer { lock.release() }
        try await self.storage.retrieval.removeLeftovers(in: "")
        // Listed first: what is kept later is not among them.
        let all = try await digests()
        func unneeded(of digests: [String]) async throws -> [String] {
            // In this order: an undo brings a record back before it takes its own away.
            var needed = Set(Self.digests(inFile: UndoRecorder.url(directory)))
            needed.formUnion(try await storage.snapshot().sources().compactMap(\.documentDigest))
            return digests.filter { !needed.contains($0) }
        }
        var gone = try await unneeded(of: all)
        guard !gone.isEmpty else { return 0 }
        // What was just removed is written down for undo a moment after its commit.
        try await Task.sleep(for: Self.patience)
        gone = try await unneeded(of: gone)
        for digest in gone { try await self.storage.deleteChunk(ChunkIdentifier(id: digest)) }
        return gone.count
    }

    /// All that looks like the fingerprint of a file.
    private static func digests(inFile url: URL) -> [String] {
        guard let data = FileManager.default.contents(atPath: url.path) else { return [] }
        return String(decoding: data, as: UTF8.self).components(separatedBy: "sha256:").dropFirst().map {
            String($0.prefix(64))
        }
    }

    /// Documents that cannot be read as they were written, with why.
    func damaged() async throws -> [(path: String, reason: String)] {
        var found: [(String, String)] = []
        for digest in try await digests() {
            try Task.checkCancellation()
            do {
                _ = try await document(digest: digest)
            } catch ChunkStorageError.corrupt(_, let reason) {
                found.append((file(digest).path, reason))
            } catch ChunkStorageError.tooLarge {
                found.append((file(digest).path, "it is larger than any document"))
            }
        }
        return found
    }

    func file(_ digest: String) -> URL {
        folder.appendingPathComponent(storage.organization.storagePath(for: ChunkIdentifier(id: digest)))
    }
}
