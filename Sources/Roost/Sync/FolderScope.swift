import RoostModel

/// The part of a folder that a search for files visits, as a tree of names.
struct FolderScope: Sendable, Hashable {
    /// Whether everything at and below this path is in the scope.
    private(set) var isEntire: Bool
    /// The parts that are in the scope, by their names, if not everything is.
    private(set) var children: [ExactText: FolderScope] = [:]

    static let everything = FolderScope(isEntire: true)

    private init(isEntire: Bool) { self.isEntire = isEntire }

    init() { self.init(isEntire: false) }

    var isEmpty: Bool { !isEntire && children.isEmpty }

    /// Adds a file, or a folder with everything in it.
    ///
    /// - Parameter path: The path relative to the folder; an empty path adds everything.
    mutating func insert(_ path: String) { insert(path.split(separator: "/")[...]) }

    private mutating func insert(_ names: ArraySlice<Substring>) {
        guard !isEntire else { return }
        guard let first = names.first else {
            self = .everything
            return
        }
        children[ExactText(String(first)), default: FolderScope()].insert(names.dropFirst())
    }

    mutating func formUnion(_ other: FolderScope) {
        guard !isEntire else { return }
        guard !other.isEntire else {
            self = .everything
            return
        }
        for (name, scope) in other.children { children[name, default: FolderScope()].formUnion(scope) }
    }

    func below(_ name: String) -> FolderScope? { isEntire ? .everything : children[ExactText(name)] }

    /// Returns whether a file or folder is in the scope.
    ///
    /// - Parameter path: The path relative to the folder.
    func contains(_ path: String) -> Bool {
        var scope = self
        for name in path.split(separator: "/") {
            if scope.isEntire { return true }
            guard let next = scope.children[ExactText(String(name))] else { return false }
            scope = next
        }
        // A scope below the path means that the path was a folder when it was added.
        return !scope.isEmpty
    }
}
