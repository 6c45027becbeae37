import RoostModel

/// A folder to sync, with the state of the last sync.
struct SyncTree: Sendable {
    /// The folder.
    let folder: SyncedFolder
    /// The files that the last sync found.
    var state: SyncState
    /// The part of the folder that may have changed.
    var scope = FolderScope.everything

    /// The files of the state that are in the scope.
    ///
    /// - Complexity: O(paths in the scope) if each of them is a file of the state, otherwise O(files of the
    ///   state).
    var filesInScope: [ExactText: SyncState.File] {
        guard !scope.isEntire else { return state.files }
        let paths = scope.paths
        let files = paths.compactMap { path in
            state.files[ExactText(path)].map { (ExactText(path), $0) }
        }
        if files.count == paths.count { return Dictionary(files) { first, _ in first } }
        // A path that is not a file can be that of a folder.
        return state.files.filter { scope.contains($0.key.text) }
    }
}
