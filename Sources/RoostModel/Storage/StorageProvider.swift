public import Foundation

/// Keeps entries, sources and clusters. The truth: everything else is derived from it.
///
/// A provider is safe to call from any number of tasks at once. What it promises beyond one process
/// (durability, other writers) is its own to state; `RoostTestKit` has a law for each promise.
///
/// Requirements with defaults are written once, over the five without; whoever has a better way overrides
/// them. A small backend of one's own may conform to ``SimpleStorageProvider`` instead.
public protocol StorageProvider: Sendable {
    /// Writes a batch.
    ///
    /// - **Atomicity**: all of it or none, also when the process dies in the middle.
    /// - **Visibility**: every snapshot taken after the return sees it, from any handle and process.
    /// - **Idempotence**: what equals what is stored makes no change; a batch that changes nothing returns
    ///   the current revision. Committing the same batch again is therefore safe, unless it expects
    ///   something.
    /// - **Cancellation**: a task cancelled before the commit point (the one step that makes the batch
    ///   durable, which each provider names), also while it waits for other writers, throws
    ///   `CancellationError` and nothing is written; after it, the call returns normally.
    /// - Returns: the revision from which the batch is visible.
    /// - Throws: ``StorageError``: `.conflict` where `batch.expecting` does not hold, `.invalidBatch`,
    ///   `.dimensionMismatch`, `.locked`, `.full`, `.readOnly`, `.inputOutput`, `.damaged`, `.newerFormat`,
    ///   `.unsupported`, `.closed`. Nothing was written then; only where the message says that it is not
    ///   known may the batch be found, and committing it again is safe.
    func commit(_ batch: WriteBatch) async throws -> Revision

    /// The store as it is now, unmoved by whatever is committed later.
    ///
    /// - **Atomicity**: one revision, never half a batch.
    /// - **Visibility**: everything committed before the call, from any handle and process.
    /// - **Idempotence**: reads only.
    /// - **Cancellation**: may throw `CancellationError`; nothing is held then.
    /// - Throws: ``StorageError``: `.damaged`, `.newerFormat`, `.locked`, `.inputOutput`, `.closed`.
    ///
    /// A snapshot may be read after ``close()``. One that is held long may keep a backend from tidying up (a
    /// database's log grows): let go of it when it has been read.
    func snapshot() async throws -> any StorageSnapshot

    /// The changes after a cursor, oldest first.
    ///
    /// A reader that pages until `isLast` and goes on from there later has seen every entry's latest state
    /// and every removal, in the order of the commits; an entry that changes while it reads comes again.
    /// - **Atomicity**: one page is of one revision; two pages need not be.
    /// - **Visibility**: as ``snapshot()``.
    /// - **Idempotence**: the same cursor gives the same changes, less those overtaken by later ones.
    /// - **Cancellation**: may throw `CancellationError`.
    /// - Precondition: `limit` is at least 1.
    /// - Parameter limit: the most changes to return.
    /// - Returns: ``ChangePage/resetRequired`` where the cursor cannot be followed.
    /// - Throws: as ``snapshot()``.
    func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage

    /// Begins a new history: stamps and cursors of before are never taken for those of after. Restore and
    /// repair call it.
    ///
    /// - **Atomicity, visibility, cancellation**: as ``commit(_:)``.
    /// - **Idempotence**: none; each call begins another history and takes a revision.
    /// - Returns: the stamp of the same contents in the new epoch.
    /// - Throws: as ``commit(_:)``; `.unsupported` where the backend cannot keep an epoch.
    @discardableResult
    func renewEpoch() async throws -> Stamp

    /// Tidies up what commits have left behind: gives back space and brings files for people up to date.
    /// What the store holds stays as it is; a backend without such things does nothing.
    ///
    /// - **Atomicity**: the store is whole at any moment. Other writers may have to wait.
    /// - **Visibility**: nothing changes for readers.
    /// - **Idempotence**: a second call finds little to do.
    /// - **Cancellation**: may be noticed or not.
    /// - Throws: as ``commit(_:)``.
    func compact() async throws

    /// Lets go of files and connections. Calls that are under way, or wait for their turn, finish; later ones
    /// throw `.closed`.
    ///
    /// - **Atomicity**: what was committed stays, whether this is called or not.
    /// - **Visibility**: snapshots that were taken stay as they are; other handles notice nothing.
    /// - **Idempotence**: closing twice is no error.
    /// - **Cancellation**: is not noticed.
    /// - Throws: ``StorageError`` with `.inputOutput`; the handle is closed all the same.
    func close() async throws

    // MARK: The simple verbs

    /// Inserts an entry, or puts it in the place of the one with the same id. As ``commit(_:)``.
    func saveEntry(_ entry: Entry) async throws

    /// Saves entries in one commit; of several with one id the last counts. As ``commit(_:)``.
    func saveEntries(_ entries: [Entry]) async throws

    /// All entries, oldest row first. As ``snapshot()``; throws `.damaged` where some cannot be found.
    func fetchEntries() async throws -> [Entry]

    /// Inserts a cluster, or puts it in the place of the one with the same id. Its `members` become its
    /// members: others leave it, and an entry that was in another cluster moves. Similarities of members that
    /// stay are kept; those that join have the cluster's cohesion and no run.
    ///
    /// Read and written as one: where the clusters change in between, it is done again. Otherwise as
    /// ``commit(_:)``.
    /// - Throws: also `.notFound` where a member is not in the store.
    func updateCluster(_ cluster: Cluster) async throws

    /// All clusters with their members, in the order in which they were first saved. As ``snapshot()``.
    func fetchClusters() async throws -> [Cluster]

    /// Removes an entry; one that is not there is no error. As ``commit(_:)``.
    func deleteEntry(_ id: Entry.ID) async throws
}
