/// Observes folders and reports their changes.
protocol FolderObserver: Sendable {
    /// The reason why some folders are not observed; `nil` if all are.
    var failure: String? { get }

    /// Begins to observe the files and folders in a folder, without those in its subfolders.
    func observe(_ folder: String)

    func changes(timeout: Duration) async throws -> FolderChanges
}
