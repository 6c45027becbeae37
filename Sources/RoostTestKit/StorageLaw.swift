import Foundation
import RoostModel

/// What every storage provider must do. One law is one test case, so that a failure names it:
///
///     @Test(arguments: StorageLaw.laws(upTo: .durable))
///     func `my store obeys`(law: StorageLaw) async throws {
///         try await law.check(MyFixture())
///     }
public enum StorageLaw: String, Sendable, CaseIterable {
    case savedEntriesComeBack
    case savingReplacesTheEntryOfTheSameID
    case clustersComeBackWithTheirMembers
    case everyFieldComesBack
    case deletedEntriesAreGone
    case aBatchIsAllOrNothing
    case whatWasExpectedIsChecked
    case twoWritersOfOneClusterRunConflict
    case theSameBatchAgainChangesNothing
    case revisionsGrow
    case changesAreCompleteAndInOrder
    case aPageMayEndInsideABatch
    case anotherEpochNeedsAReset
    case aBatchMayBeginANewHistory
    case snapshotsStayAsTheyWere
    case filtersMeanTheSameEverywhere
    case vectorsComeInPages
    case aCancelledCommitWritesNothing
    case concurrentWritersLoseNothing
    case dimensionsNeverMix
    case sourcesKnowTheirEntries
    case tenThousandEntries
    case reopeningSeesWhatWasCommitted
    case anotherHandleSeesWhatWasCommitted
    case anOlderCopyNeedsAReset
    case aPinnedLabelSurvivesARecluster
    case clustersAreReplacedAsOne
    case removalsAreTold
    case whatNoStoreMayKeepIsRefused
    case oddNamesAreJustNames
    case textIsComparedByBytes
    case aCommitIsCancelledOrDone
    case aClosedHandleIsClosed
    case aHandleThatWasNotClosedLosesNothing
    case severalProcessesLoseNothing
    case aKilledProcessTakesNothingWithIt
    case aReaderNeverSeesHalfABatch
    case anotherProcessFollowsTheChanges

    /// The lowest level that promises it.
    public var level: StorageLevel {
        switch self {
        case .savedEntriesComeBack, .savingReplacesTheEntryOfTheSameID, .clustersComeBackWithTheirMembers:
            .simple
        case .reopeningSeesWhatWasCommitted, .anotherHandleSeesWhatWasCommitted, .anOlderCopyNeedsAReset,
            .aClosedHandleIsClosed, .aHandleThatWasNotClosedLosesNothing:
            .durable
        case .severalProcessesLoseNothing, .aKilledProcessTakesNothingWithIt, .aReaderNeverSeesHalfABatch,
            .anotherProcessFollowsTheChanges:
            .severalProcesses
        default: .inMemory
        }
    }

    /// The laws that a store of this level obeys.
    public static func laws(upTo level: StorageLevel) -> [StorageLaw] {
        allCases.filter { $0.level <= level }
    }

    /// Tries the law on a fresh fixture, which is torn down after.
    ///
    /// - Throws: ``LawViolation``, or what the store threw.
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
        case .savedEntriesComeBack: try await trial.savedEntriesComeBack()
        case .savingReplacesTheEntryOfTheSameID: try await trial.savingReplaces()
        case .clustersComeBackWithTheirMembers: try await trial.clustersComeBack()
        case .everyFieldComesBack: try await trial.everyField()
        case .deletedEntriesAreGone: try await trial.deleted()
        case .aBatchIsAllOrNothing: try await trial.allOrNothing()
        case .whatWasExpectedIsChecked: try await trial.expectations()
        case .twoWritersOfOneClusterRunConflict: try await trial.twoWritersOfOneRun()
        case .theSameBatchAgainChangesNothing: try await trial.idempotence()
        case .revisionsGrow: try await trial.revisionsGrow()
        case .changesAreCompleteAndInOrder: try await trial.changes()
        case .aPageMayEndInsideABatch: try await trial.pagesInsideABatch()
        case .anotherEpochNeedsAReset: try await trial.anotherEpoch()
        case .aBatchMayBeginANewHistory: try await trial.newHistory()
        case .snapshotsStayAsTheyWere: try await trial.snapshots()
        case .filtersMeanTheSameEverywhere: try await trial.filters()
        case .vectorsComeInPages: try await trial.vectors()
        case .aCancelledCommitWritesNothing: try await trial.cancellation()
        case .concurrentWritersLoseNothing: try await trial.concurrentWriters()
        case .dimensionsNeverMix: try await trial.dimensions()
        case .sourcesKnowTheirEntries: try await trial.sources()
        case .tenThousandEntries: try await trial.tenThousand()
        case .reopeningSeesWhatWasCommitted: try await trial.reopening()
        case .anotherHandleSeesWhatWasCommitted: try await trial.anotherHandle()
        case .anOlderCopyNeedsAReset: try await trial.olderCopy()
        case .aPinnedLabelSurvivesARecluster: try await trial.pinnedLabel()
        case .clustersAreReplacedAsOne: try await trial.clustersTogether()
        case .removalsAreTold: try await trial.tombstones()
        case .whatNoStoreMayKeepIsRefused: try await trial.refusals()
        case .oddNamesAreJustNames: try await trial.hostileText()
        case .textIsComparedByBytes: try await trial.exactText()
        case .aCommitIsCancelledOrDone: try await trial.cancelledWhileRunning()
        case .aClosedHandleIsClosed: try await trial.closing()
        case .aHandleThatWasNotClosedLosesNothing: try await trial.crashedHandle()
        case .severalProcessesLoseNothing: try await trial.severalWriters()
        case .aKilledProcessTakesNothingWithIt: try await trial.killedWriter()
        case .aReaderNeverSeesHalfABatch: try await trial.wholeBatches()
        case .anotherProcessFollowsTheChanges: try await trial.followedByAnotherProcess()
        }
    }
}

/// One law being tried on one store.
struct Trial: Sendable {
    let law: StorageLaw
    let fixture: any StorageFixture
    let store: any StorageProvider

    func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        if !condition { throw LawViolation(law: law, message: message()) }
    }

    func requireEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
        try require(found == expected, Self.difference(what, "\(found)", "\(expected)"))
    }

    private static func difference(_ what: String, _ found: String, _ expected: String) -> String {
        let same = zip(found, expected).prefix { $0 == $1 }.count
        func excerpt(_ text: String) -> Substring { text.dropFirst(max(0, same - 40)).prefix(200) }
        return "\(what): found …\(excerpt(found)), expected …\(excerpt(expected))"
    }

    func requireError(_ code: StorageError.Code, _ what: String, _ body: () async throws -> Void) async throws
    {
        do {
            try await body()
        } catch let error as StorageError where error.code == code {
            return
        } catch {
            throw LawViolation(law: law, message: "\(what): threw \(error), not \(code.rawValue)")
        }
        throw LawViolation(law: law, message: "\(what): nothing was thrown")
    }

    /// An entry whose vector tells its number.
    func entry(_ number: Int, _ content: String? = nil, dimension: Int = 4) -> Entry {
        var vector = [Float](repeating: 0, count: dimension)
        vector[number % dimension] = 1
        return Entry(
            content: content ?? "entry \(number)", embeddings: vector,
            createdAt: Date(milliseconds: 1_700_000_000_000 + Int64(number)))
    }

    func changes(after cursor: ChangeCursor, limit: Int) async throws -> ([Change], ChangeCursor) {
        var (all, cursor) = ([Change](), cursor)
        while true {
            guard
                case .changes(let page, let next, let isLast) = try await store.changes(
                    after: cursor, limit: limit)
            else { throw LawViolation(law: law, message: "a cursor of this history needed a reset") }
            try require(page.count <= limit, "a page has \(page.count) changes where \(limit) were asked for")
            all += page
            cursor = next
            if isLast { return (all, cursor) }
            try require(!page.isEmpty, "an empty page that is not the last")
        }
    }
}
