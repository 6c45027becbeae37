public import Foundation
import RoostFiles
public import RoostModel
import RoostStorage
import RoostVectors

/// Inspects and repairs all files in a store's folder.
public struct StoreInspector: Sendable {
    /// The store's folder.
    public let directory: URL
    /// Returns the embedders that are tried to determine the embedding space if the manifest is lost.
    let embedders: @Sendable () -> [any Embedder]
    /// Returns the embedder of the store's embedding space, with which ``repair()`` computes invalid vectors
    /// again; by default, one of `embedders` is used.
    public var embedder: (@Sendable (EmbeddingSpace) throws -> any Embedder)?
    /// The settings of the store's own backup repository.
    public var backups = BackupSettings()

    /// Creates an inspector.
    ///
    /// - Parameters:
    ///   - directory: The store's folder.
    ///   - embedders: The embedders that may have computed the store's vectors, the most likely first. Called
    ///     only by ``repair()``, and only if the manifest is lost.
    public init(_ directory: URL, embedders: @escaping @Sendable () -> [any Embedder] = { [] }) {
        self.directory = directory
        self.embedders = embedders
    }

    /// Inspects the store without changing it.
    ///
    /// - Returns: The findings, with the effect that a repair has on each; none of them has the severity
    ///   `.damage` if the store is intact.
    /// - Throws: ``RoostError`` with `.noStore` or `.newerFormat`; `StorageError` if files cannot be read
    ///   for a reason other than their contents.
    @concurrent
    public func inspect() async throws -> [StorageFinding] {
        let recovered = try RecoveredManifest(in: directory)
        var findings = recovered.findings
        guard let manifest = recovered.manifest else { return findings }
        let checks = StoreChecks(configuration: StoreConfiguration(directory: directory, manifest: manifest))
        findings += try await checks.ofFiles()
        let manifestPath = StoreManifest.path(in: directory)
        guard !findings.contains(where: { $0.severity == .damage && $0.subject != manifestPath }) else {
            return findings
        }
        do {
            findings += try await checks.ofContents(isManifestIntact: recovered.isIntact)
        } catch let error as StorageError where error.code == .locked {
            findings.append(
                .note(
                    directory.path,
                    "another process is writing to the store; the contents of entries were not inspected"))
        }
        return findings
    }

    /// Checks whether a model still computes the same vectors as when the store was created.
    ///
    /// - Parameter embedder: The embedder with which the store is opened.
    /// - Returns: A finding with the severity `.damage` if the vectors differ; an empty array if they are
    ///   equal or if the model is unavailable.
    public func inspect(_ embedder: any Embedder) async -> [StorageFinding] {
        guard let manifest = try? await StoreManifest.settled(in: directory), manifest.space.probe != nil,
            let probed = try? await embedder.probedSpace(), !probed.isCompatible(with: manifest.space)
        else { return [] }
        return [
            .damage(
                StoreManifest.path(in: directory),
                "names the embedding space \(manifest.space), but the installed model of this name computes "
                    + "different vectors; re-embed the store with the installed model, or install the "
                    + "original one")
        ]
    }

    /// Repairs the manifest, the storage, assignments, invalid vectors and original files as far as
    /// possible, and removes leftover temporary files.
    ///
    /// The storage's provider repairs its own files (`LocalStorageProvider/repair(directory:options:)`,
    /// `SQLiteStorageProvider/repair(databaseURL:options:)`). No data is deleted: damaged files are moved
    /// into a folder, and if the damaged store can be read, a snapshot is first created in its own backup
    /// repository.
    ///
    /// - Returns: The findings and the actions taken.
    /// - Throws: The errors of ``inspect()``; `StorageError` with `.locked`, or with `.damaged` if nothing
    ///   can be recovered.
    @concurrent
    public func repair() async throws -> [StorageFinding] {
        try await StoreRepair(self).run()
    }

    func embedder(for space: EmbeddingSpace) throws -> any Embedder {
        if let embedder { return try embedder(space) }
        guard let found = embedders().first(where: { $0.space.isCompatible(with: space) }) else {
            throw RoostError(
                .spaceMismatch, "no embedder for \(space) is available", remedy: .installModel)
        }
        return found
    }
}

/// The checks of which the inspection of a store consists. They change no file.
struct StoreChecks {
    let configuration: StoreConfiguration

    private var directory: URL { configuration.directory }

    // MARK: Files

    /// Checks the files, without opening the storage except to read its id.
    func ofFiles() async throws -> [StorageFinding] {
        let findings = try await leftovers + identity()
        // Opening a JSON storage would create the missing folder.
        if configuration.manifest.provider == .json, !configuration.hasStorageFiles {
            return findings + [.damage(configuration.storagePath, "is missing; restore it from a copy")]
        }
        return findings + (try await configuration.inspect())
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
        func note(_ name: String, _ text: String) -> StorageFinding {
            .note(directory.appendingPathComponent(name).path, text, remedy: "removes it")
        }
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
        var findings = Self.temporaryFiles(in: directory).map {
            note($0, "is a temporary file of a process that ended unexpectedly")
        }
        findings += names.filter { $0.hasPrefix("damaged-") }
            .map { .kept(directory.appendingPathComponent($0)) }
        findings += names.filter { $0.hasPrefix("repaired-") }
            .map { note($0, "is a remnant of an interrupted repair") }
        let migration = MigrationFolder(of: directory).url.path
        if FileManager.default.fileExists(atPath: migration) {
            findings.append(
                .note(
                    migration,
                    "contains an unfinished migration to another model, which can be resumed or discarded"))
        }
        let database = StoreConfiguration.databaseURL(directory)
        if configuration.manifest.provider == .sqlite, SQLiteStorageProvider.isReplacementPending(database) {
            findings.append(
                .note(
                    database.path,
                    "a repair was interrupted; its result is used, and replaces the file as soon as the store "
                        + "is opened with permission to write"))
        }
        return findings
    }

    private func identity() async throws -> [StorageFinding] {
        let path = configuration.storagePath
        if let missing = configuration.missingStorage {
            let isOther =
                configuration.withExistingStorage.manifest.provider != configuration.manifest.provider
            return [
                .damage(
                    path, "does not belong to its manifest: \(missing)",
                    remedy: isOther ? "writes the manifest again for the provider whose files exist" : nil)
            ]
        }
        // Damage that prevents opening is reported by the check of the storage's files.
        guard configuration.hasStorage, let stamp = try? await configuration.storageStamp(),
            let mismatch = configuration.mismatch(stamp)
        else { return [] }
        return [
            .damage(
                path, "does not belong to its manifest: \(mismatch)",
                remedy: "writes the manifest again for that store, if an installed model computed its vectors"
            )
        ]
    }

    // MARK: Contents

    /// Checks entries, vectors, assignments, original files and the search index at one revision.
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
            try PassageFile(in: folder, for: stamp).map { try PassageVectors(of: $0).verify() }
        }
        check(TextFile.name) { _ = try TextFile(in: folder, for: stamp) }
        return findings
    }
}
