import Foundation
import RoostChunks
import RoostFiles
import RoostModel

/// The changes that a sync makes: computed from the folders and one snapshot of the store.
struct SyncPlan {
    let folders: [SyncedFolder]
    let scans: [FolderScan]
    let comparisons: [FolderComparison]
    let moves: [SourceMove]
    /// The state of the store from which the plan was computed.
    let stamp: Stamp
    /// The sources of missing files whose entries are kept.
    private(set) var kept: Set<Source.ID>

    init(_ trees: [SyncTree], store: KnowledgeStore, _ options: SyncOptions) async throws {
        folders = trees.map(\.folder)
        let omitted = store.directory.flatMap { FileSystem.resolvedPath($0.path) }
        var scans: [FolderScan] = []
        for tree in trees {
            scans.append(
                try await FolderScan.run(tree, omitting: omitted, willEnter: options.willEnter))
        }
        self.scans = scans
        let snapshot = try await store.storage.snapshot()
        stamp = snapshot.stamp
        comparisons = try await FolderComparison.run(trees, scans, in: snapshot)
        moves = try await Self.moves(trees.map(\.state.files), comparisons, in: snapshot)
        kept = Set(comparisons.flatMap(\.missing).filter(options.keepsMissing))
    }

    var removals: [Source.ID] {
        let moved = Set(moves.map(\.origin))
        return Set(comparisons.flatMap(\.missing)).subtracting(moved).subtracting(kept).sorted()
    }

    /// Returns the reason not to remove the entries of a folder's missing files without consent; `nil` if
    /// there is none.
    func risk(ofFolderAt index: Int) -> RemovalRisk? {
        let moved = Set(moves.map(\.origin))
        let comparison = comparisons[index]
        let missing = comparison.missing.count { !moved.contains($0) && !kept.contains($0) }
        guard missing > 0 else { return nil }
        let isMany = missing * 100 > comparison.knownFiles * RemovalRisk.maximumShare
        guard let reason = scans[index].risk ?? (isMany ? .manyFiles : nil) else { return nil }
        return RemovalRisk(
            folder: folders[index].path, reason: reason, missingFiles: missing,
            knownFiles: comparison.knownFiles)
    }

    mutating func keep(_ sources: Set<Source.ID>) { kept.formUnion(sources) }

    /// Keeps the entries of all missing files of a folder.
    mutating func keepMissingFiles(ofFolderAt index: Int) { kept.formUnion(comparisons[index].missing) }

    // MARK: Moves

    private static func moves(
        _ files: [[ExactText: SyncState.File]], _ comparisons: [FolderComparison],
        in snapshot: any StorageSnapshot
    ) async throws -> [SourceMove] {
        let candidates = comparisons.flatMap(\.candidates)
        guard candidates.contains(where: \.isNew) || candidates.count > 1 else { return [] }
        var states: [Source.ID: SyncState.File] = [:]
        for file in files.flatMap(\.values) { states[file.source] = file }
        var origins: [MoveDetection.Origin] = []
        func add(_ record: Source, isMissing: Bool) {
            guard let digest = record.documentDigest else { return }
            let state = states[record.id].flatMap { $0.isCurrent(in: record) ? $0 : nil }
            guard isMissing || state != nil else { return }
            origins.append(
                .init(source: record.id, digest: digest, isMissing: isMissing, status: state?.status))
        }
        let missing = Set(comparisons.flatMap(\.missing)).sorted()
        for record in try await SourceRecords.read(missing, in: snapshot) { add(record, isMissing: true) }
        for candidate in candidates where !candidate.isRepeated && !candidate.isNew {
            if let record = candidate.record { add(record, isMissing: false) }
        }
        guard !origins.isEmpty else { return [] }
        let detection = MoveDetection(from: origins, to: candidates)
        return detection.moves(try await digests(of: detection.relevantFiles))
    }

    /// Returns the digests of files by the ids of their sources. Files that cannot be read are omitted.
    private static func digests(of files: [SyncCandidate]) async throws -> [Source.ID: String] {
        try await BlockingWork.run { isCancelled in
            var digests: [Source.ID: String] = [:]
            let limit = RecordReader().maximumFileSize
            for candidate in files {
                if isCancelled() { throw CancellationError() }
                guard
                    let data = try? FileContents.read(
                        candidate.url, maximumSize: limit, maximumBinarySize: { _ in limit })
                else { continue }
                digests[candidate.source] = ChunkIdentifier(hashing: data).id
            }
            return digests
        }
    }
}
