public import Foundation
import RoostFiles
@_exported import RoostModel

/// A repository of backups. It contains snapshots of stores, which share unchanged data.
///
/// A repository consists of chunks in any `ChunkStorageRetrieval`: in a folder, a bucket or memory. Each
/// snapshot holds one revision of a store. The data of a snapshot is divided into segments, which are
/// gathered in packs; indexes list the segments of each pack.
///
/// Objects are never changed after they have been written. A backup writes packs first, then the index, then
/// the snapshot, so that every snapshot is complete even if a process is killed. Several processes can
/// create, restore and verify at the same time; a prune (``prune(keeping:isDryRun:)``) requires exclusive
/// access.
///
/// In a repository with a passphrase, everything except the parameters of the key is encrypted, and the names
/// of objects are keyed digests.
public final class BackupRepository: Sendable {
    struct Configuration: Codable {
        var format: Int
        var id: UUID
        var key: ChunkKey?
    }

    static let currentFormat = 1

    /// The random id that identifies the repository.
    public let id: UUID
    /// Whether the repository has a passphrase.
    public let isEncrypted: Bool
    let retrieval: any ChunkStorageRetrieval
    let naming: SegmentNaming

    init(_ configuration: Configuration, _ base: any ChunkStorageRetrieval, _ key: EncryptionKey?) {
        id = configuration.id
        isEncrypted = key != nil
        guard let key else {
            (retrieval, naming) = (base, SegmentNaming(key: nil))
            return
        }
        func derived(_ purpose: String) -> EncryptionKey {
            EncryptionKey(bytes: SHA256.derivedKey(from: key.bytes, purpose: purpose))
        }
        retrieval = EncryptedRetrieval(wrapped: base, key: derived("roost backup objects"))
        naming = SegmentNaming(key: derived("roost backup names"))
    }

    /// Creates a repository.
    ///
    /// - **Atomicity**: If several processes create a repository at the same time, exactly one succeeds,
    ///   provided that `createChunk` of the retrieval is atomic.
    /// - Parameters:
    ///   - retrieval: The storage of the repository. It should contain no other chunks.
    ///   - passphrase: The passphrase for encryption; `nil` creates a repository that is not encrypted.
    /// - Returns: The new repository, without snapshots.
    /// - Throws: ``BackupError`` with `.exists` if the storage already contains a repository;
    ///   `ChunkStorageError` if it cannot be written to.
    public static func create(
        in retrieval: any ChunkStorageRetrieval, passphrase: String? = nil
    ) async throws -> BackupRepository {
        var configuration = Configuration(format: currentFormat, id: UUID())
        var key: EncryptionKey?
        if let passphrase {
            let made = EncryptionKey()
            configuration.key = try await ChunkKey.wrapping(made, passphrase: passphrase)
            key = made
        }
        let isNew = try await retrieval.createChunk(
            try JSONEncoder.canonical.encode(configuration), at: RepositoryObject.configuration,
            metadata: nil)
        guard isNew else {
            throw BackupError(.exists, "cannot create the backup repository: it already exists")
        }
        return BackupRepository(configuration, retrieval, key)
    }

    /// Opens a repository.
    ///
    /// - Parameters:
    ///   - retrieval: The storage of the repository.
    ///   - passphrase: The passphrase; `nil` for a repository that is not encrypted.
    /// - Throws: ``BackupError``: `.notFound`, `.wrongPassphrase`, `.newerFormat` or `.damaged`;
    ///   `ChunkStorageError` if the storage cannot be read.
    public static func open(
        _ retrieval: any ChunkStorageRetrieval, passphrase: String? = nil
    ) async throws -> BackupRepository {
        let configuration = try await configuration(in: retrieval)
        return BackupRepository(configuration, retrieval, try await key(of: configuration, passphrase))
    }

    /// Returns the data key of a repository; `nil` if it is not encrypted.
    private static func key(
        of configuration: Configuration, _ passphrase: String?
    ) async throws -> EncryptionKey? {
        guard let wrapped = configuration.key else {
            guard passphrase == nil else {
                throw BackupError(
                    .wrongPassphrase,
                    "cannot open the backup repository: it is not encrypted; open it without a passphrase")
            }
            return nil
        }
        guard let passphrase else {
            throw BackupError(
                .wrongPassphrase,
                "cannot open the backup repository: it is encrypted; provide its passphrase",
                remedy: .openWithPassphrase)
        }
        do {
            return try await wrapped.unwrap(passphrase: passphrase)
        } catch ChunkStorageError.wrongKey {
            throw BackupError(
                .wrongPassphrase, "cannot open the backup repository: the passphrase is wrong")
        }
    }

    /// Reads the configuration of a repository.
    ///
    /// That of an encrypted repository contains the sealed key, which cannot be computed again. Without
    /// encryption, the id is not used to read any object, so the configuration of any such repository fits.
    private static func configuration(
        in retrieval: any ChunkStorageRetrieval
    ) async throws -> Configuration {
        let damaged = BackupError(
            .damaged,
            "cannot open the backup repository: its file '\(RepositoryObject.configuration)' is missing or "
                + "corrupt; restore this file from a copy of the repository, or, if the repository has no "
                + "passphrase, copy '\(RepositoryObject.configuration)' from a new repository without a "
                + "passphrase into it")
        guard let data = try await retrieval.readChunk(at: RepositoryObject.configuration) else {
            let snapshots = try await retrieval.paths(in: RepositoryObject.snapshots)
            guard snapshots.compactMap(RepositoryObject.id).isEmpty else { throw damaged }
            throw BackupError(
                .notFound, "cannot open the backup repository: it does not exist", remedy: .createBackup)
        }
        guard let format = format(of: data) else { throw damaged }
        try requireSupported(format, to: "open the backup repository")
        guard let configuration = try? JSONDecoder().decode(Configuration.self, from: data) else {
            throw damaged
        }
        return configuration
    }

    /// Changes the passphrase of an encrypted repository. The data is not encrypted again.
    ///
    /// A person who knew the old passphrase and has a copy of the old `config` object can still decrypt the
    /// repository.
    ///
    /// - Parameters:
    ///   - retrieval: The storage of the repository.
    ///   - old: The current passphrase.
    ///   - new: The new passphrase.
    /// - Throws: ``BackupError`` or `ChunkStorageError`. The old passphrase remains valid in that case.
    public static func changePassphrase(
        of retrieval: any ChunkStorageRetrieval, from old: String, to new: String
    ) async throws {
        var configuration = try await configuration(in: retrieval)
        guard let key = try await key(of: configuration, old) else { return }
        configuration.key = try await ChunkKey.wrapping(key, passphrase: new)
        try await retrieval.writeChunk(
            try JSONEncoder().encode(configuration), at: RepositoryObject.configuration, metadata: nil)
    }

    // MARK: Snapshots

    /// Returns all snapshots, oldest first. Snapshots of different stores are not mixed.
    ///
    /// - Throws: ``BackupError``: `.damaged` if a snapshot is corrupt, `.newerFormat`; `ChunkStorageError`
    ///   if the storage cannot be read.
    public func snapshots() async throws -> [BackupSnapshot] {
        let list = try await snapshotList()
        if let first = list.unreadable.first { throw first.error }
        return list.snapshots
    }

    /// Returns all snapshots: those that can be read, oldest first, and those that are corrupt or have a
    /// newer format.
    ///
    /// - Throws: `ChunkStorageError` if the storage cannot be read.
    public func snapshotList() async throws -> BackupSnapshotList {
        var list = BackupSnapshotList()
        for name in try await names(in: RepositoryObject.snapshots) {
            do {
                list.snapshots.append(try await snapshot(named: name))
            } catch let error as BackupError where error.code == .notFound {
                // Another process removed the snapshot after it had been listed.
                continue
            } catch let error as BackupError {
                list.unreadable.append(.init(id: name, error: error))
            }
        }
        list.snapshots = list.snapshots.oldestFirst()
        return list
    }

    /// Returns the names of the objects in a folder. Files with other names are ignored.
    func names(in folder: String) async throws -> [String] {
        try await retrieval.paths(in: folder).compactMap(RepositoryObject.id).map(\.description).sorted()
    }

    /// Returns the complete name of the only snapshot whose name begins with the given prefix. The snapshot
    /// itself is not read, so this works for a corrupt snapshot, too.
    ///
    /// - Throws: ``BackupError`` with `.notFound` if no snapshot or more than one matches;
    ///   `ChunkStorageError` if the storage cannot be read.
    public func name(beginning: String) async throws -> String {
        let names = try await names(in: RepositoryObject.snapshots)
            .filter { $0.hasPrefix(beginning) && !beginning.isEmpty }
        guard let name = names.first, names.count == 1 else {
            throw BackupError(
                .notFound,
                names.isEmpty
                    ? "snapshot '\(beginning.prefix(64))' not found"
                    : "\(names.count) snapshots begin with '\(beginning.prefix(64))'; use a longer prefix",
                remedy: .chooseSnapshot)
        }
        return name
    }

    /// Returns the only snapshot whose name begins with the given prefix, or the newest snapshot for
    /// `latest`.
    ///
    /// - Throws: ``BackupError`` with `.notFound` if no snapshot or more than one matches, or if `latest` is
    ///   ambiguous because the repository has snapshots of several stores; the errors of ``snapshots()``.
    public func snapshot(_ beginning: String) async throws -> BackupSnapshot {
        guard beginning == "latest" else {
            return try await snapshot(named: try await name(beginning: beginning))
        }
        let list = try await snapshotList()
        // A snapshot that cannot be read may be the newest one.
        if let first = list.unreadable.first { throw first.error }
        return try list.latest()
    }

    func snapshot(named name: String) async throws -> BackupSnapshot {
        func damaged(_ cause: String) -> BackupError {
            BackupError(
                .damaged, "cannot read snapshot \(name.prefix(12)) in the backup: \(cause)",
                remedy: .forgetSnapshot)
        }
        let stored: Data?
        do {
            stored = try await retrieval.readChunk(at: RepositoryObject.snapshot(name))
        } catch let error as ChunkStorageError where error.isDamage {
            throw damaged("it cannot be decrypted")
        }
        guard let data = stored else {
            throw BackupError(
                .notFound, "snapshot \(name.prefix(12)) not found", remedy: .chooseSnapshot)
        }
        guard naming.name(of: data) == name else { throw damaged("its digest does not match") }
        guard let format = Self.format(of: data) else { throw damaged("it cannot be decoded") }
        try Self.requireSupported(format, to: "read snapshot \(name.prefix(12)) in the backup")
        guard var snapshot = try? BackupSnapshot(decoding: data) else {
            throw damaged("it cannot be decoded")
        }
        snapshot.id = name
        return snapshot
    }

    /// Removes snapshots. The next ``prune(keeping:isDryRun:)`` frees the space that only they used.
    ///
    /// - Parameter names: The complete names of the snapshots.
    /// - Throws: ``BackupError`` with `.locked` if another process is pruning the repository;
    ///   `ChunkStorageError` if a deletion fails. Some snapshots may have been removed in that case.
    public func forget(_ names: [String]) async throws {
        try await RepositoryLock.with(exclusive: false, toleratesReadOnly: true, retrieval) { _ in
            for name in names { try await retrieval.deleteChunk(at: RepositoryObject.snapshot(name)) }
        }
    }

    // MARK: Reading

    /// Returns the packs that the intact indexes list, and the paths of all indexes and of the corrupt ones.
    func indexes() async throws -> (packs: [PackContents], paths: [String], damaged: [String]) {
        let paths = try await names(in: RepositoryObject.indexes).map(RepositoryObject.index)
        var (packs, damaged) = ([PackContents](), [String]())
        for path in paths {
            do {
                packs += try await index(path)
            } catch  where Self.isDamage(error) {
                damaged.append(path)
            }
        }
        return (packs.uniqued(), paths, damaged)
    }

    private func index(_ path: String) async throws -> [PackContents] {
        let damaged = BackupError(
            .damaged, "cannot read index \(path) in the backup: it is corrupt", remedy: .verifyBackup)
        guard let data = try await retrieval.readChunk(at: path) else {
            // A prune replaced the index after it had been listed.
            throw BackupError(
                .locked, "cannot read the backup: another process pruned the repository at the same time",
                isRetryable: true, remedy: .retryLater)
        }
        guard naming.name(of: data) == RepositoryObject.name(of: path) else { throw damaged }
        guard let packs = try? PackIndexCodec.decode(data) else { throw damaged }
        return packs
    }

    /// Returns a store that can read all segments that the indexes list and whose packs are complete.
    ///
    /// Segments of missing packs, and of packs with a wrong length, are left out, so that the next backup
    /// that needs them writes them again.
    ///
    /// - Parameter acceptsDamagedPacks: Whether to read segments from other packs if no complete pack has
    ///   them. The digest of a segment shows whether it is intact, and a storage may list a new pack late.
    func segments(acceptingDamagedPacks acceptsDamagedPacks: Bool = false) async throws -> SegmentStore {
        let store = SegmentStore(CachedRetrieval(wrapped: retrieval), naming: naming)
        // A backup writes its packs before their index. If the packs were listed first, those of a backup
        // that ends at the same time would seem to be missing.
        let packs = try await indexes().packs
        let stored = try await StoredPacks(retrieval)
        store.add(packs.filter { stored.problem(of: $0) == nil })
        if acceptsDamagedPacks { store.add(packs) }
        return store
    }

    func writeIndex(_ packs: [PackContents]) async throws -> (path: String, size: Int) {
        let data = try PackIndexCodec.encode(packs)
        let path = RepositoryObject.index(naming.name(of: data))
        try await retrieval.writeChunk(data, at: path, metadata: nil)
        return (path, data.count)
    }

    private struct Header: Decodable { var format: Int }

    private static func format(of data: Data) -> Int? {
        (try? JSONDecoder().decode(Header.self, from: data)).flatMap { $0.format >= 1 ? $0.format : nil }
    }

    private static func requireSupported(_ format: Int, to action: String) throws {
        guard format > currentFormat else { return }
        throw BackupError(
            .newerFormat,
            "cannot \(action): format \(format) is newer than this version supports (\(currentFormat))",
            remedy: .upgradeRoost)
    }
}
