import Foundation
import RoostModel
import Synchronization

struct SyncRun {
    private let store: KnowledgeStore
    private let options: SyncOptions
    private let plan: SyncPlan
    /// The reasons why files could not be read, by the ids of their sources. The text is empty for a file
    /// that is tried again by the next sync.
    private var problems: [Source.ID: String] = [:]
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
                trees[index].state.checked = plan.stamp.cursor
            }
        }
    }

    // MARK: Reading

    private mutating func ingest(ofFolderAt index: Int, _ report: inout IngestReport) async throws {
        let comparison = plan.comparisons[index]
        report.unchanged += comparison.unchangedEntries
        report.skipped += plan.scans[index].skipped + comparison.skipped
        // A dry run moves nothing, so the targets of moves would be new.
        let moved = Set(options.isDryRun ? plan.moves.map(\.target) : [])
        let files = comparison.candidates.filter { !$0.isRepeated && !moved.contains($0.source) }
        guard !files.isEmpty else { return }
        let reader = plan.trees[index].reader
        // New files come first: the vectors of a copy are found before the original is changed.
        var rest = (files.filter(\.isNew) + files.filter { !$0.isNew })[...]
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
                    return try await reader.read(candidate.url, for: store)
                } catch let error where error is CancellationError || error is StorageError {
                    throw error
                } catch {
                    // A file that was removed in the meantime is not a problem.
                    if FolderScan.isMissing(candidate.file.path) { continue }
                    let skip = IngestReport.Finding(candidate.url, error)
                    report.skipped.append(skip)
                    let isPermanent = (error as? RoostError).map { $0.code == .badInput && !$0.isTransient }
                    problems[candidate.source] = isPermanent == true ? skip.reason : ""
                }
            }
            return nil
        }
        report.add(ingested)
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
        var records = try await store.storage.snapshot().sources(stillMissing())
        guard !records.isEmpty else { return }
        if !options.isDryRun {
            try await options.willRemove(records.reduce(0) { $0 + $1.entryIDs.count })
            // The backup that this may create takes time.
            records = try await store.storage.snapshot().sources(stillMissing())
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
        let stored = try await store.storage.snapshot().sources(candidates.map(\.source)).byID
        let gone = Set(plan.removals).union(plan.moves.map(\.origin))
        for (path, file) in gone.isEmpty ? [:] : tree.state.files where gone.contains(file.source) {
            tree.state.files[path] = nil
        }
        for candidate in candidates {
            let path = ExactText(candidate.file.relativePath)
            let (problem, record) = (problems[candidate.source], stored[candidate.source])
            guard var status = candidate.file.status, record != nil || problem != nil else {
                tree.state.files[path] = nil
                continue
            }
            // The next sync reads the file again if no file can have its recorded status.
            if problem == "" || !status.isSettled(at: scan.time, after: options.settlingTime) {
                status.changed = .min
            }
            tree.state.files[path] = SyncState.File(
                status: status, source: candidate.source,
                fingerprint: record?.fingerprint ?? "", entries: record?.entryIDs.count ?? 0,
                problem: problem ?? "")
        }
    }
}
