import Foundation
import RoostFiles
import RoostModel

/// Checks the files of a store byte by byte, and finds the best state that the intact files contain.
///
/// A generation and its journal together contain the state of the next generation. Therefore a damaged
/// generation can be replaced with an older generation and the journals from that generation on; if all of
/// these are intact, nothing is lost. Otherwise, the newest generation is used without its damaged entries.
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
        /// The generation that the state is based on.
        var base: Int?
        /// The damaged files and folders.
        var damaged: [URL] = []
        /// The number of entries that cannot be recovered.
        var lost = 0
        /// The number of commits that are missing before others that were applied.
        var skippedCommits = 0
        /// Whether commits after the current generation cannot be read.
        var hasUnreadableCommits = false
        /// Whether the store can be used without a repair.
        var isIntact = true
    }

    /// A generation that can be read, at least in part.
    struct Candidate {
        var number: Int
        var state: StoreState
        var contents: GenerationContents?
        var damagedEntries: [Int] = []
        /// Whether only the JSON files could be read, without the sidecar. A store that is rebuilt from them
        /// has no history.
        var isTextOnly = false
        /// Whether the files are the published copies, because no generation can be read.
        var isPublished = false
    }

    /// The maximum revision of a commit after a damaged line, which a manipulated journal can choose freely.
    /// The revisions of later commits must not overflow.
    private static let maximumRevision = UInt64.max / 4
    static let remedy = "moves it away and continues from the intact files"

    /// Checks every byte of the store, and adds the results to ``findings``.
    ///
    /// - Throws: `StorageError` with `.newerFormat` or `.damaged`; `FileError`; `CancellationError`.
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
            } catch is Generation.OldFormat {
                return try inspectOldFormat(data, outcome)
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

    /// Chooses the candidate from which the journals lead closest to the last commit.
    mutating func choose(
        _ candidates: [Candidate], _ journals: [Int: Journal.Contents], _ current: Generation?,
        _ outcome: inout Outcome
    ) throws {
        // `reached` is the last revision before which no commit is missing.
        var best: (outcome: Outcome, reached: Revision, revision: Revision, lost: Int)?
        for candidate in candidates where !candidate.isTextOnly {
            var trial = outcome
            trial.state = candidate.state
            trial.contents = candidate.contents
            trial.base = candidate.number
            let missing = trial.state.forgetUnreadable(candidate.damagedEntries)
            var removed = replay(journals, from: candidate.number, lacking: missing, &trial.state)
            let reached = trial.state.stamp.revision
            removed.formUnion(applyLater(journals, from: candidate.number, lacking: missing, &trial))
            let revision = trial.state.stamp.revision
            // A damaged entry is not lost if a later commit replaced or removed it.
            let lost = try missing.count { try !removed.contains($0) && trial.state.entry($0) == nil }
            // Prefers the candidate with the latest revision, among equal revisions the one with the fewest
            // missing commits, each of which can have any number of entries, and then the one with the
            // fewest lost entries.
            if let best {
                let skipped = (trial.skippedCommits, best.outcome.skippedCommits)
                if (revision, -skipped.0, -lost) <= (best.revision, -skipped.1, -best.lost) { continue }
            }
            best = (trial, reached, revision, lost)
        }
        if let candidate = candidates.first(where: \.isTextOnly),
            isNewer(candidate, than: best.map { ($0.outcome.base ?? 0, $0.reached) }, journals, current)
        {
            continueFromTexts(of: candidate, journals, current, &outcome)
            return
        }
        guard let best else { return }
        outcome = best.outcome
        outcome.lost = best.lost
        if best.lost > 0 {
            findings.append(
                .damage(folder.path, Count.text(best.lost, "entry is", "entries are") + " lost"))
        }
        guard !outcome.isIntact, let base = outcome.base else { return }
        let last = journals.flatMap { $0.value.records.map(\.revision) }.max()
        let known = max(current?.revision ?? .zero, last ?? .zero)
        let entries = Count.text(outcome.state.stamp.entryCount, "entry", "entries")
        let rest = "the store continues with \(entries); a backup may contain more"
        if outcome.skippedCommits > 0 {
            let count = outcome.skippedCommits
            findings.append(
                .damage(
                    folder.path,
                    "\(count) \(count == 1 ? "commit is" : "commits are") lost, later ones are kept, and "
                        + rest))
        } else if best.revision >= known, !outcome.hasUnreadableCommits {
            findings.append(.note(folder.path, "can be rebuilt from generation \(base)"))
        } else {
            findings.append(
                .damage(folder.path, "the commits after revision \(best.revision) are lost, and \(rest)"))
        }
    }

    /// Uses a generation of which only the texts can be read, and reports the losses.
    private mutating func continueFromTexts(
        of candidate: Candidate, _ journals: [Int: Journal.Contents], _ current: Generation?,
        _ outcome: inout Outcome
    ) {
        outcome.state = candidate.state
        outcome.base = candidate.number
        outcome.isIntact = false
        let source =
            candidate.isPublished
            ? folder.file(Generation.entriesFile) : folder.generation(candidate.number)
        findings.append(
            .damage(
                source.path,
                "only its texts can be read; sources, assignments and the change feed are lost"))
        let newest = max(current?.number ?? 0, journals.keys.max() ?? 0)
        if candidate.number < newest, journals[candidate.number] == nil {
            findings.append(
                .damage(
                    folder.path,
                    "the commits between generation \(candidate.number) and generation \(newest) are "
                        + "lost"))
        }
        let lost = applyAll(journals, from: candidate.number, &outcome.state)
        if lost > 0 { findings.append(.damage(folder.path, "the last \(lost) commits are lost")) }
        if outcome.hasUnreadableCommits {
            findings.append(
                .damage(
                    folder.path,
                    "the commits in the damaged part of the journal are lost; a backup may contain them"))
        }
    }

    /// Applies the journals from the given generation on, up to the first commit that cannot be applied to
    /// the state.
    ///
    /// - Parameter missing: The damaged entries, which the state does not contain. If a commit cannot be
    ///   applied but removes one of them, it still advances the revision.
    /// - Returns: The ids of the missing entries that the journals remove.
    private func replay(
        _ journals: [Int: Journal.Contents], from base: Int, lacking missing: Set<Entry.ID>,
        _ state: inout StoreState
    ) -> Set<Entry.ID> {
        var removed = Set<Entry.ID>()
        for (number, contents) in journals.sorted(by: { $0.key < $1.key }) where number >= base {
            for (revision, record) in contents.records where revision > state.stamp.revision {
                let gone = missing.intersection(record.batch?.removals ?? [])
                var next = state
                let path = folder.journal(number).path
                if (try? JournalReplayer.apply(record, revision, to: &next, path: path)) == nil {
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

    /// Applies the commits after damaged lines of journals, including those in the following journals. A part
    /// of a commit that depends on a lost one, such as an assignment of a lost entry, is omitted.
    ///
    /// - Returns: The ids of the missing entries that these commits remove.
    private func applyLater(
        _ journals: [Int: Journal.Contents], from base: Int, lacking missing: Set<Entry.ID>,
        _ outcome: inout Outcome
    ) -> Set<Entry.ID> {
        let start = outcome.state.stamp.revision.rawValue
        var (applied, removed) = (UInt64(0), Set<Entry.ID>())
        let following = journals.filter { $0.key >= base }.sorted { $0.key < $1.key }
            .drop { $0.value.damage == nil && $0.value.tail == 0 }
        for (_, contents) in following {
            for (revision, record) in contents.records + contents.later
            where revision > outcome.state.stamp.revision {
                guard revision.rawValue <= Self.maximumRevision else { continue }
                var before = outcome.state
                before.advance(to: Revision(rawValue: revision.rawValue - 1))
                let date = Date(milliseconds: record.date)
                let batch = record.batch ?? WriteBatch()
                let entries = WriteBatch(
                    upserts: batch.upserts, removals: batch.removals, sources: batch.sources)
                for attempt in [batch, entries] {
                    var next = before
                    guard (try? next.apply(attempt, at: date)) != nil else { continue }
                    next.advance(to: revision)
                    outcome.state = next
                    removed.formUnion(missing.intersection(batch.removals))
                    applied += 1
                    break
                }
            }
        }
        if applied > 0 {
            outcome.skippedCommits = Int(clamping: outcome.state.stamp.revision.rawValue - start - applied)
        }
        return removed
    }

    /// Returns whether texts are newer than the best state that can be recovered with its sources and
    /// assignments, because commits between the two generations are lost. Texts matter most: the next ingest
    /// and the next clustering restore the rest.
    ///
    /// - Parameter best: The generation of that state, and the last revision before which no commit of it is
    ///   missing.
    private func isNewer(
        _ candidate: Candidate, than best: (number: Int, reached: Revision)?,
        _ journals: [Int: Journal.Contents], _ current: Generation?
    ) -> Bool {
        guard let best else { return true }
        let start = current?.revision ?? journals[candidate.number]?.records.first?.revision ?? .zero
        return candidate.number > best.number && best.reached < start
    }

    /// Applies the journals from the given generation on to a state that was read from the texts alone, up to
    /// the first commit that cannot be applied. The revisions of such a state differ from those of the
    /// journals, so that only the order of the commits can be checked.
    ///
    /// - Returns: The number of commits that could not be applied.
    private func applyAll(
        _ journals: [Int: Journal.Contents], from base: Int, _ state: inout StoreState
    ) -> Int {
        let records = journals.filter { $0.key >= base }.sorted { $0.key < $1.key }.flatMap(\.value.records)
        var last: Revision?
        for (index, (revision, record)) in records.enumerated() {
            guard last.map({ revision == $0.next }) ?? true else { return records.count - index }
            last = revision
            guard let batch = record.batch else { continue }
            var next = state
            guard (try? next.apply(batch, at: Date(milliseconds: record.date))) != nil else {
                return records.count - index
            }
            state = next
        }
        return 0
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
