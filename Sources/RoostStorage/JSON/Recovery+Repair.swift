public import Foundation
import RoostFiles
public import RoostModel

extension Recovery {
    /// Rebuilds the store from its intact files, as a new generation in a new epoch. Damaged files are not
    /// deleted but moved to a folder with the date in its name. The caller must hold the writers' lock.
    ///
    /// - Throws: `StorageError` with `.damaged` if nothing can be recovered. In that case, the store is
    ///   unchanged.
    mutating func repair() throws {
        var outcome = try inspect()
        try AtomicFile.removeLeftovers(in: folder.url, files: files)
        let aside = folder.file("damaged-\(DateText.string(from: Date()).filter(\.isNumber))")
        guard !outcome.isIntact else {
            // Only older generations may be damaged, and the store does not need them.
            if !outcome.damaged.isEmpty { try moveAway(outcome.damaged, in: aside) }
            return
        }
        guard let base = outcome.base else {
            throw StorageError(
                .damaged, "cannot repair \(folder.path): none of its generations can be read",
                remedy: .restoreBackup)
        }
        try files.createFolder(aside)
        // The folder remains empty if the repair fails, or if all damaged files are missing.
        defer { rmdir(aside.path) }
        if outcome.lost > 0 {
            // Clears the fingerprints, so the next ingest reads all sources again and restores lost entries.
            let records = outcome.state.sources.map {
                Source(id: $0.id, fingerprint: "", ingestedAt: $0.ingestedAt)
            }
            try outcome.state.apply(WriteBatch(sources: records))
        }
        outcome.state.renewEpoch()
        // Uses a number that no existing generation or journal has, so no file is overwritten.
        let number = max(folder.newestGeneration, folder.journalNumbers.last ?? 0, base) + 1
        let generation = try Generation.write(
            outcome.state, number: number, in: folder, from: outcome.contents, files: files)
        let current = folder.current
        if outcome.damaged.contains(current), let data = try StoreFolder.contents(of: current) {
            try AtomicFile.write(data, to: aside.appendingPathComponent("CURRENT"), files: files)
        }
        try AtomicFile.write(try generation.encoded(), to: current, files: files)
        CommitMark(generation: number, length: 0).write(to: folder, files)
        // The new generation is now current, so the damaged files are no longer part of the store.
        try moveAway(outcome.damaged.filter { $0 != current && $0 != folder.url }, in: aside)
        // Keeps the published copies too, because they may contain entries that the other files have lost.
        try moveAway(
            [Generation.entriesFile, Generation.clustersFile].map(folder.file), in: aside)
        for name in [Generation.entriesFile, Generation.clustersFile] {
            let target = folder.file(name)
            let source = folder.generation(number).appendingPathComponent(name)
            try AtomicFile.copy(source, to: target, files: files)
        }
        let stamp = outcome.state.stamp
        let kept = (try? FileManager.default.contentsOfDirectory(atPath: aside.path)) ?? []
        findings.append(
            .note(
                folder.path,
                "now has \(Count.text(stamp.entryCount, "entry", "entries")) at revision \(stamp.revision), "
                    + "in a new epoch"
                    + (kept.isEmpty ? "" : "; \(aside.path) contains the damaged files")))
    }

    private mutating func moveAway(_ urls: [URL], in aside: URL) throws {
        try files.createFolder(aside)
        for url in Set(urls) where FileManager.default.fileExists(atPath: url.path) {
            let name = url.path.dropFirst(folder.path.count + 1).replacingOccurrences(of: "/", with: "-")
            try files.rename(url.path, to: aside.appendingPathComponent(name).path)
            findings.append(.note(url.path, "was moved to \(aside.path)"))
        }
        try files.synchronizeFolder(aside)
        try files.synchronizeFolder(folder.url)
    }
}

extension LocalStorageProvider {
    /// Checks every byte of the files of a store, even if the store cannot be opened. Does not change any
    /// file.
    ///
    /// - Parameters:
    ///   - directory: The folder of the store.
    ///   - options: Options for opening the folder.
    /// - Returns: The findings, each with the effect that a repair would have. If the store is intact, none
    ///   of the findings is damage.
    /// - Throws: `StorageError`: `.inputOutput`, `.newerFormat`; `CancellationError`.
    public static func inspect(
        directory: URL, options: Options = Options()
    ) async throws -> [StorageFinding] {
        try await BlockingWork.run { isCancelled in
            try LocalFiles.mappingErrors {
                var recovery = Recovery(
                    folder: StoreFolder(directory), files: options.files, isCancelled: isCancelled)
                _ = try recovery.inspect()
                return recovery.findings
            }
        }
    }

    /// Rebuilds a damaged store from the newest intact generation and the journals after it, in a new epoch.
    ///
    /// Damaged files are not deleted but moved to a folder with the date in its name. If the store is intact,
    /// the method only removes temporary files that terminated processes left.
    ///
    /// - Atomicity: Readers find either the damaged store or the repaired one.
    /// - Parameters:
    ///   - directory: The folder of the store.
    ///   - options: Options for opening the folder.
    /// - Returns: The findings of the check, and the actions taken.
    /// - Throws: `StorageError`: `.locked`, `.inputOutput`, `.newerFormat`; `.damaged` if nothing can be
    ///   recovered; `CancellationError`. In both cases, the store is unchanged.
    public static func repair(
        directory: URL, options: Options = Options()
    ) async throws -> [StorageFinding] {
        try await BlockingWork.run { isCancelled in
            try LocalFiles.mappingErrors {
                let folder = StoreFolder(directory)
                let lock = try FileLock.acquire(
                    folder.lock(options), timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                var recovery = Recovery(folder: folder, files: options.files, isCancelled: isCancelled)
                try recovery.repair()
                return recovery.findings
            }
        }
    }
}
