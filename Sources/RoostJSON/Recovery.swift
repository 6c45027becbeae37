public import Foundation
import RoostFiles
public import RoostModel

/// Looks at the files of a store byte by byte, and puts a store together from what is whole.
///
/// A generation together with its journal is the next generation's beginning, so that a damaged generation
/// is made up for by the one before it and the journals since: as long as these are whole, nothing is lost.
struct Recovery {
    let directory: URL
    let files: FileSystem
    private(set) var findings: [StorageFinding] = []

    init(directory: URL, files: FileSystem) {
        self.directory = directory
        self.files = files
    }

    /// What can be had, and from what.
    struct Outcome {
        var state: StoreState
        var contents: GenerationContents?
        /// The generation that it begins with; `nil` for an empty store.
        var base: Int?
        /// The files that are not as they were written.
        var damaged: [URL] = []
        /// Whether the store is what it should be, without a repair.
        var isWhole: Bool
    }

    // MARK: Inspection

    /// Checks every byte.
    mutating func inspect() throws -> Outcome {
        let currentURL = LocalFiles.currentURL(directory)
        var outcome = Outcome(state: StoreState(), isWhole: true)
        let numbers = LocalFiles.generationNumbers(directory)
        var standing: Generation?
        if let current = try LocalFiles.contents(of: currentURL) {
            do {
                standing = try Generation.decoded(current, path: currentURL.path)
            } catch is Generation.OldFormat {
                findings.append(
                    .note(directory.path, "is of format 1; the next commit writes the present one"))
                outcome.state = try LocalFiles(directory: directory, options: .init()).withLoaded { $0.state }
                return outcome
            } catch let error as StorageError where error.code == .damaged {
                damage(currentURL, "is not as it was written", &outcome)
            }
        } else if LocalFiles.hasHistory(directory) {
            damage(currentURL, "is missing", &outcome)
        } else {
            outcome.state = try BareFolder.read(directory)
            return outcome
        }
        noteLeftovers(standing)
        try findBase(standing?.number ?? numbers.last ?? 0, standing, &outcome)
        try replayJournals(standing, &outcome)
        return outcome
    }

    private mutating func damage(_ url: URL, _ message: String, _ outcome: inout Outcome) {
        findings.append(.damage(url.path, message))
        outcome.damaged.append(url)
        outcome.isWhole = false
    }

    /// Takes the newest generation of which every byte is as it was written.
    private mutating func findBase(
        _ newest: Int, _ standing: Generation?, _ outcome: inout Outcome
    ) throws {
        for number in LocalFiles.generationNumbers(directory).reversed() where number <= newest {
            let folder = Generation.folder(number, in: directory)
            guard let generation = number == standing?.number ? standing : record(of: number) else {
                let url = folder.appendingPathComponent(Generation.recordFile)
                if outcome.base == nil {
                    damage(url, "is not as it was written", &outcome)
                } else {
                    findings.append(.damage(url.path, "is not as it was written"))
                }
                continue
            }
            if outcome.base != nil {
                // An earlier one: only there to fall back on.
                var earlier = Outcome(state: StoreState(), isWhole: true)
                _ = check(generation, folder, &earlier)
            } else if let whole = check(generation, folder, &outcome) {
                (outcome.state, outcome.contents) = whole
                outcome.base = number
            }
        }
        if outcome.base == nil { outcome.isWhole = false }
    }

    private func record(of number: Int) -> Generation? {
        let url = Generation.folder(number, in: directory).appendingPathComponent(Generation.recordFile)
        guard let data = try? LocalFiles.contents(of: url) else { return nil }
        return try? Generation.decoded(data, path: url.path)
    }

    private mutating func check(
        _ generation: Generation, _ folder: URL, _ outcome: inout Outcome
    ) -> (StoreState, GenerationContents)? {
        let clusters = folder.appendingPathComponent(Generation.clustersFile)
        let bytes = try? LocalFiles.contents(of: clusters)
        if bytes?.count != generation.clusters.size
            || bytes.map({ Checksum.hexadecimal($0) }) != generation.clusters.sha256
        {
            // It is for people; the sidecar has what counts.
            damage(clusters, "is not as it was written; no answer is read from it", &outcome)
        }
        do {
            let (state, contents) = try generation.open(in: directory)
            let (damaged, isFrameWhole) = contents.verify()
            let url = folder.appendingPathComponent(Generation.entriesFile)
            if !isFrameWhole { damage(url, "is not as it was written between the entries", &outcome) }
            guard damaged.isEmpty else {
                damage(
                    url, "\(damaged.count) of \(contents.count) entries are not as they were written",
                    &outcome)
                return nil
            }
            return (state, contents)
        } catch {
            damage(folder, "\(error)", &outcome)
            return nil
        }
    }

    /// Applies the journals from the base on, as far as each follows from the one before.
    private mutating func replayJournals(_ standing: Generation?, _ outcome: inout Outcome) throws {
        let numbers = journalNumbers()
        guard let base = outcome.base else {
            for number in numbers { outcome.damaged.append(Generation.journal(number, in: directory)) }
            return
        }
        for number in numbers {
            let url = Generation.journal(number, in: directory)
            guard let data = try LocalFiles.contents(of: url) else { continue }
            let contents = data.withUnsafeBytes { Journal.read($0) }
            var lost = 0
            for (revision, record) in contents.records where revision > outcome.state.stamp.revision {
                do {
                    try LocalFiles.apply(record, revision, &outcome.state, url.path)
                } catch {
                    lost += 1
                }
            }
            if lost > 0 { damage(url, "\(lost) commits do not follow from what is left", &outcome) }
            if let place = contents.damage {
                let isEarlier = number < base
                let message = "is not as it was written from byte \(place) on"
                if isEarlier {
                    findings.append(.damage(url.path, message))
                } else {
                    damage(url, message, &outcome)
                }
            } else if contents.tail > 0, standing?.number == number {
                findings.append(
                    .note(
                        url.path, "ends with \(contents.tail) bytes of a commit that was never finished",
                        remedy: "is not needed: the next commit sets them aside"))
            }
            if let mark = CommitMark.read(directory), mark.generation == number, mark.length > contents.length
            {
                damage(url, "ends \(mark.length - contents.length) bytes before its last commit", &outcome)
            }
        }
        if let standing, outcome.base == standing.number { return }
        guard let standing else { return }
        findings.append(
            outcome.state.stamp.revision >= standing.revision
                ? .note(
                    directory.path,
                    "generation \(standing.number) can be put together again from generation \(base)")
                : .damage(
                    directory.path,
                    "the commits after revision \(outcome.state.stamp.revision) are lost"
                ))
    }

    private func journalNumbers() -> [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.filter { $0.hasPrefix("journal-") && $0.hasSuffix(".jsonl") }
            .compactMap { Int($0.dropFirst(8).dropLast(6)) }.sorted()
    }

    private mutating func noteLeftovers(_ standing: Generation?) {
        for name in AtomicFile.leftovers(in: directory) {
            findings.append(
                .note(
                    directory.appendingPathComponent(name).path, "was left by a process that died",
                    remedy: "removes it"))
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names.sorted() where name.hasPrefix("unfinished-") || name.hasPrefix("damaged-") {
            findings.append(.note(directory.appendingPathComponent(name).path, "was set aside"))
        }
        if let standing {
            for number in LocalFiles.generationNumbers(directory) where number > standing.number {
                findings.append(
                    .note(
                        Generation.folder(number, in: directory).path, "was never finished",
                        remedy: "removes it"))
            }
        }
    }

    // MARK: Repair

    /// Puts the store together from what is whole, as a new generation of a new epoch. What is damaged is
    /// moved into a folder with the date in its name; nothing is deleted.
    ///
    /// The writers' lock must be held.
    mutating func repair() throws {
        var outcome = try inspect()
        try AtomicFile.removeLeftovers(in: directory, files: files)
        guard !outcome.isWhole else { return }
        let aside = directory.appendingPathComponent("damaged-\(SetAside.timestamp())")
        try files.createFolder(aside)
        outcome.state.renewEpoch()
        // What was there is numbered on, so that no name is used twice.
        let number = max(LocalFiles.newestGeneration(directory), journalNumbers().last ?? 0) + 1
        let generation = try Generation.write(
            outcome.state, number: number, in: directory, from: outcome.contents, files: files)
        for url in outcome.damaged where FileManager.default.fileExists(atPath: url.path) {
            let name = url.path.dropFirst(directory.path.count + 1).replacingOccurrences(of: "/", with: "-")
            if url == LocalFiles.currentURL(directory) {
                guard let data = try LocalFiles.contents(of: url) else { continue }
                try AtomicFile.write(data, to: aside.appendingPathComponent(name), files: files)
            } else {
                try files.rename(url.path, to: aside.appendingPathComponent(name).path)
            }
        }
        try AtomicFile.write(try generation.encoded(), to: LocalFiles.currentURL(directory), files: files)
        CommitMark(generation: number, length: 0).write(directory, files)
        for name in [Generation.entriesFile, Generation.clustersFile] {
            let target = directory.appendingPathComponent(name)
            let source = Generation.folder(number, in: directory).appendingPathComponent(name)
            try AtomicFile.copy(source, to: target, files: files)
        }
        findings.append(
            .note(
                directory.path,
                "now has \(outcome.state.stamp.entryCount) entries at revision "
                    + "\(outcome.state.stamp.revision) in a new epoch; what was damaged is in \(aside.path)"))
    }
}

extension LocalStorageProvider {
    /// Checks every byte of a store's files, whether it can be opened or not.
    ///
    /// - Returns: what was found, with what a repair would do; no damage where the store is whole.
    /// - Throws: ``StorageError``: `.inputOutput`, `.newerFormat`.
    public static func inspect(directory: URL, options: Options = Options()) async throws -> [StorageFinding]
    {
        try await BlockingWork.run { _ in
            try LocalFiles.translating {
                var recovery = Recovery(directory: directory, files: options.files)
                _ = try recovery.inspect()
                return recovery.findings
            }
        }
    }

    /// Puts a damaged store together from what is whole: the newest good generation and the journals since,
    /// under a new epoch. What is damaged is moved into a folder with the date in its name; nothing is
    /// deleted. A store that is whole stays as it is, less what dead processes left.
    ///
    /// - Atomicity: before the last rename the store is as it was.
    /// - Returns: what was found and done.
    /// - Throws: ``StorageError``: `.locked`, `.inputOutput`, `.newerFormat`.
    public static func repair(directory: URL, options: Options = Options()) async throws -> [StorageFinding] {
        try await BlockingWork.run { isCancelled in
            try LocalFiles.translating {
                let lockURL = options.lockURL ?? directory.appendingPathComponent("lock")
                let lock = try FileLock.acquire(
                    lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                var recovery = Recovery(directory: directory, files: options.files)
                try recovery.repair()
                return recovery.findings
            }
        }
    }
}
