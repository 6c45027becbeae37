import Crypto
public import Foundation
public import RoostChunks
import RoostModel

/// Backups of stores: snapshots, each of one revision, made of segments that they share.
///
/// A repository is a set of chunks in any retrieval: a folder, a bucket, memory. What is written is never
/// changed: packs of segments first, then the index that names them, then the snapshot, so that whoever is
/// killed anywhere leaves a repository in which every snapshot is whole. Several may add to it at once; who
/// removes from it (``prune(keeping:isDryRun:)``) is alone.
///
/// With a passphrase everything but the parameters of the key is encrypted, and names are keyed.
public final class BackupRepository: Sendable {
    private struct Configuration: Codable {
        var format: Int
        var id: UUID
        var key: ChunkKey?
    }

    static let currentFormat = 1
    /// The most bytes of packs that are kept in memory while segments are read.
    private static let cacheSize = 64 << 20

    /// The repository's own name.
    public let id: UUID
    public let isEncrypted: Bool
    let retrieval: any ChunkStorageRetrieval
    let naming: SegmentNaming

    private init(_ configuration: Configuration, _ base: any ChunkStorageRetrieval, _ key: SymmetricKey?) {
        id = configuration.id
        isEncrypted = key != nil
        guard let key else {
            (retrieval, naming) = (base, SegmentNaming(key: nil))
            return
        }
        func derived(_ purpose: String) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data(purpose.utf8), outputByteCount: 32)
        }
        retrieval = EncryptedRetrieval(wrapped: base, key: derived("roost backup objects"))
        naming = SegmentNaming(key: derived("roost backup names"))
    }

    /// Makes a repository where there is none.
    ///
    /// - Parameter passphrase: `nil` for one that is not encrypted.
    /// - Throws: ``BackupError`` with `.exists`; ``ChunkStorageError``.
    public static func create(
        in retrieval: any ChunkStorageRetrieval, passphrase: String? = nil
    ) async throws -> BackupRepository {
        var configuration = Configuration(format: currentFormat, id: UUID())
        var key: SymmetricKey?
        if let passphrase {
            let made = try await ChunkKey.make(passphrase: passphrase)
            (key, configuration.key) = (made.key, made.wrapped)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let isNew = try await retrieval.createChunk(
            try encoder.encode(configuration), at: RepositoryObject.configuration, metadata: nil)
        guard isNew else { throw BackupError(.exists, "there is a backup repository already") }
        return BackupRepository(configuration, retrieval, key)
    }

    /// Opens a repository.
    ///
    /// - Throws: ``BackupError`` with `.notFound`, `.wrongPassphrase`, `.newerFormat`, `.damaged`;
    ///   ``ChunkStorageError``.
    public static func open(
        _ retrieval: any ChunkStorageRetrieval, passphrase: String? = nil
    ) async throws -> BackupRepository {
        guard let data = try await retrieval.readChunk(at: RepositoryObject.configuration) else {
            throw BackupError(.notFound, "there is no backup repository")
        }
        struct Format: Decodable { var format: Int }
        guard let format = try? JSONDecoder().decode(Format.self, from: data) else {
            throw BackupError(.damaged, "the configuration of the backup repository cannot be read")
        }
        guard format.format <= currentFormat else {
            throw BackupError(
                .newerFormat,
                "the backup repository has format \(format.format); this version reads up to "
                    + "\(currentFormat): update Roost")
        }
        guard let configuration = try? JSONDecoder().decode(Configuration.self, from: data) else {
            throw BackupError(.damaged, "the configuration of the backup repository cannot be read")
        }
        guard let wrapped = configuration.key else {
            guard passphrase == nil else {
                throw BackupError(
                    .wrongPassphrase, "the backup repository is not encrypted; give no passphrase for it")
            }
            return BackupRepository(configuration, retrieval, nil)
        }
        guard let passphrase else {
            throw BackupError(.wrongPassphrase, "the backup repository is encrypted and needs its passphrase")
        }
        do {
            return BackupRepository(
                configuration, retrieval, try await wrapped.unwrap(passphrase: passphrase))
        } catch ChunkStorageError.wrongKey {
            throw BackupError(.wrongPassphrase, "that is not the passphrase of the backup repository")
        }
    }

    /// Gives an encrypted repository another passphrase; nothing is encrypted anew.
    ///
    /// - Throws: ``BackupError``; ``ChunkStorageError``. The old one holds then.
    public static func changePassphrase(
        of retrieval: any ChunkStorageRetrieval, from old: String, to new: String
    ) async throws {
        _ = try await open(retrieval, passphrase: old)
        guard let data = try await retrieval.readChunk(at: RepositoryObject.configuration),
            var configuration = try? JSONDecoder().decode(Configuration.self, from: data),
            let wrapped = configuration.key
        else { throw BackupError(.wrongPassphrase, "the backup repository is not encrypted") }
        configuration.key = try await ChunkKey.rewrap(
            try await wrapped.unwrap(passphrase: old), passphrase: new)
        try await retrieval.writeChunk(
            try JSONEncoder().encode(configuration), at: RepositoryObject.configuration, metadata: nil)
    }

    // MARK: Snapshots

    /// All snapshots, oldest first.
    ///
    /// - Throws: ``BackupError`` with `.damaged` where one cannot be read; ``ChunkStorageError``.
    public func snapshots() async throws -> [BackupSnapshot] {
        try await snapshots(leavingOutDamaged: false)
    }

    /// Those that can be read, oldest first: for whoever needs them only to do better.
    ///
    /// - Throws: ``BackupError`` with `.newerFormat`; ``ChunkStorageError``.
    public func readableSnapshots() async throws -> [BackupSnapshot] {
        try await snapshots(leavingOutDamaged: true)
    }

    private func snapshots(leavingOutDamaged isLenient: Bool) async throws -> [BackupSnapshot] {
        var snapshots: [BackupSnapshot] = []
        for name in try await names(in: RepositoryObject.snapshots) {
            do {
                snapshots.append(try await snapshot(named: name))
            } catch let error as BackupError where error.code == .notFound {
                // Forgotten since it was listed.
                continue
            } catch let error as BackupError where isLenient && error.code == .damaged {
                continue
            } catch let error as ChunkStorageError where isLenient && error.isDamage {
                continue
            }
        }
        return snapshots.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    /// The names of the objects in a folder; files of others are none.
    func names(in folder: String) async throws -> [String] {
        try await retrieval.paths(in: folder).map(RepositoryObject.name)
            .filter { SegmentID(hexadecimal: $0) != nil }.sorted()
    }

    /// The whole name of the snapshot whose name begins so, whether it can be read or not.
    ///
    /// - Throws: ``BackupError`` with `.notFound`, also where several begin so; ``ChunkStorageError``.
    public func name(beginning: String) async throws -> String {
        let names = try await names(in: RepositoryObject.snapshots)
            .filter { $0.hasPrefix(beginning) && !beginning.isEmpty }
        guard let name = names.first, names.count == 1 else {
            throw BackupError(
                .notFound,
                names.isEmpty
                    ? "there is no snapshot '\(beginning.prefix(64))'"
                    : "\(names.count) snapshots begin with '\(beginning.prefix(64))'; give more of the name")
        }
        return name
    }

    /// The snapshot whose name begins so, or the last one for `latest`.
    ///
    /// - Throws: ``BackupError`` with `.notFound`, also where several begin so, and for `latest` where there
    ///   are snapshots of several stores; as ``snapshots()``.
    public func snapshot(_ beginning: String) async throws -> BackupSnapshot {
        guard beginning == "latest" else {
            return try await snapshot(named: try await name(beginning: beginning))
        }
        let all = try await snapshots()
        guard let last = all.last else {
            throw BackupError(.notFound, "the backup repository has no snapshots")
        }
        guard all.allSatisfy({ $0.stamp.store == last.stamp.store }) else {
            throw BackupError(
                .notFound,
                "the repository has snapshots of several stores; name one as `roost backup list` shows it")
        }
        return last
    }

    func snapshot(named name: String) async throws -> BackupSnapshot {
        func damaged(_ why: String) -> BackupError {
            BackupError(.damaged, "snapshot \(name.prefix(12)) of the backup \(why)")
        }
        guard let data = try await retrieval.readChunk(at: RepositoryObject.snapshot(name)) else {
            throw BackupError(.notFound, "there is no snapshot \(name.prefix(12))")
        }
        guard naming.name(of: data) == name else { throw damaged("is not as it was written") }
        struct Format: Decodable { var format: Int }
        guard let format = try? JSONDecoder().decode(Format.self, from: data) else {
            throw damaged("cannot be read")
        }
        guard format.format <= BackupSnapshot.currentFormat else {
            throw BackupError(
                .newerFormat, "a newer version made snapshot \(name.prefix(12)) of the backup: update Roost")
        }
        guard var snapshot = try? JSONDecoder().decode(BackupSnapshot.self, from: data) else {
            throw damaged("cannot be read")
        }
        snapshot.id = name
        return snapshot
    }

    /// Removes snapshots; what only they had goes with the next ``prune(keeping:isDryRun:)``.
    ///
    /// - Parameter names: whole ones.
    /// - Throws: ``BackupError`` with `.locked`; ``ChunkStorageError``: those before are gone then.
    public func forget(_ names: [String]) async throws {
        try await RepositoryLock.with(exclusive: false, canDoWithout: true, retrieval) { _ in
            for name in names { try await retrieval.deleteChunk(at: RepositoryObject.snapshot(name)) }
        }
    }

    // MARK: Reading

    /// What the index objects say, each with its path.
    ///
    /// - Parameter isLenient: whether damaged ones are left out: what they name is not there then.
    /// - Throws: ``BackupError`` with `.damaged`.
    func indexes(leavingOutDamaged isLenient: Bool) async throws -> [(path: String, packs: [PackContents])] {
        var indexes: [(String, [PackContents])] = []
        for path in try await names(in: RepositoryObject.indexes).map(RepositoryObject.index) {
            do {
                indexes.append((path, try await index(path)))
            } catch let error as BackupError where isLenient && error.code == .damaged {
                continue
            } catch let error as ChunkStorageError where isLenient && error.isDamage {
                continue
            }
        }
        return indexes
    }

    func index(_ path: String) async throws -> [PackContents] {
        let damaged = BackupError(
            .damaged, "the index \(path) of the backup is damaged; `roost backup verify` says what it touches"
        )
        guard let data = try await retrieval.readChunk(at: path) else {
            // Somebody has just replaced it.
            throw BackupError(.locked, "the backup was tidied up meanwhile; try again", isRetryable: true)
        }
        guard naming.name(of: data) == RepositoryObject.name(of: path) else { throw damaged }
        guard let packs = try? PackIndexCodec.decode(data) else { throw damaged }
        return packs
    }

    /// All segments that the indexes know and whose packs are there.
    func segments() async throws -> SegmentStore {
        let store = SegmentStore(
            CachedRetrieval(wrapped: retrieval, limit: Self.cacheSize), naming: naming)
        let present = Set(try await retrieval.paths(in: RepositoryObject.packs))
        for index in try await indexes(leavingOutDamaged: true) {
            // What is missing is written anew by the next backup that has it.
            store.add(index.packs.filter { present.contains(RepositoryObject.pack($0.name.description)) })
        }
        store.removeOrphans()
        return store
    }

    func writeIndex(_ packs: [PackContents]) async throws -> String {
        let data = try PackIndexCodec.encode(packs)
        let path = RepositoryObject.index(naming.name(of: data))
        try await retrieval.writeChunk(data, at: path, metadata: nil)
        return path
    }
}
