import Foundation
import RoostFiles
import RoostModel

/// Checks of the laws about crashes, handles and processes.
extension Trial {
    func reopenedStoreIsUnchanged() async throws {
        let entries = (0..<50).map { entry($0) }
        try await store.saveEntries(entries)
        for number in 0..<5 { try await store.saveEntry(entry(100 + number)) }
        try await store.deleteEntry(entries[7].id)
        try await store.updateCluster(Cluster(label: "c", members: [entries[1].id]))
        let (stamp, before) = (try await store.snapshot().stamp, try await StorageContents(store))
        let (_, cursor) = try await changes(after: .start, limit: 100)
        let (new, kept) = (entry(200), entries[0].id)
        try await requireError(.conflict, "an expected absence of an entry that is stored") {
            _ = try await store.commit(
                WriteBatch(upserts: [new], removals: [kept], expecting: .init(entries: [kept: .zero])))
        }
        try await requireError(.dimensionMismatch, "a vector of another dimension") {
            _ = try await store.commit(WriteBatch(upserts: [new, entry(201, dimension: 5)]))
        }
        try await requireCancellation("a commit") { _ = try await store.commit(WriteBatch(upserts: [new])) }
        try await store.close()
        let reopened = try await fixture.open()
        try requireEqual(try await reopened.snapshot().stamp, stamp, "the stamp")
        try requireSame(try await StorageContents(reopened), before, "the reopened store")
        try requireEqual(
            try await reopened.allChanges(after: cursor, limit: 100)?.changes.count, 0,
            "the number of changes since a cursor from before the reopening")
        try await reopened.close()
    }

    func unclosedHandleLosesNoCommits() async throws {
        let entries = (0..<20).map { entry($0) }
        for entry in entries { try await store.saveEntry(entry) }
        try await store.deleteEntry(entries[3].id)
        let before = try await StorageContents(store)
        let crashed = try await fixture.open()
        try await crashed.saveEntry(entry(100))
        let after = try await StorageContents(crashed)
        try await fixture.crash(crashed)
        let reopened = try await fixture.open()
        try requireSame(try await StorageContents(reopened), after, "the reopened store")
        try require(before.revision < after.revision, "the revision did not increase")
        try await reopened.close()
    }

    func concurrentProcessesLoseNoUpdates() async throws {
        let (processes, each) = (4, 200)
        try await concurrently(processes) { process in
            try await fixture.run(StorageJob(.save, first: process * each, count: each))
        }
        let found = Set(try await store.fetchEntries().map(\.id))
        let lost = (0..<processes * each).filter { !found.contains(StorageJob.id($0)) }
        try require(
            lost.isEmpty,
            "\(lost.count) of \(processes * each) entries that \(processes) processes saved are missing")
        try requireEqual(found.count, processes * each, "the number of entries")
        try require(
            try await store.snapshot().stamp.revision.rawValue >= UInt64(processes * each),
            "there are fewer revisions than commits")
    }

    func killedProcessLosesNoCommits() async throws {
        try await fixture.run(StorageJob(.saveAndDie, first: 0, count: 30))
        let expected = (0..<30).map { StorageJob.entry($0, "entry \($0)") }
        try requireEqual(try await store.fetchEntries(), expected, "the entries that a killed process saved")
        try await store.saveEntry(entry(1000))
        let reopened = try await fixture.open()
        try requireEqual(
            try await reopened.fetchEntries().count, 31, "the number of entries after the next save")
        try await reopened.close()
    }

    private func running(_ job: StorageJob, until isDone: ConcurrentFlag) async throws {
        defer { isDone.set() }
        try await fixture.run(job)
    }

    func readersSeeOnlyCompleteBatches() async throws {
        let count = 50
        let isDone = ConcurrentFlag()
        async let job: Void = running(StorageJob(.replaceTogether, first: 0, count: count), until: isDone)
        let rounds = try await readRounds(of: count, until: isDone) { rounds in
            // The writer continues until it sees this receipt.
            if rounds == 5 { try await store.saveEntry(StorageJob.entry(StorageJob.receipt, "seen")) }
            try await Task.sleep(for: .milliseconds(1))
        }
        try await job
        try require(rounds >= 5, "the reader saw only \(rounds) rounds; 5 are needed for a conclusion")
    }

    func otherProcessesCanFollowChanges() async throws {
        let (count, receipt) = (100, StorageJob.receipt)
        let isDone = ConcurrentFlag()
        async let job: Void = running(StorageJob(.follow, first: 0, count: count), until: isDone)
        for number in 0..<count {
            // The second half is written only after the receipt for the first half has arrived, so the
            // follower has to wait for new changes.
            while number == count / 2,
                try await store.snapshot().entries([StorageJob.id(receipt)]).isEmpty
            {
                try require(
                    !isDone.isSet, "the other process ended before it saw the first half of the changes")
                try await Task.sleep(for: .milliseconds(5))
            }
            try await store.saveEntry(StorageJob.entry(number, "entry \(number)"))
        }
        try await job
        try require(
            try await !store.snapshot().entries([StorageJob.id(receipt + 1)]).isEmpty,
            "the other process did not see all changes")
    }
}
