import Foundation
import RoostModel
import Synchronization

/// Applies a plan to a store, and records the new states of the folders.
struct SyncRun {
    private let store: KnowledgeStore
    private let options: SyncOptions
    private let plan: SyncPlan
    /// The reasons why files could not be read, by the ids of their sources. The text is empty for a file
    /// that is tried again by the next sync.
    private var problems: [Source.ID: String] = [:]
    private var emptyFiles: [Source.ID: String] = [:]
    private let bytes: Int64
    private var readBytes: Int64 = 0

    init(store: KnowledgeStore, options: SyncOptions, plan: SyncPlan) {
        (self.store, self.options, self.plan) = (store, options, plan)
        bytes = plan.comparisons.reduce(0) { $0 + Self.size(of: $1.candidates.filter { !$0.isRepeated }) }
    }

    /// Moves come first, then new and changed files, and removals last, so that the vectors of equal texts
    /// are still in the store when a file is read.
    mutating func apply(to trees: inout [SyncTree], _ report: inout IngestReport) async throws {
        if !options.isDryRun { try await SourceMover(store: store).run(plan.moves) }
        report.movedFiles = plan.moves.count
        report.missingFiles = plan.kept.count
        for index in trees.indices { try await ingest(ofFolderAt: index, &report) }
        try await removeMissing(&report)
        let isUnchanged = plan.moves.isEmpty && plan.removals.isEmpty && !report.hasChanges
        for index in trees.indices {
            report.files += plan.scans[index].files.count
            guard !options.isDryRun else { continue }
            try await updateState(of: &trees[index], at: index)
            if isUnchanged {
                trees[index].state.checked = SyncState.Checkpoint(plan.stamp)
            }
        }
    }

    // MARK: Reading

    private mutating func ingest(ofFolderAt index: Int, _ report: inout IngestReport) async throws {
        let comparison = plan.comparisons[index]
        report.unchanged += comparison.unchangedEntries
        report.skipped += plan.scans[index].skipped + comparison.skipped
        var files = comparison.candidates.filter { !$0.isRepeated }
        if options.isDryRun { try await countMoved(&files, &report) }
        // New files come first: the vectors of a copy are found before the original is changed.
        files = files.filter(\.isNew) + files.filter { !$0.isNew }
        guard !files.isEmpty else { return }
        let reader = plan.trees[index].reader
        var rest = files[...]
        var problems: [Source.ID: String] = [:]
        var skipped: [IngestReport.Skip] = []
        var emptyFiles: [Source.ID: String] = [:]
        var ingestOptions = IngestOptions(tags: plan.trees[index].folder.tags, isDryRun: options.isDryRun)
        // The progress of the committed entries is slightly behind the files that were read.
        let read = Mutex(readBytes)
        ingestOptions.progress = { [options, bytes] progress in
            var progress = progress
            progress.fractionOfFiles = Double(read.withLock(\.self)) / Double(max(1, bytes))
            options.progress?(progress)
        }
        defer { readBytes = read.withLock(\.self) }
        let ingested = try await Ingestor.run(into: store, ingestOptions) {
            while let candidate = rest.popFirst() {
                defer { read.withLock { $0 += Self.size(of: [candidate]) } }
                do {
                    let draft = try await reader.read(candidate.url, for: store)
                    if draft.isEmptyFile { emptyFiles[candidate.source] = draft.fingerprint }
                    return draft
                } catch let error where error is CancellationError || error is StorageError {
                    throw error
                } catch {
                    // A file that was removed in the meantime is not a problem.
                    if FolderScan.isMissing(candidate.file.path) { continue }
                    let skip = IngestReport.Skip(candidate.url, error)
                    skipped.append(skip)
                    let isPermanent = (error as? RoostError).map { $0.code == .badInput && !$0.isTransient }
                    problems[candidate.source] = isPermanent == true ? skip.reason : ""
                }
            }
            return nil
        }
        report.add(ingested)
        report.skipped += skipped
        self.problems.merge(problems) { $1 }
        self.emptyFiles.merge(emptyFiles) { $1 }
    }

    /// Removes the files that a run would move, and counts their entries: only those change that are named after
    /// their files.
    private func countMoved(_ files: inout [SyncCandidate], _ report: inout IngestReport) async throws {
        let origins = Dictionary(plan.moves.map { ($0.target, $0.origin) }) { first, _ in first }
        let moved = files.compactMap { file in origins[file.source].map { (origin: $0, target: file.source) }
        }
        files.removeAll { origins[$0.source] != nil }
        let snapshot = try await store.storage.snapshot()
        for move in moved {
            guard let record = try await snapshot.sources([move.origin]).first else { continue }
            let entries = try await snapshot.entries(record.entryIDs)
            let renamed = SourceMover.renamedCount(of: entries, movedFrom: move.origin, to: move.target)
            report.updated += renamed
            report.unchanged += entries.count - renamed
        }
    }

    private static func size(of candidates: [SyncCandidate]) -> Int64 {
        candidates.reduce(0) { $0 + ($1.file.status?.size ?? 0) }
    }

    // MARK: Removing

    private func removeMissing(_ report: inout IngestReport) async throws {
        let unreadable = Set(
            zip(plan.scans, plan.comparisons).filter { $0.0.risk == .unreadable }.flatMap(\.1.missing))
        // A file may have been created again in the meantime.
        func stillMissing() -> [Source.ID] {
            plan.removals.filter { unreadable.contains($0) || FolderScan.isMissing(source: $0) }
        }
        var records = try await SourceRecords.read(stillMissing(), in: try await store.storage.snapshot())
        guard !records.isEmpty else { return }
        if !options.isDryRun {
            try await options.willRemove(records.reduce(0) { $0 + $1.entryIDs.count })
            // The backup that this may create takes time.
            records = try await SourceRecords.read(stillMissing(), in: try await store.storage.snapshot())
        }
        let entries = records.flatMap(\.entryIDs)
        report.removed += entries.count
        guard !options.isDryRun, !records.isEmpty else { return }
        _ = try await store.remove(entries, sources: records.map(\.id))
    }

    // MARK: State

    private func updateState(of tree: inout SyncTree, at index: Int) async throws {
        let scan = plan.scans[index]
        let candidates = plan.comparisons[index].candidates
        let records = try await SourceRecords.read(
            candidates.map(\.source), in: try await store.storage.snapshot())
        let stored = records.byID
        let gone = Set(plan.removals).union(plan.moves.map(\.origin))
        if !gone.isEmpty {
            let lost = tree.state.files.filter { gone.contains($0.value.source) }.map(\.key)
            for path in lost { tree.state.files[path] = nil }
        }
        for candidate in candidates {
            let path = ExactText(candidate.file.relativePath)
            let isKept = stored[candidate.source].map { record in
                !record.entryIDs.isEmpty
                    && emptyFiles[candidate.source].map { $0 != record.fingerprint } ?? false
            }
            let problem = isKept == true ? SourceDraft.emptyReason : problems[candidate.source]
            guard let status = candidate.file.status,
                let record = stored[candidate.source]
                    ?? problem.map({ _ in
                        Source(id: candidate.source, fingerprint: "")
                    })
            else {
                tree.state.files[path] = nil
                continue
            }
            let isSettled =
                status.isSettled(at: scan.time, after: options.settlingTime) && problem != ""
            tree.state.files[path] = SyncState.File(
                status: isSettled ? status : status.unsettled, source: candidate.source,
                fingerprint: record.fingerprint, entries: record.entryIDs.count, problem: problem ?? "")
        }
    }
}
