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
        /// The status of the file at the last sync; `nil` if it is unknown.
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

    /// The files whose digests are required. Files that cannot be the target of a move, because of their
    /// sizes or inodes, are not read.
    var relevantFiles: [SyncCandidate] {
        let missing = origins.filter(\.isMissing)
        let sizes = Set(missing.compactMap { $0.status?.size })
        let hasUnknownSize = missing.contains { $0.status == nil }
        return candidates.filter { candidate in
            guard let status = candidate.file.status, status.size > 0 else { return false }
            if candidate.isNew, hasUnknownSize || sizes.contains(status.size) { return true }
            return sharesInode(candidate) != nil
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
    ///
    /// - Parameter digests: The digests of the files in ``relevantFiles`` by the ids of their sources.
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
