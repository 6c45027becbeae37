import RoostModel

/// A folder to sync, with the state of the last sync.
struct SyncTree: Sendable {
    let folder: SyncedFolder
    var state: SyncState
    /// The part of the folder that may have changed.
    var scope = FolderScope.everything
    /// The paths of other folders inside the folder. Their files belong to them alone.
    private(set) var innerFolders: Set<String> = []

    init(folder: SyncedFolder, state: SyncState) { (self.folder, self.state) = (folder, state) }

    /// Leaves the files of other folders to them: each file belongs to the innermost folder that contains it.
    ///
    /// - Parameter folders: All folders of the store and of the sync.
    mutating func exclude(_ folders: [SyncedFolder]) {
        innerFolders = Set(folders.map(\.path).filter { folder.relativePath(of: $0)?.isEmpty == false })
        guard !innerFolders.isEmpty else { return }
        // The state is from before the other folder was added.
        let foreign = state.files.keys.filter { !owns(folder.path + "/" + $0.text) }
        for path in foreign { state.files[path] = nil }
    }

    /// Returns whether a file below the folder belongs to it and not to a folder inside of it.
    func owns(_ path: String) -> Bool { !innerFolders.contains { path.hasPrefix($0 + "/") } }

    /// The files of the state that are in the scope.
    var filesInScope: [ExactText: SyncState.File] {
        scope.isEntire ? state.files : state.files.filter { scope.contains($0.key.text) }
    }
}
