import Foundation
import RoostModel

struct FolderComparison {
    var candidates: [SyncCandidate] = []
    var missing: [Source.ID] = []
    var knownFiles = 0
    var unchangedEntries = 0
    var skipped: [IngestReport.Skip] = []

    static func run(
        _ trees: [SyncTree], _ scans: [FolderScan],
        in snapshot: any StorageSnapshot
    ) async throws -> [FolderComparison] {
        var found = zip(trees, scans).map { FoundSources($0, $1) }
        let records = try await SourceRecords(of: snapshot)
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
            let known = records.known(to: tree)
            comparisons[index].knownFiles = known.count
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
            let emptied = Set(
                try await SourceRecords.read(ids, in: snapshot).filter(\.entryIDs.isEmpty).map(\.id))
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

/// A file that a sync has to read, because it is new or may have changed.
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

/// The stored records of the sources that a sync compares.
struct SourceRecords {
    private var records: [Source.ID: Source] = [:]
    private static let pageSize = 1000

    init(of snapshot: any StorageSnapshot) async throws {
        for record in try await snapshot.sources() where record.id.hasPrefix("file:") {
            records[record.id] = record
        }
    }

    subscript(id: Source.ID) -> Source? { records[id] }

    func known(to tree: SyncTree) -> [Source.ID] {
        let tracked = tree.state.files.values.map(\.source).filter { records[$0] != nil }
        // The folder may have been replaced by a link since its files were ingested.
        let prefixes = Set([
            RecordReader.folderID(tree.folder.url),
            URL(fileURLWithPath: tree.folder.path, isDirectory: true).absoluteString,
        ])
        let foreign = tree.innerFolders.map { URL(fileURLWithPath: $0, isDirectory: true).absoluteString }
        return Set(tracked).union(
            records.keys.filter { id in
                prefixes.contains { id.hasPrefix($0) } && !foreign.contains { id.hasPrefix($0) }
            }
        ).sorted()
    }

    static func read(_ ids: [Source.ID], in snapshot: any StorageSnapshot) async throws -> [Source] {
        var found: [Source] = []
        for page in ids.groups(of: pageSize) {
            try Task.checkCancellation()
            found += try await snapshot.sources(page)
        }
        return found
    }
}
