import RoostModel

/// The folders that an observer watches, by their watches and as a tree, so that a folder with many siblings
/// is removed without a search in all of them.
struct WatchedFolders {
    private var paths: [Int32: String] = [:]
    private var watches: [ExactText: Int32] = [:]
    /// The subfolders of each folder that are watched or contain watched folders.
    private var children: [ExactText: Set<ExactText>] = [:]

    /// The number of watches.
    var count: Int { paths.count }

    /// Returns the path of the folder that a watch observes; `nil` for an unknown watch.
    subscript(watch: Int32) -> String? { paths[watch] }

    /// Adds a folder, or changes the path of a watched one.
    ///
    /// - Complexity: O(number of folders in the path) at most.
    mutating func insert(_ folder: String, _ watch: Int32) {
        let path = ExactText(folder)
        if let old = paths[watch], ExactText(old) != path { remove(ExactText(old), of: watch) }
        paths[watch] = folder
        watches[path] = watch
        var child = path
        while let parent = Self.parent(of: child), children[parent, default: []].insert(child).inserted {
            child = parent
        }
    }

    /// Removes the folder with a watch. Its subfolders remain.
    mutating func remove(_ watch: Int32) {
        guard let folder = paths.removeValue(forKey: watch) else { return }
        remove(ExactText(folder), of: watch)
    }

    /// Removes a folder and its subfolders, and returns their watches.
    ///
    /// - Complexity: O(number of removed folders).
    mutating func removeTree(_ folder: String) -> [Int32] {
        var removed: [Int32] = []
        var rest = [ExactText(folder)]
        while let path = rest.popLast() {
            rest += children.removeValue(forKey: path) ?? []
            guard let watch = watches.removeValue(forKey: path) else { continue }
            paths[watch] = nil
            removed.append(watch)
        }
        removeLinks(to: ExactText(folder))
        return removed
    }

    private mutating func remove(_ path: ExactText, of watch: Int32) {
        // A new folder with this path can have another watch.
        guard watches[path] == watch else { return }
        watches[path] = nil
        removeLinks(to: path)
    }

    /// Removes a folder from its parent if nothing in it is watched.
    private mutating func removeLinks(to path: ExactText) {
        var child = path
        while watches[child] == nil, children[child] == nil, let parent = Self.parent(of: child) {
            children[parent]?.remove(child)
            guard children[parent]?.isEmpty ?? true else { return }
            children[parent] = nil
            child = parent
        }
    }

    /// Returns the parent of a folder; `nil` for the root.
    private static func parent(of folder: ExactText) -> ExactText? {
        let path = folder.text
        guard path != "/", let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return ExactText(slash == path.startIndex ? "/" : String(path[..<slash]))
    }
}
