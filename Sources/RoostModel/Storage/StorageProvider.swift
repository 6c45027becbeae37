public import Foundation

/// Keeps entries, sources and clusters. The truth: everything else is derived from it.
///
/// A provider is safe to call from any number of tasks at once. What it promises beyond one process
/// (durability, other writers) is its own to state; `RoostTestKit` has a law for each promise.
///
/// Requirements with defaults are written once, over the four without; whoever has a better way overrides
/// them. A small backend of one's own may conform to ``SimpleStorageProvider`` instead.
public protocol StorageProvider: Sendable {
    /// Writes a batch.
    ///
    /// - **Atomicity**: all of it or none, also when the process dies in the middle.
    /// - **Visibility**: every snapshot taken after the return sees it, from any handle and process.
    /// - **Idempotence**: what equals what is stored makes no change; a batch that changes nothing returns
    ///   the current revision. Committing the same batch again is therefore safe, unless it expects
    ///   something.
    /// - **Cancellation**: a task cancelled before the commit point throws `CancellationError` and nothing is
    ///   written; after it, the call returns normally.
    /// - Returns: the revision from which the batch is visible.
    /// - Throws: ``StorageError``: `.conflict` where `batch.expecting` does not hold, `.invalidBatch`,
    ///   `.dimensionMismatch`, `.locked`, `.inputOutput`, `.closed`.
    func commit(_ batch: WriteBatch) async throws -> Revision

    /// The store as it is now, unmoved by whatever is committed later.
    ///
    /// - **Atomicity**: one revision, never half a batch.
    /// - **Visibility**: everything committed before the call, from any handle and process.
    /// - **Cancellation**: may throw `CancellationError`; nothing is held then.
    /// - Throws: ``StorageError``: `.damaged`, `.newerFormat`, `.inputOutput`, `.closed`.
    func snapshot() async throws -> any StorageSnapshot

    /// The changes after a cursor, oldest first.
    ///
    /// A reader that pages until `isLast` and goes on from there later has seen every entry's latest state
    /// and every removal, in the order of the commits; an entry that changes while it reads comes again.
    /// - **Atomicity**: one page is of one revision; two pages need not be.
    /// - **Visibility**: as ``snapshot()``.
    /// - **Idempotence**: the same cursor gives the same changes, less those overtaken by later ones.
    /// - Parameter limit: the most changes to return, at least 1.
    /// - Returns: ``ChangePage/resetRequired`` where the cursor cannot be followed.
    /// - Throws: as ``snapshot()``.
    func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage

    /// Begins a new history: stamps and cursors of before are never taken for those of after. Restore and
    /// repair call it.
    ///
    /// - **Atomicity, visibility, cancellation**: as ``commit(_:)``.
    /// - Returns: the stamp of the same contents in the new epoch.
    /// - Throws: as ``commit(_:)``; `.unsupported` where the backend cannot keep an epoch.
    @discardableResult
    func renewEpoch() async throws -> Stamp

    /// Tidies up what commits have left behind: gives back space and brings files for people up to date.
    /// What the store holds stays as it is; a backend without such things does nothing.
    ///
    /// - **Atomicity**: the store is whole at any moment. **Visibility**: nothing changes for readers.
    /// - **Cancellation**: may be noticed or not.
    /// - Throws: as ``commit(_:)``.
    func compact() async throws

    /// Lets go of files and connections. Calls that are under way finish; later ones throw `.closed`.
    /// Closing twice is no error.
    func close() async throws

    // MARK: The simple verbs

    /// Inserts an entry, or puts it in the place of the one with the same id. As ``commit(_:)``.
    func saveEntry(_ entry: Entry) async throws

    /// Saves entries in one commit; of several with one id the last counts. As ``commit(_:)``.
    func saveEntries(_ entries: [Entry]) async throws

    /// All entries, oldest row first. As ``snapshot()``.
    func fetchEntries() async throws -> [Entry]

    /// Inserts a cluster, or puts it in the place of the one with the same id. Its `members` become its
    /// members: others leave it, and an entry that was in another cluster moves. As ``commit(_:)``.
    ///
    /// - Throws: also `.notFound` where a member is not in the store.
    func updateCluster(_ cluster: Cluster) async throws

    /// All clusters with their members, in the order in which they were first saved. As ``snapshot()``.
    func fetchClusters() async throws -> [Cluster]

    /// Removes an entry; one that is not there is no error. As ``commit(_:)``.
    func deleteEntry(_ id: Entry.ID) async throws
}
