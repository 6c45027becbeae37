/// Observes folders and reports their changes.
protocol FolderObserver: Sendable {
    /// The reason why some folders are not observed; `nil` if all are.
    var failure: String? { get }

    /// Begins to observe the files and folders in a folder, without those in its subfolders.
    func observe(_ folder: String)

    /// Waits for changes.
    ///
    /// - Parameter timeout: The maximum time to wait.
    /// - Returns: The changes since the last call; no changes after the timeout.
    /// - Throws: `CancellationError`; ``RoostError`` if the changes cannot be read.
    func changes(timeout: Duration) async throws -> FolderChanges
}
