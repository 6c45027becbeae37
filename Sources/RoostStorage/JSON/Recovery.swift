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

    init(folder: StoreFolder, files: FileSystem, isCancelled: @escaping () -> Bool) {
        self.folder = folder
        self.files = files
        self.isCancelled = isCancelled
    }

    /// The state that can be recovered.
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
        if let data = try StoreFolder.contents(of: currentURL) {
            do {
                current = try Generation.decoded(data, path: currentURL.path)
            } catch let error as StorageError where error.code == .damaged {
                damage(currentURL, "is damaged: its checksum does not match", &outcome)
            }
        } else if folder.hasHistory {
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
