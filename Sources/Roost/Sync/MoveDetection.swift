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
        /// The digest of its former contents.
        var digest: String
        /// Whether the file is missing.
        var isMissing: Bool
        /// The status of the file at the last sync; `nil` if it is unknown.
        var status: FileStatus?
    }

    private let origins: [Origin]
    private let candidates: [SyncCandidate]
    private var origin: [UInt64: Int] = [:]

    /// Creates a detection.
    ///
    /// - Parameters:
    ///   - origins: The sources that may have been moved.
    ///   - candidates: The files to which they may have been moved.
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
        var targets = Dictionary(grouping: free) { digests[$0.source] }.mapValues(Targets.init)
        for (index, origin) in origins.enumerated() where origin.isMissing && moved[index] == nil {
            moved[index] = targets[origin.digest]?.take(preferring: Self.name(of: origin.source))
        }
        return moved.sorted { $0.key < $1.key }.map {
            SourceMove(origin: origins[$0.key].source, target: $0.value.source)
        }
    }

    /// Removes the moves to known files that have not been moved themselves: such a file has been
    /// overwritten, and keeps its own entries.
    ///
    /// - Complexity: O(number of moves), also for files that were moved in a chain, such as numbered ones.
    private func removeOccupiedTargets(_ moved: inout [Int: SyncCandidate]) {
        let leaving = Set(moved.keys.map { origins[$0].source })
        let byTarget = Dictionary(moved.map { ($0.value.source, $0.key) }) { first, _ in first }
        var occupied = moved.filter { !$0.value.isNew && !leaving.contains($0.value.source) }.map(\.key)
        while let index = occupied.popLast() {
            moved[index] = nil
            // The file of this move stays, so its path is no target either.
            if let next = byTarget[origins[index].source], moved[next]?.isNew == false {
                occupied.append(next)
            }
        }
    }

    /// New files with equal contents that are not the target of a move yet.
    private struct Targets {
        private let files: [SyncCandidate]
        private var isTaken: [Bool]
        /// All files before this index are taken.
        private var first = 0
        /// The indices of the files with each name, in descending order.
        private var indices: [Substring: [Int]] = [:]

        init(_ files: [SyncCandidate]) {
            self.files = files
            isTaken = Array(repeating: false, count: files.count)
            for index in files.indices.reversed() {
                indices[MoveDetection.name(of: files[index].source), default: []].append(index)
            }
        }

        /// Takes the first file with a name or, if no file has it, the first of all files.
        ///
        /// - Returns: `nil` if all files are taken.
        /// - Complexity: O(1), amortized over all calls.
        mutating func take(preferring name: Substring) -> SyncCandidate? {
            while let index = indices[name]?.popLast() {
                if !isTaken[index] { return take(index) }
            }
            while first < files.count, isTaken[first] { first += 1 }
            return first < files.count ? take(first) : nil
        }

        private mutating func take(_ index: Int) -> SyncCandidate {
            isTaken[index] = true
            return files[index]
        }
    }

    private static func name(of source: Source.ID) -> Substring {
        source[(source.lastIndex(of: "/").map { source.index(after: $0) } ?? source.startIndex)...]
    }
}
