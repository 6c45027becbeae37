public import Foundation
import RoostBackups
import RoostChunks
import RoostFiles
public import RoostModel
import RoostVectors

/// Looks at everything that a store's folder has, and mends what can be mended.
public struct StoreInspection: Sendable {
    public let directory: URL
    /// Embedders that a lost manifest's space is looked for among.
    private let embedders: @Sendable () -> [any Embedder]
    /// The passphrase of the store's own backups, where they have one.
    public var passphrase: String?

    /// - Parameter embedders: what the store may have been made with, the likeliest first; asked only where
    ///   the manifest is lost.
    public init(_ directory: URL, embedders: @escaping @Sendable () -> [any Embedder] = { [] }) {
        self.directory = directory
        self.embedders = embedders
    }

    /// Reads only.
    ///
    /// - Returns: what was found, with what a repair would do; no damage where the store is whole.
    /// - Throws: ``RoostError``: `.noStore`, `.newerFormat`; ``StorageError`` where files cannot be read for
    ///   a reason that is not in them.
    public func inspect() async throws -> [StorageFinding] {
        var findings: [StorageFinding] = []
        let (manifest, isManifestWhole) = try readManifest(&findings)
        guard let manifest else { return findings }
        let configuration = StoreConfiguration(directory: directory, manifest: manifest)
        noteLock(&findings)
        noteLeftovers(&findings)
        if manifest.provider == .json, !exists(StoreConfiguration.storageURL(directory)) {
            findings.append(
                .damage(
                    StoreConfiguration.storageURL(directory).path, "is missing; put back a copy of it"))
            return findings
        }
        findings += try await configuration.inspect()
        guard !findings.contains(where: { $0.severity == .damage && $0.subject != manifestPath }) else {
            return findings
        }
        guard try configuration.isOfPresentFormat() else {
            findings.append(
                .note(
                    directory.path, "what the entries hold is looked at when the store has the present format"
                ))
            return findings
        }
        do {
            findings += try await contentFindings(configuration, isManifestWhole ? manifest.space : nil)
        } catch let error as StorageError where error.code == .locked {
            findings.append(
                .note(directory.path, "is being written to; what the entries hold was not looked at"))
        }
        return findings
    }

    /// The index is derived: damage to it is none to the store.
    private func noteIndex(_ stamp: Stamp, _ findings: inout [StorageFinding]) {
        let folder = IndexFolder(of: directory)
        func note(_ name: String, _ look: () throws -> Void) {
            do { try look() } catch {
                findings.append(
                    .note(
                        folder.file(name).path, "is not used: \(error)",
                        remedy: "leaves it; `roost index build` writes it anew"))
            }
        }
        note(PassageFile.name) {
            let file = try PassageFile(in: directory, for: stamp)
            try file?.vectors.verify()
            try file?.graph()?.verify()
        }
        note(TextFile.name) { try TextFile(in: directory, for: stamp)?.verifyPositions() }
    }

    private func contentFindings(
        _ configuration: StoreConfiguration, _ space: EmbeddingSpace?
    ) async throws -> [StorageFinding] {
        let storage = try await configuration.open(isForLooking: true)
        do {
            let snapshot = try await storage.snapshot()
            let space = try space.map { _ in
                // Of a move that was made and not written down yet.
                try StoreManifest.read(in: directory).space(inEpoch: snapshot.stamp.epoch)
            }
            var findings = try await snapshot.inspectContents(space: space)
            for (path, reason) in try await OriginalStore(of: directory).damaged() {
                findings.append(
                    .damage(
                        path, "a kept document is damaged: \(reason)",
                        remedy: "sets it aside; `roost ingest --keep-originals` of the file keeps it again"))
            }
            noteIndex(snapshot.stamp, &findings)
            try await storage.close()
            return findings
        } catch {
            try? await storage.close()
            throw error
        }
    }

    /// Whether a model still gives the vectors that the store's were made with.
    ///
    /// - Parameter embedder: the one that the store is opened with.
    /// - Returns: damage where it gives others; nothing where it cannot be asked.
    public func inspect(_ embedder: any Embedder) async -> [StorageFinding] {
        guard let manifest = try? await StoreManifest.settled(in: directory), manifest.space.probe != nil,
            let probed = try? await embedder.probedSpace(), !probed.isCompatible(with: manifest.space)
        else { return [] }
        return [
            .damage(
                manifestPath,
                "says that vectors are of \(manifest.space), which the model that is installed by that name "
                    + "does not give: `roost reembed` moves the store to it, or install the old one")
        ]
    }

    private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    /// Half-written files of processes that died, in the store's own folder.
    private var leftovers: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let database = StoreConfiguration.databaseURL(directory).lastPathComponent
        return AtomicFile.leftovers(in: directory)
            + names.filter { $0.hasPrefix(database + ".") && $0.hasSuffix(".tmp") }
    }

    private func noteLeftovers(_ findings: inout [StorageFinding]) {
        for name in leftovers {
            findings.append(
                .note(
                    directory.appendingPathComponent(name).path, "was left by a process that died",
                    remedy: "removes it"))
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names.sorted() where name.hasPrefix("repaired-") || name.hasPrefix("damaged-") {
            findings.append(.note(directory.appendingPathComponent(name).path, "is of an earlier repair"))
        }
        if names.contains(StoreReembedding.folder(directory).lastPathComponent) {
            findings.append(
                .note(
                    StoreReembedding.folder(directory).path,
                    "is of a move to another model that was not finished: `roost reembed` goes on with it, "
                        + "or gives it up with --discard"))
        }
        if names.contains("migration.json") {
            findings.append(
                .note(
                    directory.appendingPathComponent("migration.json").path,
                    "is of a move that was not finished"))
        }
    }

    /// Mends what can be mended: the manifest, and the storage as its provider does
    /// (``LocalStorageProvider/repair(directory:options:)``,
    /// ``SQLiteStorageProvider/repair(databaseURL:options:)``). Nothing is deleted; where the store can be
    /// read, damaged as it is, a snapshot is made in its own backups first.
    ///
    /// - Returns: what was found and done.
    /// - Throws: as ``inspect()``, and ``StorageError``: `.locked`, `.damaged` where nothing can be had.
    public func repair() async throws -> [StorageFinding] {
        var findings: [StorageFinding] = []
        let (manifest, isManifestWhole) = try readManifest(&findings)
        guard let manifest else { return findings }
        // A repair begins a new history, from which it could no longer be told whether a move was made: what
        // cannot be told before is found out from the vectors after.
        var isSpaceKnown = isManifestWhole
        if isManifestWhole, manifest.move != nil {
            _ = try? await StoreManifest.settled(in: directory)
            isSpaceKnown = (try? StoreManifest.read(in: directory).move == nil) ?? false
        }
        let configuration = StoreConfiguration(directory: directory, manifest: manifest)
        findings += await backUpFirst()
        if manifest.provider == .json, !exists(StoreConfiguration.storageURL(directory)) {
            throw StorageError(
                .damaged, "\(StoreConfiguration.storageURL(directory).path) is missing; put back a copy of it"
            )
        }
        findings += try await configuration.repair()
        if !isSpaceKnown { findings.append(try await writeManifest(manifest, configuration)) }
        findings += try await mendContents(configuration)
        findings += try await setDocumentsAside()
        try removeLeftovers(configuration)
        return findings
    }

    /// What is mended was damaged, and what was damaged is set aside: the backup is one thing more.
    private func backUpFirst() async -> [StorageFinding] {
        guard let found = try? await inspect(), found.contains(where: { $0.severity == .damage }) else {
            return []
        }
        do {
            let report = try await StoreBackup(directory)
                .createAutomatically(passphrase: passphrase, forgetsOld: false)
            return report.map {
                [
                    .note(
                        directory.path,
                        "as it was is in its backups, as snapshot \($0.snapshot.id.prefix(8))")
                ]
            } ?? []
        } catch {
            return [
                .note(
                    directory.path,
                    "has no backup as it was (\(error)); what is damaged is set aside")
            ]
        }
    }

    /// Takes assignments away that name clusters that are not there.
    private func mendContents(_ configuration: StoreConfiguration) async throws -> [StorageFinding] {
        let storage = try await configuration.open()
        let loose: [Assignment]
        do {
            let snapshot = try await storage.snapshot()
            let known = Set(try await snapshot.clusters().map(\.id))
            loose = try await snapshot.assignments(of: nil).filter { $0.cluster.map(known.contains) == false }
            if !loose.isEmpty { _ = try await storage.commit(WriteBatch(unassignments: loose.map(\.entry))) }
        } catch {
            try? await storage.close()
            throw error
        }
        try await storage.close()
        guard !loose.isEmpty else { return [] }
        return [.note("assignments", "\(loose.count) that named clusters that are not there were taken away")]
    }

    private func removeLeftovers(_ configuration: StoreConfiguration) throws {
        do {
            // Under the writers' lock nobody else can be in the middle of one.
            let lock = try FileLock.acquire(StoreConfiguration.lockURL(directory), timeout: 5)
            defer { lock.release() }
            for name in leftovers {
                try FileSystem.standard.unlink(directory.appendingPathComponent(name).path)
            }
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        } catch is LockTimeout {
            // Another time.
        }
    }

    /// Kept documents that are not what they were.
    private func setDocumentsAside() async throws -> [StorageFinding] {
        let damaged = try await OriginalStore(of: directory).damaged()
        guard !damaged.isEmpty else { return [] }
        let aside = folderForDamaged
        do {
            try FileSystem.standard.createFolder(aside)
            for (path, _) in damaged {
                let name = "document-\(path.split(separator: "/").suffix(3).joined())"
                try FileSystem.standard.rename(path, to: aside.appendingPathComponent(name).path)
            }
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
        return damaged.map { .note($0.path, "was moved into \(aside.path)") }
    }

    private var folderForDamaged: URL {
        directory.appendingPathComponent("damaged-\(DateText.string(from: Date()).filter(\.isNumber))")
    }

    private func setManifestAside() throws {
        guard let data = FileManager.default.contents(atPath: manifestPath) else { return }
        let aside = folderForDamaged
        do {
            try FileSystem.standard.createFolder(aside)
            try AtomicFile.write(data, to: aside.appendingPathComponent(StoreManifest.fileName))
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
    }

    private var manifestPath: String { directory.appendingPathComponent(StoreManifest.fileName).path }

    /// The manifest, or as much of one as the files beside it tell.
    private func readManifest(
        _ findings: inout [StorageFinding]
    ) throws -> (StoreManifest?, isWhole: Bool) {
        do {
            return (try StoreManifest.read(in: directory), true)
        } catch let error as RoostError where [.damagedManifest, .noStore].contains(error.code) {
            let manager = FileManager.default
            let provider: StoreManifest.Provider
            if manager.fileExists(atPath: StoreConfiguration.databaseURL(directory).path) {
                provider = .sqlite
            } else if manager.fileExists(atPath: StoreConfiguration.storageURL(directory).path) {
                provider = .json
            } else if error.code == .damagedManifest {
                findings.append(.damage(manifestPath, "is damaged, and there are no entries beside it"))
                return (nil, false)
            } else {
                throw error
            }
            findings.append(
                .damage(
                    manifestPath, error.code == .noStore ? "is missing" : "is not as it was written",
                    remedy: "looks which installed model the vectors are of, and writes it anew"))
            return (StoreManifest(provider: provider, space: LexicalEmbedder().space), false)
        }
    }

    private func noteLock(_ findings: inout [StorageFinding]) {
        let url = StoreConfiguration.lockURL(directory)
        guard let lock = try? FileLock.shared(url) else {
            if let text = FileManager.default.contents(atPath: url.path) {
                let holder = String(decoding: text.prefix(200), as: UTF8.self)
                findings.append(
                    .note(url.path, "is held by \(holder.trimmingCharacters(in: .whitespacesAndNewlines))"))
            }
            return
        }
        lock.release()
    }

    /// Finds the embedder that gives a stored text the vector that it has.
    private func writeManifest(
        _ manifest: StoreManifest, _ configuration: StoreConfiguration
    ) async throws -> StorageFinding {
        let storage = try await configuration.open()
        let snapshot = try await storage.snapshot()
        let samples = try await snapshot.entries(after: nil, limit: 100, matching: .all).entries
            .filter { !$0.embeddings.isEmpty && !$0.content.allSatisfy(\.isWhitespace) }.prefix(5)
        try await storage.close()
        var best: (space: EmbeddingSpace, cosine: Float)?
        // The same model in less precision comes near: the nearest counts, not the first.
        for embedder in embedders() {
            guard let cosine = await Self.agreement(of: embedder, with: samples), cosine > 0.998,
                cosine > best?.cosine ?? 0
            else { continue }
            best = (embedder.space, cosine)
        }
        if let best {
            var found = manifest
            found.space = best.space
            found.move = nil
            try setManifestAside()
            try found.write(in: directory)
            return .note(
                manifestPath,
                "was written anew: the vectors are of \(best.space); a limit of its size is lost")
        }
        return .damage(
            manifestPath,
            samples.isEmpty
                ? "cannot be written anew: there is no entry with a vector to compare with"
                : "cannot be written anew: no installed model gives the vectors that are there; install the "
                    + "model with `roost model add DIR` first")
    }

    /// The mean cosine of an embedder's vectors with those that entries have; `nil` where it is not known.
    private static func agreement(
        of embedder: any Embedder, with samples: some Collection<Entry>
    ) async -> Float? {
        var sum: Float = 0
        for sample in samples {
            guard let passage = sample.searchablePassages.first, let text = sample.text(of: passage),
                embedder.space.dimension == passage.vector.count,
                let vector = try? await embedder.embed(text, as: .document)
            else { return nil }
            sum += innerProduct(normalized(vector), passage.vector)
        }
        return samples.isEmpty ? nil : sum / Float(samples.count)
    }
}
