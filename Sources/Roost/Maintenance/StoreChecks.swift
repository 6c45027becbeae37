import Foundation
import RoostFiles
import RoostModel
import RoostStorage
import RoostVectors

/// The checks of which the inspection of a store consists. They change no file.
struct StoreChecks {
    let configuration: StoreConfiguration

    private var directory: URL { configuration.directory }

    // MARK: Files

    /// Checks the files, without opening the storage except to read its id.
    func ofFiles() async throws -> [StorageFinding] {
        let notes = access + lockHolder + leftovers + pendingReplacement
        return try await notes + identity() + storageFiles()
    }

    private var access: [StorageFinding] {
        guard StoreConfiguration.isReadOnly(directory) else { return [] }
        return [
            .note(
                directory.path,
                "the folder is read-only: it is on a read-only file system, or the permission to write is "
                    + "missing")
        ]
    }

    /// The maximum length of a lock holder's description in bytes.
    private static let maximumHolderLength = 200

    private var lockHolder: [StorageFinding] {
        let url = StoreConfiguration.lockURL(directory)
        if let lock = try? FileLock.shared(url) {
            lock.release()
            return []
        }
        guard let data = FileManager.default.contents(atPath: url.path) else { return [] }
        let holder = String(decoding: data.prefix(Self.maximumHolderLength), as: UTF8.self)
        return [.note(url.path, "is held by \(holder.trimmingCharacters(in: .whitespacesAndNewlines))")]
    }

    /// Returns the names of partly written files in a store's folder.
    static func temporaryFiles(in directory: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let database = StoreConfiguration.databaseURL(directory).lastPathComponent
        return AtomicFile.leftovers(in: directory)
            + names.filter { $0.hasPrefix(database + ".") && $0.hasSuffix(".tmp") }
    }

    /// The files that remain from earlier repairs, or from processes that ended before their work was
    /// complete.
    private var leftovers: [StorageFinding] {
        func path(_ name: String) -> String { directory.appendingPathComponent(name).path }
        var findings: [StorageFinding] = Self.temporaryFiles(in: directory).map { name in
            .note(
                path(name), "is a temporary file of a process that ended unexpectedly", remedy: "removes it")
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names.sorted() {
            if name.hasPrefix("damaged-") {
                findings.append(.kept(directory.appendingPathComponent(name)))
            } else if name.hasPrefix("repaired-") {
                findings.append(
                    .note(path(name), "is a remnant of an interrupted repair", remedy: "removes it"))
            }
        }
        let migration = MigrationFolder(of: directory)
        if migration.exists {
            findings.append(
                .note(
                    migration.url.path,
                    "contains an unfinished migration to another model, which can be resumed or discarded"))
        }
        return findings
    }

    private var pendingReplacement: [StorageFinding] {
        let url = StoreConfiguration.databaseURL(directory)
        guard configuration.manifest.provider == .sqlite, SQLiteStorageProvider.isReplacementPending(url)
        else { return [] }
        return [
            .note(
                url.path,
                "a repair was interrupted; its result is used, and replaces the file as soon as the store is "
                    + "opened with permission to write")
        ]
    }

    /// Compares the ids of the manifest and the storage.
    private func identity() async throws -> [StorageFinding] {
        let identity = StoreIdentity(configuration: configuration)
        let path = configuration.storagePath
        if let missing = identity.missingStorage {
            let isOther =
                identity.withExistingStorage.manifest.provider != configuration.manifest.provider
            return [
                .damage(
                    path, "does not belong to its manifest: \(missing)",
                    remedy: isOther ? "writes the manifest again for the provider whose files exist" : nil)
            ]
        }
        // Damage that prevents opening is reported by the check of the storage's files.
        guard configuration.hasStorage, let stamp = try? await configuration.storageStamp(),
            let mismatch = identity.mismatch(stamp)
        else { return [] }
        return [
            .damage(
                path, "does not belong to its manifest: \(mismatch)",
                remedy: "writes the manifest again for that store, if an installed model computed its vectors"
            )
        ]
    }

    private func storageFiles() async throws -> [StorageFinding] {
        // Opening a JSON storage would create the missing folder.
        if configuration.manifest.provider == .json, !configuration.hasStorageFiles {
            return [.damage(configuration.storagePath, "is missing; restore it from a copy")]
        }
        return try await configuration.inspect()
    }

    // MARK: Contents

    /// Checks entries, vectors, assignments, original files and the search index at one revision.
    ///
    /// - Parameter isManifestIntact: Whether the manifest describes the embedding space of the vectors.
    func ofContents(isManifestIntact: Bool) async throws -> [StorageFinding] {
        try await configuration.withStorage(.inspection) { storage in
            let snapshot = try await storage.snapshot()
            // A migration to another model may be committed while the manifest still describes it as
            // prepared.
            let space =
                isManifestIntact
                ? try StoreManifest.read(in: directory).space(inEpoch: snapshot.stamp.epoch) : nil
            return try await snapshot.inspectContents(space: space) + originals() + index(at: snapshot.stamp)
        }
    }

    private func originals() async throws -> [StorageFinding] {
        let originals = OriginalStore(of: directory)
        if configuration.manifest.hasOriginals == true, !originals.exists {
            return [
                .damage(
                    originals.folder.path,
                    "is missing, and with it the original files; restore the folder from a copy or a backup",
                    remedy: "continues without them; an original file is stored again when the file is "
                        + "ingested with its original")
            ]
        }
        return try await originals.damaged().map { damage in
            .damage(
                damage.path, "is a damaged original file: \(damage.reason)",
                remedy: "moves it aside; it is stored again when the file is ingested with its original")
        }
    }

    /// Verifies the search index. It is derived data, so damage to it is not damage to the store.
    private func index(at stamp: Stamp) -> [StorageFinding] {
        let folder = IndexFolder(of: directory)
        var findings: [StorageFinding] = []
        func check(_ name: String, _ body: () throws -> Void) {
            do {
                try body()
            } catch {
                findings.append(
                    .note(
                        folder.file(name).path, "is not used: \(error)",
                        remedy: "does not change it; rebuild the index to replace it"))
            }
        }
        check(PassageFile.name) {
            let file = try PassageFile(in: directory, for: stamp)
            try file?.vectors.verify()
            try file?.graph()?.verify()
        }
        check(TextFile.name) { _ = try TextFile(in: directory, for: stamp) }
        return findings
    }
}
