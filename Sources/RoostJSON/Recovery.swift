import Foundation
import RoostFiles
import RoostModel

/// Looks at the files of a store byte by byte, and puts a store together from what is whole.
///
/// A generation together with its journal is the next generation's beginning, so that a damaged generation
/// is made up for by the one before it and the journals since: as long as these are whole, nothing is lost.
/// Otherwise the newest generation is taken without the entries that are damaged.
struct Recovery {
    let directory: URL
    let files: FileSystem
    var findings: [StorageFinding] = []

    init(directory: URL, files: FileSystem) {
        self.directory = directory
        self.files = files
    }

    /// What can be had, and from what.
    struct Outcome {
        var state = StoreState()
        var contents: GenerationContents?
        /// The generation that it begins with.
        var base: Int?
        /// The files and folders that are not as they were written.
        var damaged: [URL] = []
        /// How many entries cannot be had.
        var lost = 0
        /// Whether the store is what it should be, without a repair.
        var isWhole = true
    }

    /// A generation that can be opened.
    private struct Candidate {
        var number: Int
        var state: StoreState
        var contents: GenerationContents?
        var damagedEntries: [Int] = []
        /// The store would begin anew with it: only its text could be read.
        var isTextOnly = false
    }

    private static let remedy = "sets it aside and goes on from what is whole"

    /// Checks every byte.
    mutating func inspect() throws -> Outcome {
        // Before the journals: a commit meanwhile makes them longer than the mark, never shorter.
        let mark = CommitMark.read(directory)
        let currentURL = LocalFiles.currentURL(directory)
        var outcome = Outcome()
        var standing: Generation?
        if let current = try LocalFiles.contents(of: currentURL) {
            do {
                standing = try Generation.decoded(current, path: currentURL.path)
            } catch is Generation.OldFormat {
                return try inspectOldFormat(outcome)
            } catch let error as StorageError where error.code == .damaged {
                damage(currentURL, "is not as it was written", &outcome)
            }
        } else if LocalFiles.hasHistory(directory) {
            damage(currentURL, "is missing", &outcome)
        } else {
            do {
                outcome.state = try BareFolder.read(directory)
            } catch let error as StorageError where error.code == .damaged {
                damage(directory.appendingPathComponent(Generation.entriesFile), error.message, &outcome)
            }
            return outcome
        }
        noteLeftovers(standing)
        let candidates = try candidates(standing, &outcome)
        let journals = try journals(standing, mark, candidates.map(\.number).min(), &outcome)
        try choose(candidates, journals, standing, &outcome)
        return outcome
    }

    private mutating func inspectOldFormat(_ outcome: Outcome) throws -> Outcome {
        var outcome = outcome
        findings.append(.note(directory.path, "is of format 1; the next commit writes the present one"))
        do {
            outcome.state = try LocalFiles(directory: directory, options: .init()).withLoaded { $0.state }
        } catch let error as StorageError where error.code == .damaged {
            damage(directory, error.message, &outcome)
            let candidates = LocalFiles.generationNumbers(directory).reversed().compactMap(textOnly)
            try choose(candidates, [:], nil, &outcome)
        }
        return outcome
    }

    private mutating func damage(_ url: URL, _ message: String, _ outcome: inout Outcome) {
        findings.append(.damage(url.path, message, remedy: Self.remedy))
        outcome.damaged.append(url)
        outcome.isWhole = false
    }

    /// The generations that can be opened, the newest first.
    private mutating func candidates(
        _ standing: Generation?, _ outcome: inout Outcome
    ) throws -> [Candidate] {
        let numbers = LocalFiles.generationNumbers(directory)
        let newest = standing?.number ?? numbers.last ?? 0
        var candidates: [Candidate] = []
        for number in numbers.reversed() where number <= newest {
            let folder = Generation.folder(number, in: directory)
            let before = findings.count
            var candidate: Candidate?
            if let generation = number == standing?.number ? standing : record(of: number) {
                candidate = try check(generation, folder)
            } else if hasRecord(folder) {
                findings.append(
                    .damage(folder.path, "has a record that is not as it was written", remedy: Self.remedy))
            } else {
                findings.append(.note(folder.path, "was never finished, or not wholly removed"))
            }
            guard findings[before...].contains(where: { $0.severity == .damage }) else {
                if let candidate { candidates.append(candidate) }
                continue
            }
            if number != newest, !hasRecord(folder) {
                // A writer is removing it meanwhile.
                findings.removeSubrange(before...)
                continue
            }
            if let candidate { candidates.append(candidate) }
            outcome.damaged.append(folder)
            // An older one is only there to fall back on.
            if number == newest { outcome.isWhole = false }
        }
        if let standing, !numbers.contains(standing.number) {
            damage(Generation.folder(standing.number, in: directory), "is missing", &outcome)
        }
        return candidates
    }

    private func hasRecord(_ folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(Generation.recordFile).path)
    }

    private func record(of number: Int) -> Generation? {
        let url = Generation.folder(number, in: directory).appendingPathComponent(Generation.recordFile)
        guard let data = try? LocalFiles.contents(of: url) else { return nil }
        return try? Generation.decoded(data, path: url.path)
    }

    /// - Throws: ``FileError`` where a file cannot be read for a reason that is not in it.
    private mutating func check(_ generation: Generation, _ folder: URL) throws -> Candidate? {
        let clusters = folder.appendingPathComponent(Generation.clustersFile)
        let bytes = try LocalFiles.contents(of: clusters)
        if bytes?.count != generation.clusters.size
            || bytes.map({ Checksum.hexadecimal($0) }) != generation.clusters.sha256
        {
            // It is for people; the sidecar has what counts.
            findings.append(
                .damage(clusters.path, "is not as it was written; no answer is read from it"))
        }
        do {
            let (state, contents) = try generation.open(in: directory)
            let (damaged, isFrameWhole) = try contents.verify()
            let url = folder.appendingPathComponent(Generation.entriesFile)
            if !isFrameWhole {
                findings.append(
                    .damage(
                        url.path, "is not as it was written between the entries", remedy: Self.remedy))
            }
            if !damaged.isEmpty {
                findings.append(
                    .damage(
                        url.path,
                        "\(damaged.count) of \(contents.count) entries are not as they were written",
                        remedy: Self.remedy))
            }
            var candidate = Candidate(
                number: generation.number, state: state, contents: contents, damagedEntries: damaged)
            // The copy for people may be whole where the file is not.
            let copy = directory.appendingPathComponent(Generation.entriesFile)
            if !damaged.isEmpty, let (other, text) = try? generation.open(in: directory, text: copy) {
                if let left = try? text.verify().damaged, left.count < damaged.count {
                    candidate.state = other
                    candidate.contents = text
                    candidate.damagedEntries = left
                    findings.append(
                        .note(copy.path, "has \(damaged.count - left.count) of them as they were"))
                }
            }
            return candidate
        } catch let error as StorageError where error.code == .damaged {
            findings.append(.damage(folder.path, error.message))
        } catch let error as FileError where error.isMissing {
            findings.append(.damage(error.path, "is missing"))
        }
        return textOnly(generation.number)
    }

    /// A generation of which only the text can be read: a store begins anew with it.
    private func textOnly(_ number: Int) -> Candidate? {
        let folder = Generation.folder(number, in: directory)
        guard
            FileManager.default.fileExists(
                atPath: folder.appendingPathComponent(Generation.entriesFile).path),
            let state = try? BareFolder.read(folder)
        else { return nil }
        return Candidate(number: number, state: state, isTextOnly: true)
    }

    /// What the journals say, by the number of their generation.
    private mutating func journals(
        _ standing: Generation?, _ mark: CommitMark?, _ oldest: Int?, _ outcome: inout Outcome
    ) throws -> [Int: Journal.Contents] {
        var journals: [Int: Journal.Contents] = [:]
        for number in journalNumbers() {
            let url = Generation.journal(number, in: directory)
            guard let data = try LocalFiles.contents(of: url) else { continue }
            let contents = data.withUnsafeBytes { Journal.read($0) }
            journals[number] = contents
            if let place = contents.damage {
                findings.append(
                    .damage(
                        url.path, "is not as it was written from byte \(place) on", remedy: Self.remedy))
                outcome.damaged.append(url)
                if number >= standing?.number ?? 0 { outcome.isWhole = false }
            } else if contents.tail > 0, standing?.number == number {
                findings.append(
                    .note(
                        url.path, "ends with \(contents.tail) bytes of a commit that was never finished",
                        remedy: "is not needed: the next commit sets them aside"))
            }
        }
        if let mark, mark.generation == standing?.number {
            let url = Generation.journal(mark.generation, in: directory)
            let length = journals[mark.generation]?.length ?? 0
            if journals[mark.generation] == nil, mark.length > 0 {
                damage(url, "is missing", &outcome)
            } else if mark.length > length {
                damage(url, "ends \(mark.length - length) bytes before its last commit", &outcome)
            }
        }
        return journals
    }

    /// Takes the candidate that, with the journals from it on, comes nearest to the last commit.
    private mutating func choose(
        _ candidates: [Candidate], _ journals: [Int: Journal.Contents], _ standing: Generation?,
        _ outcome: inout Outcome
    ) throws {
        var best: (outcome: Outcome, revision: Revision, lost: Int)?
        for candidate in candidates where !candidate.isTextOnly {
            var trial = outcome
            trial.state = candidate.state
            trial.contents = candidate.contents
            trial.base = candidate.number
            let missing = trial.state.forgetUnreadable(candidate.damagedEntries)
            let removed = replay(journals, from: candidate.number, lacking: missing, &trial.state)
            let revision = trial.state.stamp.revision
            // What replaced or removed a damaged entry since has made up for it.
            let lost = try missing.count { try !removed.contains($0) && trial.state.entry($0) == nil }
            // Whole entries first: a store of before without losses is better than a later one with some,
            // unless it misses commits.
            if let best, (revision, -lost) <= (best.revision, -best.lost) { continue }
            best = (trial, revision, lost)
        }
        if best == nil, let candidate = candidates.first(where: \.isTextOnly) {
            outcome.state = candidate.state
            outcome.base = candidate.number
            outcome.isWhole = false
            findings.append(
                .damage(
                    Generation.folder(candidate.number, in: directory).path,
                    "only its texts can be read: sources, changes and assignments are lost"))
            return
        }
        guard let best else { return }
        outcome = best.outcome
        outcome.lost = best.lost
        if best.lost > 0 { findings.append(.damage(directory.path, "\(best.lost) entries are lost")) }
        guard !outcome.isWhole, let base = outcome.base else { return }
        let last = journals.flatMap { $0.value.records.map(\.revision) }.max()
        let known = max(standing?.revision ?? .zero, last ?? .zero)
        findings.append(
            best.revision >= known
                ? .note(directory.path, "can be put together again from generation \(base)")
                : .damage(directory.path, "the commits after revision \(best.revision) are lost"))
    }

    /// Applies the journals from a generation on, as far as each follows from the one before.
    ///
    /// - Parameter missing: entries that the state should have and does not: a commit that does nothing but
    ///   remove one still counts.
    /// - Returns: what of these the journals remove.
    private func replay(
        _ journals: [Int: Journal.Contents], from base: Int, lacking missing: Set<Entry.ID>,
        _ state: inout StoreState
    ) -> Set<Entry.ID> {
        var removed = Set<Entry.ID>()
        for (number, contents) in journals.sorted(by: { $0.key < $1.key }) where number >= base {
            for (revision, record) in contents.records where revision > state.stamp.revision {
                let gone = missing.intersection(record.batch?.removals ?? [])
                var next = state
                let path = Generation.journal(number, in: directory).path
                if (try? LocalFiles.apply(record, revision, &next, path)) == nil {
                    guard !gone.isEmpty, revision == state.stamp.revision.next else { return removed }
                    next = state
                    next.advance(to: revision)
                }
                removed.formUnion(gone)
                state = next
            }
        }
        return removed
    }

    func journalNumbers() -> [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.map(Generation.number(ofJournal:)).filter { $0 > 0 }.sorted()
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
                        remedy: "is not needed: the next fold takes its place"))
            }
        }
    }
}
