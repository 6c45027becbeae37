import Foundation
import RoostModel

/// A guarantee that every storage provider of a level must give.
///
/// Each law is a separate test case, so that a failure names the law:
///
///     @Test(arguments: StorageLaw.laws(upTo: .durable))
///     func `my store obeys`(law: StorageLaw) async throws {
///         try await law.check(MyFixture())
///     }
public enum StorageLaw: String, Sendable, CaseIterable {
    /// Saved entries are returned by `fetchEntries()` in the order in which they were inserted.
    case savedEntriesCanBeFetched
    /// Saving an entry whose id is stored replaces the stored entry.
    case savingReplacesEntryWithSameID
    /// `updateCluster(_:)` sets the members of a cluster.
    case clustersKeepTheirMembers
    /// Every field of entries, sources, clusters, assignments and runs is stored without change.
    case everyFieldIsPreserved
    /// A deleted entry disappears from entries, clusters and assignments.
    case deletionRemovesEntries
    /// A rejected batch changes nothing.
    case commitIsAtomic
    /// A batch whose expectations about entries are false is rejected with `.conflict`.
    case expectationsAreChecked
    /// Of two clusterings that were computed from the same state, only one can be committed.
    case concurrentClusteringsConflict
    /// Committing the same batch again changes nothing.
    case commitIsIdempotent
    /// Every commit that changes something has a greater revision than the one before.
    case revisionsIncrease
    /// The change feed reports every change once, in commit order, with pages of any size.
    case changesAreCompleteAndOrdered
    /// A page of the change feed can end inside a batch, and a cursor survives encoding as JSON.
    case changePagesMaySplitBatches
    /// Cursors of an earlier epoch require a reset.
    case newEpochRequiresReset
    /// A batch with a new epoch begins a new history in the same commit.
    case batchCanBeginNewEpoch
    /// Later commits do not change a snapshot.
    case snapshotsAreImmutable
    /// Filters select the same entries as the reference implementation.
    case filtersMatchReference
    /// Pages of vectors contain every vector once, with pages of any size.
    case vectorsAreReadInPages
    /// A commit of a task that is already cancelled writes nothing.
    case cancelledCommitWritesNothing
    /// Commits of eight concurrent tasks are all stored.
    case concurrentWritersLoseNoUpdates
    /// Vectors of another dimension are rejected unless they replace all vectors.
    case vectorsHaveOneDimension
    /// Source records list the ids of their entries.
    case sourcesListTheirEntries
    /// A batch of ten thousand entries can be committed, read and followed.
    case tenThousandEntriesCanBeStored
    /// A store that was closed and opened again is unchanged, and cursors stay valid.
    case reopenedStoreIsUnchanged
    /// Handles of one store see each other's commits.
    case handlesSeeEachOthersCommits
    /// A cursor of a state that the store does not have requires a reset.
    case olderCopyRequiresReset
    /// A clustering that did not see a label set by a person is rejected.
    case pinnedLabelSurvivesRecluster
    /// A new clustering replaces clusters and assignments in one step.
    case clusteringIsReplacedAtomically
    /// The change feed reports removals.
    case changesIncludeRemovals
    /// Batches with invalid data are rejected and change nothing.
    case invalidBatchesAreRejected
    /// Unusual ids, tags and keys, such as paths and SQL, and very large values are stored without change.
    case unusualNamesAreAccepted
    /// Strings that differ only in Unicode normalisation are different.
    case textIsComparedByBytes
    /// A commit that is cancelled while it runs is either complete, or throws and writes nothing.
    case commitIsCancelledOrComplete
    /// A closed handle rejects calls; its snapshots and other handles still work.
    case closedHandleRejectsCalls
    /// Commits of a handle that was abandoned without being closed are stored.
    case unclosedHandleLosesNoCommits
    /// Commits of four concurrent processes are all stored.
    case concurrentProcessesLoseNoUpdates
    /// Commits of a process that was killed are stored, and the store stays writable.
    case killedProcessLosesNoCommits
    /// A reader never sees a part of a batch that another process commits.
    case readersSeeOnlyCompleteBatches
    /// Another process can follow the changes while they are committed.
    case otherProcessesCanFollowChanges

    /// The lowest level whose stores must obey the law.
    public var level: StorageLevel {
        switch self {
        case .savedEntriesCanBeFetched, .savingReplacesEntryWithSameID, .clustersKeepTheirMembers:
            .simple
        case .reopenedStoreIsUnchanged, .handlesSeeEachOthersCommits, .olderCopyRequiresReset,
            .closedHandleRejectsCalls, .unclosedHandleLosesNoCommits:
            .durable
        case .concurrentProcessesLoseNoUpdates, .killedProcessLosesNoCommits, .readersSeeOnlyCompleteBatches,
            .otherProcessesCanFollowChanges:
            .severalProcesses
        default: .inMemory
        }
    }

    /// Returns the laws that a store of a level must obey.
    public static func laws(upTo level: StorageLevel) -> [StorageLaw] {
        allCases.filter { $0.level <= level }
    }

    /// Checks the law with a new fixture, and tears the fixture down.
    ///
    /// - Parameter fixture: A fixture that has not opened a store yet.
    /// - Throws: ``LawViolation``, or an error of the store.
    public func check(_ fixture: some StorageFixture) async throws {
        do {
            let store = try await fixture.open()
            try await run(Trial(law: self, fixture: fixture, store: store))
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
        case .savingReplacesEntryWithSameID: try await trial.savingReplacesEntryWithSameID()
        case .clustersKeepTheirMembers: try await trial.clustersKeepTheirMembers()
        case .everyFieldIsPreserved: try await trial.everyFieldIsPreserved()
        case .deletionRemovesEntries: try await trial.deletionRemovesEntries()
        case .commitIsAtomic: try await trial.commitIsAtomic()
        case .expectationsAreChecked: try await trial.expectationsAreChecked()
        case .concurrentClusteringsConflict: try await trial.concurrentClusteringsConflict()
        case .commitIsIdempotent: try await trial.commitIsIdempotent()
        case .revisionsIncrease: try await trial.revisionsIncrease()
        case .changesAreCompleteAndOrdered: try await trial.changesAreCompleteAndOrdered()
        case .changePagesMaySplitBatches: try await trial.changePagesMaySplitBatches()
        case .newEpochRequiresReset: try await trial.newEpochRequiresReset()
        case .batchCanBeginNewEpoch: try await trial.batchCanBeginNewEpoch()
        case .snapshotsAreImmutable: try await trial.snapshotsAreImmutable()
        case .filtersMatchReference: try await trial.filtersMatchReference()
        case .vectorsAreReadInPages: try await trial.vectorsAreReadInPages()
        case .cancelledCommitWritesNothing: try await trial.cancelledCommitWritesNothing()
        case .concurrentWritersLoseNoUpdates: try await trial.concurrentWritersLoseNoUpdates()
        case .vectorsHaveOneDimension: try await trial.vectorsHaveOneDimension()
        case .sourcesListTheirEntries: try await trial.sourcesListTheirEntries()
        case .tenThousandEntriesCanBeStored: try await trial.tenThousandEntriesCanBeStored()
        case .reopenedStoreIsUnchanged: try await trial.reopenedStoreIsUnchanged()
        case .handlesSeeEachOthersCommits: try await trial.handlesSeeEachOthersCommits()
        case .olderCopyRequiresReset: try await trial.olderCopyRequiresReset()
        case .pinnedLabelSurvivesRecluster: try await trial.pinnedLabelSurvivesRecluster()
        case .clusteringIsReplacedAtomically: try await trial.clusteringIsReplacedAtomically()
        case .changesIncludeRemovals: try await trial.changesIncludeRemovals()
        case .invalidBatchesAreRejected: try await trial.invalidBatchesAreRejected()
        case .unusualNamesAreAccepted: try await trial.unusualNamesAreAccepted()
        case .textIsComparedByBytes: try await trial.textIsComparedByBytes()
        case .commitIsCancelledOrComplete: try await trial.commitIsCancelledOrComplete()
        case .closedHandleRejectsCalls: try await trial.closedHandleRejectsCalls()
        case .unclosedHandleLosesNoCommits: try await trial.unclosedHandleLosesNoCommits()
        case .concurrentProcessesLoseNoUpdates: try await trial.concurrentProcessesLoseNoUpdates()
        case .killedProcessLosesNoCommits: try await trial.killedProcessLosesNoCommits()
        case .readersSeeOnlyCompleteBatches: try await trial.readersSeeOnlyCompleteBatches()
        case .otherProcessesCanFollowChanges: try await trial.otherProcessesCanFollowChanges()
        }
    }
}
