import Foundation
import RoostModel

/// Finds the files that have been renamed or moved (decision 21).
///
/// A missing file has been moved to a new file with the same contents. A file that still exists, with other
/// contents, has been moved if another file has its former contents and its inode: without the inode, the
/// other file could be a copy that was made before the file was changed.
struct MoveDetection {
    /// A source whose former contents are no longer at its path.
    struct Origin {
        var source: Source.ID
        var digest: String
        var isMissing: Bool
        var status: FileStatus?
    }

    private let origins: [Origin]
    private let candidates: [SyncCandidate]
    private var origin: [UInt64: Int] = [:]

    init(from origins: [Origin], to candidates: [SyncCandidate]) {
        (self.origins, self.candidates) = (origins, candidates.filter { !$0.isRepeated })
        let present = Dictionary(
            candidates.compactMap { file in file.file.status.map { (file.source, $0.inode) } }
        ) { first, _ in first }
        for (index, item) in origins.enumerated() {
            // A file that still has its inode is at its path; another file with the inode is a hard link.
            guard let inode = item.status?.inode, item.isMissing || present[item.source] != inode else {
                continue
            }
            origin[inode] = index
        }
    }

    /// The files whose digests are required. Files that cannot be the target of a move are not read.
    var relevantFiles: [SyncCandidate] {
        candidates.filter { candidate in
            candidate.file.status.map { $0.size > 0 } ?? false
                && (candidate.isNew || sharesInode(candidate) != nil)
        }
    }

    /// Returns the origin with the same inode and size as a file.
    private func sharesInode(_ candidate: SyncCandidate) -> Int? {
        guard let status = candidate.file.status, let index = origin[status.inode],
            origins[index].status?.size == status.size, origins[index].source != candidate.source
        else { return nil }
        return index
    }

    /// Returns the moves. No source occurs twice as an origin or as a target.
    func moves(_ digests: [Source.ID: String]) -> [SourceMove] {
        var moved: [Int: SyncCandidate] = [:]
        for candidate in candidates {
            guard let index = sharesInode(candidate), digests[candidate.source] == origins[index].digest,
                moved[index] == nil
            else { continue }
            moved[index] = candidate
        }
        removeOccupiedTargets(&moved)
        let taken = Set(moved.values.map(\.source))
        let free = candidates.filter { $0.isNew && !taken.contains($0.source) }
        var targets = Dictionary(grouping: free) { digests[$0.source] }
        for (index, origin) in origins.enumerated() where origin.isMissing && moved[index] == nil {
            guard let equal = targets[origin.digest], !equal.isEmpty else { continue }
            let name = Self.name(of: origin.source)
            let position = equal.firstIndex { Self.name(of: $0.source) == name } ?? 0
            moved[index] = targets[origin.digest]?.remove(at: position)
        }
        return moved.sorted { $0.key < $1.key }.map {
            SourceMove(origin: origins[$0.key].source, target: $0.value.source)
        }
    }

    /// Removes the moves to known files that have not been moved themselves: such a file has been
    /// overwritten, and keeps its own entries.
    private func removeOccupiedTargets(_ moved: inout [Int: SyncCandidate]) {
        while true {
            let leaving = Set(moved.keys.map { origins[$0].source })
            let free = moved.filter { $0.value.isNew || leaving.contains($0.value.source) }
            if free.count == moved.count { return }
            moved = free
        }
    }

    private static func name(of source: Source.ID) -> Substring {
        source[(source.lastIndex(of: "/").map { source.index(after: $0) } ?? source.startIndex)...]
    }
}

struct SourceMove: Sendable, Hashable {
    var origin: Source.ID
    var target: Source.ID
}

/// Moves the entries of sources to other sources. The ids, texts, vectors, tags and assignments of the
/// entries stay the same.
struct SourceMover {
    let store: KnowledgeStore

    private static let batchSize = 64

    /// Moves sources. The entries of a source and its record are moved in one commit, together with those of
    /// all sources on which the move depends.
    ///
    /// A source that another process has changed in the meantime is not moved.
    func run(_ moves: [SourceMove]) async throws {
        // A target that is itself moved is free only after that move, so these moves need one commit.
        let origins = Set(moves.map(\.origin))
        let targets = Set(moves.map(\.target))
        let chained = moves.filter { origins.contains($0.target) || targets.contains($0.origin) }
        if !chained.isEmpty { try await commit(chained) }
        let others = moves.filter { !origins.contains($0.target) && !targets.contains($0.origin) }
        for group in others.groups(of: Self.batchSize) {
            try Task.checkCancellation()
            try await commit(group)
        }
    }

    private func commit(_ moves: [SourceMove]) async throws {
        try await store.storage.commitChange { (try await batch(for: moves, in: $0), ()) }
    }

    private func batch(for moves: [SourceMove], in snapshot: any StorageSnapshot) async throws -> WriteBatch {
        var batch = WriteBatch()
        let origins = Set(moves.map(\.origin))
        for move in moves {
            guard let record = try await snapshot.sources([move.origin]).first else { continue }
            let entries = try await snapshot.entries(record.entryIDs)
            // Another process that ingests the target at the same time uses the derived ids.
            let derived = entries.compactMap { entry in
                entry.key.map { EntryID.derived(source: move.target, key: $0) }
            }
            if !origins.contains(move.target), let other = try await snapshot.sources([move.target]).first {
                // An interrupted ingest has left a part of the same entries, with derived ids.
                guard other.fingerprint.isEmpty, Set(other.entryIDs).isSubset(of: derived) else { continue }
                batch.removals += other.entryIDs
            }
            batch.expecting.entries.merge(try await snapshot.revisions(of: record.entryIDs)) { $1 }
            let known = try await snapshot.revisions(of: derived)
            batch.expecting.entries.merge(known) { $1 }
            for id in derived where known[id] == nil { batch.expecting.entries[id] = .zero }
            batch.upserts += entries.map { changing($0) { $0.source = move.target } }
            batch.sources.append(
                Source(
                    id: move.target, fingerprint: Self.fingerprint(record, of: entries, movedTo: move.target),
                    ingestedAt: record.ingestedAt))
            batch.removedSources.append(move.origin)
        }
        let kept = Set(batch.sources.map(\.id))
        batch.removedSources.removeAll { kept.contains($0) }
        return batch
    }

    /// Returns the fingerprint of a moved source. It is empty if the file must be read again: if it has
    /// another extension, because its text may then be treated in another way, or another name after which an
    /// entry is named.
    private static func fingerprint(
        _ record: Source, of entries: [Entry], movedTo target: Source.ID
    ) -> String {
        guard let old = URL(string: record.id), let new = URL(string: target) else { return "" }
        func name(_ url: URL) -> String {
            url.deletingPathExtension().lastPathComponent.precomposedStringWithCanonicalMapping
        }
        func kind(_ url: URL) -> String {
            url.pathExtension.isEmpty ? url.lastPathComponent : url.pathExtension.lowercased()
        }
        let isNamed = entries.contains { $0.metadata[DocumentKey.title]?.string == name(old) }
        return kind(old) != kind(new) || (isNamed && name(old) != name(new)) ? "" : record.fingerprint
    }
}
