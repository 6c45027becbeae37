import Foundation
import RoostModel

struct FolderComparison {
    private(set) var candidates: [SyncCandidate] = []
    private(set) var missing: [Source.ID] = []
    private(set) var knownFiles = 0
    private var unchanged: [(file: FolderWalk.File, state: SyncState.File)] = []

    var unchangedEntries: Int { unchanged.reduce(0) { $0 + $1.state.entries } }

    var skipped: [IngestReport.Finding] {
        unchanged.filter { !$0.state.problem.isEmpty }
            .map { .init(source: $0.file.path, reason: $0.state.problem) }
    }

    static func run(
        _ trees: [SyncTree], _ scans: [FolderScan], in snapshot: any StorageSnapshot
    ) async throws -> [FolderComparison] {
        let records = try await snapshot.sources().filter { $0.id.hasPrefix("file:") }.byID
        var comparisons: [FolderComparison] = []
        for (tree, scan) in zip(trees, scans) {
            comparisons.append(try await FolderComparison(tree, scan, records, snapshot))
        }
        var seen = Set(comparisons.flatMap { $0.unchanged.map(\.state.source) })
        for index in comparisons.indices {
            for candidate in comparisons[index].candidates.indices {
                let source = comparisons[index].candidates[candidate].source
                comparisons[index].candidates[candidate].isRepeated = !seen.insert(source).inserted
            }
        }
        for (index, tree) in trees.enumerated() {
            let known = tree.known(in: records)
            comparisons[index].knownFiles = known.count
            let isUnreadable = scans[index].risk == .unreadable
            comparisons[index].missing = known.filter { id in
                !seen.contains(id) && (isUnreadable || FolderScan.isMissing(source: id))
            }
        }
        return comparisons
    }

    private init(
        _ tree: SyncTree, _ scan: FolderScan, _ records: [Source.ID: Source], _ snapshot: any StorageSnapshot
    ) async throws {
        var emptied = Set<Source.ID>()
        // Commands such as `remove` remove entries and keep the records of their sources.
        if tree.state.checked != snapshot.stamp.cursor {
            let known = scan.files.compactMap(tree.state.unchanged).filter { $0.entries > 0 }.map(\.source)
            emptied = Set(
                try await snapshot.sources(known).filter(\.entryIDs.isEmpty).map(\.id))
        }
        for file in scan.files {
            if let state = tree.state.unchanged(file), state.isCurrent(in: records[state.source]),
                !emptied.contains(state.source)
            {
                unchanged.append((file, state))
            } else {
                let source = RecordReader.sourceID(URL(fileURLWithPath: file.path, isDirectory: false))
                candidates.append(SyncCandidate(file: file, source: source, record: records[source]))
            }
        }
    }
}

struct SyncCandidate: Sendable {
    var file: FolderWalk.File
    var source: Source.ID
    /// The stored record of the source before the sync; `nil` for a new file.
    var record: Source?
    /// Whether the same file was found before under another path, or in another folder.
    var isRepeated = false

    var url: URL { URL(fileURLWithPath: file.path, isDirectory: false) }

    /// Whether the store has no complete record of the file.
    var isNew: Bool { record?.fingerprint.isEmpty ?? true }
}

extension SyncTree {
    fileprivate func known(in records: [Source.ID: Source]) -> [Source.ID] {
        let tracked = state.files.values.map(\.source).filter { records[$0] != nil }
        // The folder may have been replaced by a link since its files were ingested.
        let prefixes = Set([
            RecordReader.folderID(folder.url),
            URL(fileURLWithPath: folder.path, isDirectory: true).absoluteString,
        ])
        let foreign = innerFolders.map { URL(fileURLWithPath: $0, isDirectory: true).absoluteString }
        return Set(tracked).union(
            records.keys.filter { id in
                prefixes.contains { id.hasPrefix($0) } && !foreign.contains { id.hasPrefix($0) }
            }
        ).sorted()
    }
}
