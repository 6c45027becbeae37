public import Foundation

/// A store of entries, source records and clusters. Indexes and other derived data are built from it.
///
/// Any number of tasks can use a provider at the same time. Each provider documents its additional
/// guarantees, such as durability and support for several writing processes. `RoostTestKit` has a test,
/// called a law, for each guarantee.
///
/// Five requirements have no default implementation: ``commit(_:)``, ``snapshot()``,
/// ``changes(after:limit:)``, ``renewEpoch()`` and ``close()``. The default implementations of the others
/// call these five; a provider can replace them with faster ones. For a small custom backend, conform to
/// ``SimpleStorageProvider`` instead.
public protocol StorageProvider: Sendable {
    /// Writes a batch.
    ///
    /// - **Atomicity**: Either the whole batch is written or nothing is, even if the process is killed.
    /// - **Visibility**: Every snapshot that is taken after the call has returned contains the batch,
    ///   whichever handle or process takes it.
    /// - **Idempotence**: Data that is equal to the stored data changes nothing, and a batch that changes
    ///   nothing returns the current revision. Committing the same batch again is therefore safe, unless it
    ///   has expectations.
    /// - **Cancellation**: If the task is canceled before the commit point, for example while it waits for
    ///   other writers, the call throws `CancellationError` and writes nothing. After the commit point, the
    ///   call returns normally. The commit point is the step that makes the batch durable; each provider
    ///   documents its commit point.
    /// - **Errors**: If the call throws an error, nothing was written. The only exception is an error whose
    ///   message says that the outcome is unknown. In that case, the batch may have been written, and
    ///   committing it again is safe.
    ///
    /// - Parameter batch: The changes to make.
    /// - Returns: The revision from which the batch is visible.
    /// - Throws: ``StorageError`` with `.conflict` if `batch.expecting` does not match the store, and with
    ///   `.invalidBatch`, `.dimensionMismatch`, `.locked`, `.full`, `.readOnly`, `.inputOutput`, `.damaged`,
    ///   `.newerFormat`, `.unsupported` or `.closed`.
    func commit(_ batch: WriteBatch) async throws -> Revision

    /// Returns a snapshot of the latest revision. Later commits do not change it.
    ///
    /// - **Atomicity**: A snapshot contains every batch completely or not at all.
    /// - **Visibility**: A snapshot contains everything that was committed before the call, whichever handle
    ///   or process committed it.
    /// - **Idempotence**: The call changes nothing.
    /// - **Cancellation**: The call may throw `CancellationError`. In that case, no resources stay in use.
    /// - **Errors**: If the call throws an error, no resources stay in use.
    ///
    /// A snapshot stays readable after ``close()``. A snapshot that is kept for a long time may prevent the
    /// backend from freeing space (for example, the write-ahead log of a database grows), so release a
    /// snapshot when it is no longer needed.
    ///
    /// - Throws: ``StorageError`` with `.damaged`, `.newerFormat`, `.locked`, `.inputOutput` or `.closed`.
    func snapshot() async throws -> any StorageSnapshot

    /// Returns the changes after a cursor, oldest first.
    ///
    /// A reader that reads page after page until `isLast`, and later continues from the last cursor, sees
    /// the latest state of every entry and every removal, in commit order. An entry that changes while the
    /// reader reads appears again at its new position.
    ///
    /// - **Atomicity**: All changes on a page are read from one revision of the store. Two pages can come
    ///   from different revisions.
    /// - **Visibility**: The same as for ``snapshot()``.
    /// - **Idempotence**: The same cursor returns the same changes, except those superseded by later ones.
    /// - **Cancellation**: The call may throw `CancellationError`.
    /// - **Errors**: After an error, the cursor remains valid.
    ///
    /// - Parameters:
    ///   - cursor: The position after which to read; ``ChangeCursor/start`` for all entries.
    ///   - limit: The maximum number of changes on the page.
    /// - Precondition: `limit` is at least 1.
    /// - Returns: The page, or ``ChangePage/resetRequired`` if the store cannot continue from the cursor.
    /// - Throws: The errors of ``snapshot()``.
    func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage

    /// Begins a new history with the same contents.
    ///
    /// Stamps and cursors of the old history never equal those of the new one. The method is called when a
    /// store is restored or repaired.
    ///
    /// - **Atomicity, visibility, cancellation**: The same as for ``commit(_:)``.
    /// - **Idempotence**: The call is not idempotent. Each call begins another history and increments the
    ///   revision.
    /// - **Errors**: The same as for ``commit(_:)``.
    ///
    /// - Returns: The stamp of the same contents in the new epoch.
    /// - Throws: The errors of ``commit(_:)``; `.unsupported` if the backend cannot store an epoch.
    @discardableResult
    func renewEpoch() async throws -> Stamp

    /// Frees the space that is taken by obsolete data of earlier commits, and updates the files that exist
    /// only for people to read.
    ///
    /// The contents of the store do not change. The default implementation does nothing; it is for backends
    /// that have no space to free.
    ///
    /// - **Atomicity**: The store is complete and consistent at every moment. Other writers may have to wait.
    /// - **Visibility**: Readers see no change.
    /// - **Idempotence**: If the method is called again, there is little left to do.
    /// - **Cancellation**: The call may finish or throw `CancellationError`.
    /// - **Errors**: After an error, the contents of the store are intact.
    ///
    /// - Throws: The errors of ``commit(_:)``.
    func compact() async throws

    /// Closes files and connections.
    ///
    /// Calls that are in progress finish, including those that wait for a lock. Later calls throw `.closed`.
    ///
    /// - **Atomicity**: Committed data is safe whether this method is called or not.
    /// - **Visibility**: Snapshots stay readable. Other handles are not affected.
    /// - **Idempotence**: Closing twice is not an error.
    /// - **Cancellation**: Cancellation is ignored.
    /// - **Errors**: The handle is closed even if the call throws.
    ///
    /// - Throws: ``StorageError`` with `.inputOutput`.
    func close() async throws

    // MARK: The simple verbs

    /// Inserts an entry, or replaces the entry with the same id.
    ///
    /// The method makes one commit, with the guarantees and errors of ``commit(_:)``.
    func saveEntry(_ entry: Entry) async throws

    /// Inserts or replaces entries. If several have the same id, the last one is saved.
    ///
    /// The method makes one commit, with the guarantees and errors of ``commit(_:)``.
    func saveEntries(_ entries: [Entry]) async throws

    /// Returns all entries of one revision, in ascending order of rows. All of them are in memory at once;
    /// see ``allEntries(matching:pageSize:)`` for a sequence that reads them in pages.
    ///
    /// - Throws: The errors of ``snapshot()``; `.damaged` if entries are missing.
    func fetchEntries() async throws -> [Entry]

    /// Inserts a cluster, or replaces the cluster with the same id, and sets its members.
    ///
    /// The entries in `cluster.members` become the members of the cluster, even if they belong to other
    /// clusters. All other entries leave the cluster. Members that stay keep their similarity. For new
    /// members, the similarity is set to the cluster's cohesion, and the run to `nil`.
    ///
    /// The method reads the store and makes a commit. If the clusters change in between, it repeats both
    /// steps. Apart from this, it has the guarantees and errors of ``commit(_:)``.
    ///
    /// - Throws: The errors of ``commit(_:)``; `.notFound` if a member is not in the store.
    func updateCluster(_ cluster: Cluster) async throws

    /// Returns all clusters with their members, in the order in which they were first saved.
    ///
    /// - Throws: The errors of ``snapshot()``.
    func fetchClusters() async throws -> [Cluster]

    /// Removes an entry and its assignment. If the store does not contain the entry, nothing changes.
    ///
    /// The method makes one commit, with the guarantees and errors of ``commit(_:)``.
    func deleteEntry(_ id: Entry.ID) async throws
}

extension StorageProvider {
    public func compact() async throws {}

    public func saveEntry(_ entry: Entry) async throws { _ = try await commit(WriteBatch(upserts: [entry])) }

    public func saveEntries(_ entries: [Entry]) async throws {
        var last: [Entry.ID: Int] = [:]
        for (index, entry) in entries.enumerated() { last[entry.id] = index }
        let upserts = entries.enumerated().filter { last[$0.element.id] == $0.offset }.map(\.element)
        _ = try await commit(WriteBatch(upserts: upserts))
    }

    public func fetchEntries() async throws -> [Entry] {
        let snapshot = try await snapshot()
        var entries: [Entry] = []
        for try await page in snapshot.entryPages() { entries += page.entries }
        guard entries.count == snapshot.stamp.entryCount else {
            throw StorageError(
                .damaged,
                "cannot fetch all entries: the store should have \(snapshot.stamp.entryCount) entries, but "
                    + "\(entries.count) were found",
                remedy: .inspectStore)
        }
        return entries
    }

    public func updateCluster(_ cluster: Cluster) async throws {
        try await commitChange { snapshot in
            let revision = try await snapshot.clustersRevision()
            let members = Set(cluster.members)
            let known = try await snapshot.revisions(of: cluster.members)
            if let unknown = cluster.members.first(where: { known[$0] == nil }) {
                throw StorageError(
                    .notFound,
                    "cannot update cluster \(cluster.id): its member \(unknown) is not in the store")
            }
            let before = try await snapshot.clusters().first { $0.id == cluster.id }?.members ?? []
            let joining = members.subtracting(before)
            let batch = WriteBatch(
                clusters: [cluster],
                assignments: cluster.members.filter(joining.contains).map {
                    Assignment(entry: $0, target: .cluster(cluster.id), similarity: cluster.cohesion)
                },
                unassignments: before.filter { !members.contains($0) },
                expecting: .init(clusters: revision))
            return (batch, ())
        }
    }

    public func fetchClusters() async throws -> [Cluster] { try await snapshot().clusters() }

    public func deleteEntry(_ id: Entry.ID) async throws { _ = try await commit(WriteBatch(removals: [id])) }

    /// Removes an entry and its assignment. If the store does not contain the entry, nothing changes.
    ///
    /// - Parameter entry: The entry, which is identified by its id only.
    /// - Throws: The errors of ``deleteEntry(_:)``.
    public func deleteEntry(_ entry: Entry) async throws { try await deleteEntry(entry.id) }
}
