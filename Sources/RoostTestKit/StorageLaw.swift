import Foundation
import RoostModel

/// A guarantee that every storage provider of a given level must give.
///
/// Each law is a separate test case, so the name of the failed test shows which law is violated:
///
///     @Test(arguments: StorageLaw.laws(upTo: .durable))
///     func `my store obeys`(law: StorageLaw) async throws {
///         try await law.check(MyFixture())
///     }
public enum StorageLaw: String, Sendable, CaseIterable {
    /// Saved entries are returned by `fetchEntries()` in the order in which they were inserted. Saving an entry
    /// replaces a stored entry with the same id.
    case savedEntriesCanBeFetched
    /// `updateCluster(_:)` sets the members of a cluster, and removes them from other clusters.
    case clustersKeepTheirMembers
    /// Every field of entries, sources, clusters, assignments and runs is stored unchanged.
    case everyFieldIsPreserved
    /// A deleted entry disappears from the entries, the clusters and the assignments.
    case deletionRemovesEntries
    /// `updateCluster(_:)` keeps the assignments of members that stay, and rejects members that are not
    /// stored.
    case clusterUpdatesKeepAssignments
    /// Row numbers grow in the order of insertion, and the row of a deleted entry is not used again.
    case rowNumbersAreNotReused
    /// Compacting changes nothing that can be read.
    case compactionChangesNothing
    /// A batch is rejected with `.conflict` if the revisions of entries differ from those that the batch
    /// expects.
    case expectationsAreChecked
    /// If two clusterings were computed from the same state, only one of them can be committed.
    case concurrentClusteringsConflict
    /// Committing the same batch again changes nothing.
    case commitIsIdempotent
    /// Every commit that changes something has a higher revision than the previous commit.
    case revisionsIncrease
    /// The change feed reports every change exactly once and in commit order, regardless of the page size. A page
    /// can end inside a batch, and a cursor can be encoded as JSON and decoded again.
    case changesAreCompleteAndOrdered
    /// A cursor of an earlier epoch, or of a state that the store does not have, requires a reset.
    case newEpochRequiresReset
    /// A batch with a new epoch begins a new history in the same commit.
    case batchCanBeginNewEpoch
    /// Filters select the same entries as in the reference implementation.
    case filtersMatchReference
    /// Pages of vectors contain every vector exactly once, regardless of the page size.
    case vectorsAreReadInPages
    /// If eight tasks commit concurrently, all commits are stored. From the level `durable` on, they use two
    /// handles, which see each other's commits.
    case concurrentWritersLoseNoUpdates
    /// A task never sees a partial batch while another task commits it.
    case concurrentReadersSeeOnlyCompleteBatches
    /// A batch applies removals before insertions, so an entry or source that it removes and adds is new.
    case removalsPrecedeUpserts
    /// If four tasks change an entry on the condition that nobody else has changed it, no change is lost.
    case optimisticWritersLoseNoUpdates
    /// A task that follows the changes while another one commits them misses none and sees none twice.
    case concurrentReaderMissesNoChange
    /// Later commits do not change a snapshot, also if it is read page by page while all entries are replaced,
    /// the store is compacted and a new epoch begins.
    case heldSnapshotsOutliveNewEpochs
    /// Vectors with a different dimension are rejected, unless the batch replaces all vectors.
    case vectorsHaveOneDimension
    /// Source records are read in the order of the bytes of their ids, and each lists the source's entries.
    case sourcesListTheirEntries
    /// A store that is closed and opened again is unchanged, also after rejected and canceled batches, and
    /// cursors remain valid.
    case reopenedStoreIsUnchanged
    /// A new clustering replaces all clusters and assignments in a single step.
    case clusteringIsReplacedAtomically
    /// A rejected batch changes nothing, and batches with invalid data are rejected.
    case invalidBatchesAreRejected
    /// Unusual ids, tags and keys, such as paths and SQL, and very large values are stored unchanged. Strings
    /// that differ only in Unicode normalization are different, except for tags in filters.
    case unusualNamesAreAccepted
    /// A commit that is canceled while it is running either completes, or throws without writing anything. The
    /// calls of a task that is already canceled write nothing.
    case commitIsCancelledOrComplete
    /// A closed handle rejects calls, but its snapshots and other handles still work.
    case closedHandleRejectsCalls
    /// A commit that runs while its handle is closed is either stored, or rejected with `.closed`.
    case closingLosesNoCommits
    /// Commits made through a handle that was abandoned without being closed are stored.
    case unclosedHandleLosesNoCommits
    /// If four processes commit concurrently, all commits are stored.
    case concurrentProcessesLoseNoUpdates
    /// The commits of a process that was killed are stored, and the store can still be written to.
    case killedProcessLosesNoCommits
    /// A reader never sees a partial batch while another process commits it.
    case readersSeeOnlyCompleteBatches
    /// A process can follow the changes while another process commits them.
    case otherProcessesCanFollowChanges

    /// The lowest level at which a store must obey the law.
    public var level: StorageLevel {
        switch self {
        case .savedEntriesCanBeFetched, .clustersKeepTheirMembers: .simple
        case .reopenedStoreIsUnchanged, .closedHandleRejectsCalls, .closingLosesNoCommits,
            .unclosedHandleLosesNoCommits:
            .durable
        case .concurrentProcessesLoseNoUpdates, .killedProcessLosesNoCommits, .readersSeeOnlyCompleteBatches,
            .otherProcessesCanFollowChanges:
            .severalProcesses
        default: .inMemory
        }
    }

    /// Returns the laws that a store of the given level must obey.
    public static func laws(upTo level: StorageLevel) -> [StorageLaw] {
        allCases.filter { $0.level <= level }
    }

    /// Checks the law with a new fixture, and then tears down the fixture.
    ///
    /// - Parameter fixture: A fixture that has not opened a store yet.
    /// - Throws: ``LawViolation``, or an error thrown by the store.
    public func check(_ fixture: some StorageFixture) async throws {
        do {
            let store = try await fixture.open()
            try await run(Trial(fixture: fixture, store: store))
            try await store.close()
        } catch {
            await fixture.tearDown()
            throw error
        }
        await fixture.tearDown()
    }

    private func run(_ trial: Trial) async throws {
        switch self {
        case .savedEntriesCanBeFetched: try await trial.savedEntriesCanBeFetched()
        case .clustersKeepTheirMembers: try await trial.clustersKeepTheirMembers()
        case .everyFieldIsPreserved: try await trial.everyFieldIsPreserved()
        case .deletionRemovesEntries: try await trial.deletionRemovesEntries()
        case .clusterUpdatesKeepAssignments: try await trial.clusterUpdatesKeepAssignments()
        case .rowNumbersAreNotReused: try await trial.rowNumbersAreNotReused()
        case .compactionChangesNothing: try await trial.compactionChangesNothing()
        case .expectationsAreChecked: try await trial.expectationsAreChecked()
        case .concurrentClusteringsConflict: try await trial.concurrentClusteringsConflict()
        case .commitIsIdempotent: try await trial.commitIsIdempotent()
        case .revisionsIncrease: try await trial.revisionsIncrease()
        case .changesAreCompleteAndOrdered: try await trial.changesAreCompleteAndOrdered()
        case .newEpochRequiresReset: try await trial.newEpochRequiresReset()
        case .batchCanBeginNewEpoch: try await trial.batchCanBeginNewEpoch()
        case .filtersMatchReference: try await trial.filtersMatchReference()
        case .vectorsAreReadInPages: try await trial.vectorsAreReadInPages()
        case .concurrentWritersLoseNoUpdates: try await trial.concurrentWritersLoseNoUpdates()
        case .concurrentReadersSeeOnlyCompleteBatches:
            try await trial.concurrentReadersSeeOnlyCompleteBatches()
        case .removalsPrecedeUpserts: try await trial.removalsPrecedeUpserts()
        case .optimisticWritersLoseNoUpdates: try await trial.optimisticWritersLoseNoUpdates()
        case .concurrentReaderMissesNoChange: try await trial.concurrentReaderMissesNoChange()
        case .heldSnapshotsOutliveNewEpochs: try await trial.heldSnapshotsOutliveNewEpochs()
        case .vectorsHaveOneDimension: try await trial.vectorsHaveOneDimension()
        case .sourcesListTheirEntries: try await trial.sourcesListTheirEntries()
        case .reopenedStoreIsUnchanged: try await trial.reopenedStoreIsUnchanged()
        case .clusteringIsReplacedAtomically: try await trial.clusteringIsReplacedAtomically()
        case .invalidBatchesAreRejected: try await trial.invalidBatchesAreRejected()
        case .unusualNamesAreAccepted: try await trial.unusualNamesAreAccepted()
        case .commitIsCancelledOrComplete: try await trial.commitIsCancelledOrComplete()
        case .closedHandleRejectsCalls: try await trial.closedHandleRejectsCalls()
        case .closingLosesNoCommits: try await trial.closingLosesNoCommits()
        case .unclosedHandleLosesNoCommits: try await trial.unclosedHandleLosesNoCommits()
        case .concurrentProcessesLoseNoUpdates: try await trial.concurrentProcessesLoseNoUpdates()
        case .killedProcessLosesNoCommits: try await trial.killedProcessLosesNoCommits()
        case .readersSeeOnlyCompleteBatches: try await trial.readersSeeOnlyCompleteBatches()
        case .otherProcessesCanFollowChanges: try await trial.otherProcessesCanFollowChanges()
        }
    }
}
