import Foundation
import RoostBackups
import RoostFiles
import RoostModel

/// Repairs a store in several steps, each of which reports what it did.
struct StoreRepair {
    private let directory: URL
    private let inspector: StoreInspector

    /// How long to wait for the writers' lock, in seconds. If the wait fails, temporary files are not
    /// removed.
    private static let lockTimeout: TimeInterval = 5

    init(_ inspector: StoreInspector) {
        self.inspector = inspector
        directory = inspector.directory
    }

    /// Runs all steps.
    func run() async throws -> [StorageFinding] {
        let recovered = try RecoveredManifest(in: directory)
        var findings = recovered.findings
        guard let manifest = recovered.manifest else { return findings }
        let isSpaceKnown = recovered.isIntact ? await settleMigration(manifest) : false
        let configuration = StoreConfiguration(directory: directory, manifest: manifest)
        findings += await backUp()
        if manifest.provider == .json, !configuration.hasStorageFiles {
            let url = StoreConfiguration.storageURL(directory)
            throw StorageError(
                .damaged, "cannot repair the store: \(url.path) is missing; restore it from a copy")
        }
        findings += try await configuration.repair()
        if !isSpaceKnown {
            findings.append(try await recovered.restore(configuration, with: inspector.embedders()))
        }
        findings += try await removeInvalidAssignments(configuration)
        findings += try await moveDamagedOriginals()
        try removeTemporaryFiles()
        return findings
    }

    /// Resolves a prepared migration. This has to happen before the storage is repaired: the repair begins a
    /// new epoch, after which the epoch no longer shows whether the migration was committed.
    ///
    /// - Returns: Whether the embedding space of the vectors is known. If it is not, the space has to be
    ///   determined from the vectors after the repair.
    private func settleMigration(_ manifest: StoreManifest) async -> Bool {
        guard manifest.move != nil else { return true }
        _ = try? await StoreManifest.settled(in: directory)
        return (try? StoreManifest.read(in: directory).move == nil) ?? false
    }

    /// Backs up a damaged store that can still be read. If the backup fails, the repair continues, because
    /// damaged files are kept anyway.
    private func backUp() async -> [StorageFinding] {
        guard let findings = try? await inspector.inspect(),
            findings.contains(where: { $0.severity == .damage })
        else { return [] }
        do {
            let report = try await StoreBackup(directory)
                .createAutomatically(passphrase: inspector.passphrase, forgetsOld: false)
            guard let report else { return [] }
            return [
                .note(
                    directory.path,
                    "was backed up before the repair as snapshot \(report.snapshot.id.prefix(8)) of its own "
                        + "repository")
            ]
        } catch {
            return [
                .note(
                    directory.path,
                    "could not be backed up before the repair (\(error)); damaged files are kept")
            ]
        }
    }

    /// Removes assignments to clusters that do not exist.
    private func removeInvalidAssignments(
        _ configuration: StoreConfiguration
    ) async throws -> [StorageFinding] {
        let count = try await configuration.withStorage { storage in
            let snapshot = try await storage.snapshot()
            let known = Set(try await snapshot.clusters().map(\.id))
            let invalid = try await snapshot.assignments(of: nil)
                .filter { $0.cluster.map(known.contains) == false }.map(\.entry)
            if !invalid.isEmpty { _ = try await storage.commit(WriteBatch(unassignments: invalid)) }
            return invalid.count
        }
        return count == 0 ? [] : [.note("assignments", "\(count) to missing clusters were removed")]
    }

    /// Moves original documents that do not match their digests into a folder for damaged files.
    private func moveDamagedOriginals() async throws -> [StorageFinding] {
        let damaged = try await OriginalStore(of: directory).damaged()
        guard !damaged.isEmpty else { return [] }
        let target = Self.folderForDamagedFiles(in: directory)
        try StorageError.mappingFileErrors {
            try FileSystem.standard.createFolder(target)
            for damage in damaged {
                // The last three components of the path form the digest.
                let name = "document-\(damage.path.split(separator: "/").suffix(3).joined())"
                try FileSystem.standard.rename(damage.path, to: target.appendingPathComponent(name).path)
            }
        }
        return damaged.map { .note($0.path, "was moved to \(target.path)") }
    }

    private func removeTemporaryFiles() throws {
        do {
            // No other process can be writing a temporary file while this one holds the writers' lock.
            let lock = try FileLock.acquire(
                StoreConfiguration.lockURL(directory), timeout: Self.lockTimeout)
            defer { lock.release() }
            for name in LeftoverCheck.temporaryFiles(in: directory) {
                try FileSystem.standard.unlink(directory.appendingPathComponent(name).path)
            }
        } catch is LockTimeout {
            // Temporary files that remain only take up space. The next repair removes them.
        } catch {
            throw StorageError.mapping(error)
        }
    }

    /// Returns the folder that receives damaged files, named after the current time.
    static func folderForDamagedFiles(in directory: URL) -> URL {
        directory.appendingPathComponent("damaged-\(DateText.string(from: Date()).filter(\.isNumber))")
    }
}
