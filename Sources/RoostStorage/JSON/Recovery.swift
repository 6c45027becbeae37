import Foundation
import RoostFiles
import RoostModel

/// Checks the files of a store byte by byte, and finds the best state that the intact files contain.
///
/// A generation and its journal together contain the state of the next generation. Therefore a damaged
/// generation can be replaced with an older generation and the journals from that generation on; if all of
/// these are intact, nothing is lost. Otherwise, the newest generation is used without its damaged entries.
/// Journals are used up to their first damaged commit. A generation without a valid sidecar is read from its
/// JSON files, which contain the entries and the clusters.
struct Recovery {
    let folder: StoreFolder
    let files: FileSystem
    let isCancelled: () -> Bool
    var findings: [StorageFinding] = []

    struct Outcome {
        var state = StoreState()
        var contents: GenerationContents?
        var base: Int?
        var damaged: [URL] = []
        /// The number of entries that cannot be recovered.
        var lost = 0
        var hasUnreadableCommits = false
        var isIntact = true
    }

    struct Candidate {
        var number: Int
        var state: StoreState
        /// The archived entries; `nil` if the state was read from the JSON files alone.
        var contents: GenerationContents?
        var damagedEntries: [Int] = []
    }

    static let remedy = "moves it away and continues from the intact files"

    mutating func inspect() throws -> Outcome {
        // Reads the mark before the journals. A commit between the two reads can then only make a journal
        // longer than the mark states, not shorter.
        let mark = CommitMark(in: folder)
        let currentURL = folder.current
        var outcome = Outcome()
        var current: Generation?
        let (record, hasHistory) = try folder.currentRecord()
        if let data = record {
            do {
                current = try Generation.decoded(data, path: currentURL.path)
            } catch let error as StorageError where error.code == .damaged {
                damage(currentURL, "is damaged: its checksum does not match", &outcome)
            }
        } else if hasHistory {
            damage(currentURL, "is missing", &outcome)
        } else {
            do {
                outcome.state = try ForeignFolder.read(folder.url)
            } catch let error as StorageError where error.code == .damaged {
                damage(folder.file(Generation.entriesFile), error.message, &outcome)
            }
            return outcome
        }
        noteLeftovers(current)
        let candidates = try candidates(current, &outcome)
        let journals = try journals(current, mark, &outcome)
        try choose(candidates, journals, current, &outcome)
        return outcome
    }

    mutating func damage(_ url: URL, _ message: String, _ outcome: inout Outcome) {
        findings.append(.damage(url.path, message, remedy: Self.remedy))
        outcome.damaged.append(url)
        outcome.isIntact = false
    }

    /// Chooses the candidate from which the journals lead closest to the last commit, and reports the losses.
    private mutating func choose(
        _ candidates: [Candidate], _ journals: [Int: Journal.Contents], _ current: Generation?,
        _ outcome: inout Outcome
    ) throws {
        var best: Outcome?
        for candidate in candidates {
            var trial = outcome
            trial.state = candidate.state
            trial.contents = candidate.contents
            trial.base = candidate.number
            let missing = trial.state.forgetUnreadable(candidate.damagedEntries)
            let removed = replay(
                journals, from: candidate.number, lacking: missing, hasAllRecords: trial.contents != nil,
                &trial.state)
            // A damaged entry is not lost if a later commit replaced or removed it.
            trial.lost = try missing.count { try !removed.contains($0) && trial.state.entry($0) == nil }
            if let best {
                let (revision, reached) = (trial.state.stamp.revision, best.state.stamp.revision)
                let (records, known) = (trial.contents == nil ? 0 : 1, best.contents == nil ? 0 : 1)
                if (revision, -trial.lost, records) <= (reached, -best.lost, known) { continue }
            }
            best = trial
        }
        guard let best, let base = best.base else { return }
        outcome = best
        if best.lost > 0 {
            findings.append(
                .damage(folder.path, Count.text(best.lost, "entry is", "entries are") + " lost"))
        }
        guard !best.isIntact else { return }
        if best.contents == nil {
            findings.append(
                .damage(
                    folder.generation(base).path,
                    "only its entries and clusters can be read; its sources, removals, outliers and "
                        + "clustering run are lost, and a changed character in an entry cannot be detected"))
        }
        let last = journals.flatMap { $0.value.records.map(\.revision) }.max()
        let known = max(current?.revision ?? .zero, last ?? .zero)
        let revision = best.state.stamp.revision
        guard revision < known || best.hasUnreadableCommits else {
            findings.append(.note(folder.path, "can be rebuilt from generation \(base)"))
            return
        }
        let entries = Count.text(best.state.stamp.entryCount, "entry", "entries")
        findings.append(
            .damage(
                folder.path,
                "the commits after revision \(revision) are lost, and the store continues with \(entries); "
                    + "a backup may contain more"))
    }

    /// Applies the journals from the given generation on, up to the first commit that cannot be applied to
    /// the state.
    ///
    /// - Parameters:
    ///   - missing: The damaged entries, which the state does not contain. If a commit cannot be applied but
    ///     removes one of them, it still advances the revision.
    ///   - hasAllRecords: Whether the state contains the records of the sidecar. If it does not, a commit
    ///     that only removes such records changes nothing, but still advances the revision.
    private func replay(
        _ journals: [Int: Journal.Contents], from base: Int, lacking missing: Set<Entry.ID>,
        hasAllRecords: Bool, _ state: inout StoreState
    ) -> Set<Entry.ID> {
        var removed = Set<Entry.ID>()
        for (number, contents) in journals.sorted(by: { $0.key < $1.key }) where number >= base {
            for (revision, record) in contents.records where revision > state.stamp.revision {
                let gone = missing.intersection(record.batch?.removals ?? [])
                var next = state
                let path = folder.journal(number).path
                if (try? JournalReplayer.apply(record, revision, to: &next, path: path)) == nil {
                    let changesNothing = !hasAllRecords && (try? next.apply(record.batch ?? .init())) == false
                    guard !gone.isEmpty || changesNothing, revision == state.stamp.revision.next else {
                        return removed
                    }
                    next = state
                    next.advance(to: revision)
                }
                removed.formUnion(gone)
                state = next
            }
        }
        return removed
    }

    private mutating func noteLeftovers(_ current: Generation?) {
        for name in AtomicFile.leftovers(in: folder.url) {
            findings.append(
                .note(
                    folder.file(name).path, "is a temporary file of a process that ended",
                    remedy: "removes it"))
        }
        for name in folder.names.sorted() where name.hasPrefix("unfinished-") || name.hasPrefix("damaged-") {
            findings.append(.kept(folder.file(name)))
        }
        if let current {
            for number in folder.generationNumbers where number > current.number {
                findings.append(
                    .note(
                        folder.generation(number).path, "is an incomplete generation",
                        remedy: "is not needed: the next generation replaces it"))
            }
        }
    }
}

extension Recovery {
    /// Checks all generations, and returns the readable ones, newest first.
    mutating func candidates(_ current: Generation?, _ outcome: inout Outcome) throws -> [Candidate] {
        let numbers = folder.generationNumbers
        let newest = current?.number ?? numbers.last ?? 0
        var candidates: [Candidate] = []
        for number in numbers.reversed() where number <= newest {
            let url = folder.generation(number)
            let before = findings.count
            var candidate: Candidate?
            if let generation = number == current?.number ? current : record(of: number) {
                candidate = try check(generation, url)
            } else if hasRecord(url) {
                findings.append(
                    .damage(url.path, "has a damaged record \(Generation.recordFile)", remedy: Self.remedy))
            } else {
                findings.append(.note(url.path, "is an incomplete or partly removed generation"))
            }
            guard findings[before...].contains(where: { $0.severity == .damage }) else {
                if let candidate { candidates.append(candidate) }
                continue
            }
            if number != newest, !hasRecord(url) {
                // The generation is older and its record is missing, so a writer is currently removing it.
                findings.removeSubrange(before...)
                continue
            }
            if let candidate { candidates.append(candidate) }
            outcome.damaged.append(url)
            // Damage to an older generation does not affect the store unless a repair needs that generation.
            if number == newest { outcome.isIntact = false }
        }
        if let current, !numbers.contains(current.number) {
            damage(folder.generation(current.number), "is missing", &outcome)
        }
        return candidates
    }

    private func hasRecord(_ generation: URL) -> Bool {
        FileManager.default.fileExists(
            atPath: generation.appendingPathComponent(Generation.recordFile).path)
    }

    private func record(of number: Int) -> Generation? {
        let url = folder.generation(number).appendingPathComponent(Generation.recordFile)
        guard let data = try? StoreFolder.contents(of: url) else { return nil }
        return try? Generation.decoded(data, path: url.path)
    }

    private mutating func check(_ generation: Generation, _ url: URL) throws -> Candidate? {
        let clusters = url.appendingPathComponent(Generation.clustersFile)
        let bytes = try StoreFolder.contents(of: clusters)
        if bytes?.count != generation.clusters.size
            || bytes.map({ SHA256.hexadecimal($0) }) != generation.clusters.sha256
        {
            // Only other programs need this file, because the store reads the clusters from the sidecar.
            findings.append(
                .damage(clusters.path, "is damaged; the store itself does not read it"))
        }
        do {
            let (state, contents) = try generation.open(in: folder)
            let (damaged, isFrameIntact) = try contents.verify(isCancelled: isCancelled)
            let entries = url.appendingPathComponent(Generation.entriesFile)
            if !isFrameIntact {
                findings.append(
                    .damage(entries.path, "is damaged between the entries", remedy: Self.remedy))
            }
            if !damaged.isEmpty {
                findings.append(
                    .damage(
                        entries.path,
                        "the checksums of \(damaged.count) of \(contents.count) entries do not match",
                        remedy: Self.remedy))
            }
            return Candidate(
                number: generation.number, state: state, contents: contents, damagedEntries: damaged)
        } catch let error as StorageError where error.code == .damaged {
            findings.append(.damage(url.path, error.message))
        } catch let error as FileError where error.isMissing {
            findings.append(.damage(error.path, "is missing"))
        }
        return texts(of: generation)
    }

    /// Reads a generation from its JSON files, without the sidecar. All changes get the revision of the
    /// generation, so that the journal continues from it.
    ///
    /// - Returns: `nil` if the files are damaged too.
    private func texts(of generation: Generation) -> Candidate? {
        let url = folder.generation(generation.number)
        let entries = url.appendingPathComponent(Generation.entriesFile)
        guard let size = try? StoreFolder.contents(of: entries)?.count, size == generation.entries.size,
            let texts = try? ForeignFolder.read(url), texts.stamp.entryCount == generation.entryCount,
            generation.revision > .zero
        else { return nil }
        var state = StoreState(
            store: texts.stamp.store, revision: Revision(rawValue: generation.revision.rawValue - 1))
        do {
            var batch = WriteBatch(
                upserts: try texts.archivableEntries.map { try texts.entry(of: $0) },
                clusters: texts.clustersWithMembers())
            batch.assignments = texts.assignments
            try state.apply(batch)
        } catch {
            return nil
        }
        state.advance(to: generation.revision)
        return Candidate(number: generation.number, state: state)
    }

    /// Checks the journals, and returns the contents of each, keyed by the number of its generation.
    mutating func journals(
        _ current: Generation?, _ mark: CommitMark?, _ outcome: inout Outcome
    ) throws -> [Int: Journal.Contents] {
        var journals: [Int: Journal.Contents] = [:]
        for number in folder.journalNumbers {
            let url = folder.journal(number)
            guard let data = try StoreFolder.contents(of: url) else { continue }
            let contents = data.withUnsafeBytes { Journal.read($0) }
            // A journal before the current one cannot be used without its generation.
            if contents.damage != nil, number < current?.number ?? 0, !hasRecord(folder.generation(number)) {
                continue
            }
            journals[number] = contents
            if let offset = contents.damage {
                findings.append(
                    .damage(url.path, "is damaged from byte \(offset) on", remedy: Self.remedy))
                outcome.damaged.append(url)
                if number >= current?.number ?? 0 {
                    outcome.isIntact = false
                    outcome.hasUnreadableCommits = true
                }
            } else if contents.tail > 0, current?.number == number {
                findings.append(
                    .note(
                        url.path, "ends with \(contents.tail) bytes of an incomplete commit",
                        remedy: "is not needed: the next commit moves them to another file"))
            }
        }
        if let mark, mark.generation == current?.number {
            let url = folder.journal(mark.generation)
            let length = journals[mark.generation]?.length ?? 0
            outcome.hasUnreadableCommits = outcome.hasUnreadableCommits || mark.length > length
            if journals[mark.generation] == nil, mark.length > 0 {
                damage(url, "is missing", &outcome)
            } else if mark.length > length {
                damage(url, "ends \(mark.length - length) bytes before its last commit", &outcome)
            }
        }
        return journals
    }
}
