import RoostModel

/// Changes in watched folders.
struct FolderChanges: Sendable, Hashable {
    /// The paths of the files and folders that were changed, created or removed.
    ///
    /// Paths are compared byte by byte, because a file can be renamed to another Unicode normalization of its
    /// name.
    var paths: Set<ExactText> = []
    /// Whether other files may have changed, so that all folders have to be searched.
    var isIncomplete = false

    /// The maximum number of paths. For more changes, searching all folders is faster.
    static let maximumCount = 20_000

    var isEmpty: Bool { paths.isEmpty && !isIncomplete }

    mutating func insert(_ path: String) {
        guard !isIncomplete else { return }
        paths.insert(ExactText(path))
        if paths.count > Self.maximumCount { (paths, isIncomplete) = ([], true) }
    }

    mutating func formUnion(_ other: FolderChanges) {
        if other.isIncomplete { (paths, isIncomplete) = ([], true) }
        for path in other.paths { insert(path.text) }
    }
}
