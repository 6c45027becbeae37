import Foundation
import RoostModel

/// The differences between a synced folder and the store.
struct FolderComparison {
    var candidates: [SyncCandidate] = []
    /// The sources in the scope whose files are missing.
    var missing: [Source.ID] = []
    var knownFiles = 0
    var unchangedEntries = 0
    var skipped: [IngestReport.Skip] = []

    static func run(
        _ trees: [SyncTree], _ states: [[ExactText: SyncState.File]], _ scans: [FolderScan],
        in snapshot: any StorageSnapshot
    ) async throws -> [FolderComparison] {
        var found = zip(trees, scans).map { FoundSources($0, $1) }
        let records = try await SourceRecords(
            of: zip(states, found).flatMap { $1.sources + $0.values.map(\.source) },
            isEntire: trees.contains { $0.scope.isEntire }, in: snapshot)
        for index in found.indices {
            try await found[index].verify(trees[index], records, in: snapshot)
        }
        var seen = Set<Source.ID>()
        var comparisons = found.map { found in
            var comparison = FolderComparison()
            comparison.unchangedEntries = found.unchanged.reduce(0) { $0 + $1.state.entries }
            comparison.skipped = found.unchanged.filter { !$0.state.problem.isEmpty }
                .map { .init(source: $0.file.path, reason: $0.state.problem) }
            seen.formUnion(found.unchanged.map(\.state.source))
            return comparison
        }
        for (index, found) in found.enumerated() {
            comparisons[index].candidates = found.changed.map { file, source in
                SyncCandidate(
                    file: file, source: source, record: records[source],
                    isRepeated: !seen.insert(source).inserted)
            }
        }
        for (index, tree) in trees.enumerated() {
            let known = records.known(to: tree, states[index].values.map(\.source))
            comparisons[index].knownFiles = tree.scope.isEntire ? known.count : tree.state.files.count
            let isUnreadable = scans[index].risk == .unreadable
            comparisons[index].missing = known.filter { id in
                !seen.contains(id)
                    && (isUnreadable || FolderScan.isMissing(source: id))
            }
        }
        return comparisons
    }

    private struct FoundSources {
        /// The files with the same status as at the last sync.
        var unchanged: [(file: FolderWalk.File, state: SyncState.File)] = []
        /// The other files, and the ids of their sources.
        var changed: [(FolderWalk.File, Source.ID)] = []

        init(_ tree: SyncTree, _ scan: FolderScan) {
            for file in scan.files {
                if let state = tree.state.files[ExactText(file.relativePath)], state.status == file.status {
                    unchanged.append((file, state))
                } else {
                    changed.append((file, Self.source(of: file)))
                }
            }
        }

        var sources: [Source.ID] { unchanged.map(\.state.source) + changed.map(\.1) }

        private static func source(of file: FolderWalk.File) -> Source.ID {
            RecordReader.sourceID(URL(fileURLWithPath: file.path, isDirectory: false))
        }

        /// Moves the files that the store does not contain as the state describes from ``unchanged`` to
        /// ``changed``.
        mutating func verify(
            _ tree: SyncTree, _ records: SourceRecords, in snapshot: any StorageSnapshot
        ) async throws {
            var ids: [Source.ID] = []
            // Commands such as `remove` remove entries and keep the records of their sources.
            if tree.state.checked != SyncState.Checkpoint(snapshot.stamp) {
                ids = unchanged.filter { $0.state.entries > 0 }.map(\.state.source)
            }
            let emptied = try await records.emptied(ids, in: snapshot)
            var kept: [(file: FolderWalk.File, state: SyncState.File)] = []
            for item in unchanged {
                let isCurrent = item.state.isCurrent(in: records[item.state.source])
                if isCurrent, !emptied.contains(item.state.source) {
                    kept.append(item)
                } else {
                    changed.append((item.file, Self.source(of: item.file)))
                }
            }
            unchanged = kept
        }
    }
}
