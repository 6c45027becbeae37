import Foundation
import Roost
import TestSupport
import Testing

/// Tests of programs that use stores from many tasks, cancel calls, and close stores during work.
@Suite(.temporaryFolders) struct ConcurrentCallerTests {
    private func store(_ folder: URL) async throws -> KnowledgeStore {
        try await KnowledgeStore.openOrCreate(at: folder, model: .lexical)
    }

    @Test func `a store that is closed during work is unharmed`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let store = try await store(folder)
        let task = Task {
            var added = 0
            while !Task.isCancelled {
                do {
                    try await store.add("text number \(added)")
                    added += 1
                } catch let error as StorageError where error.code == .closed {
                    return added
                }
            }
            return added
        }
        while try await store.count() < 5 { try await Task.sleep(for: .milliseconds(1)) }
        try await store.close()
        try await store.close()
        let added = try await task.value
        let reopened = try await self.store(folder)
        // A call that has committed but not yet read the entry again also reports that the store is closed.
        #expect((added...added + 1).contains(try await reopened.count()))
        #expect(try await reopened.storage.snapshot().inspectContents(space: nil).isEmpty)
    }

    enum LongCall: String, CaseIterable {
        case ingest, cluster, buildIndex, search, duplicates, export
    }

    private static let words = ["swift", "loaf", "keel", "oven", "roof", "rudder", "feeder", "crumb"]

    private static func text(_ number: Int) -> String {
        (0..<12).map { words[(number * 7 + $0 * (number % 5 + 1)) % words.count] + "\(number % 97)" }
            .joined(separator: " ")
    }

    private func run(_ call: LongCall, on store: KnowledgeStore) async throws {
        switch call {
        case .ingest:
            try await store.ingest(
                (0..<400).map { number in
                    SourceDraft(
                        id: "new \(number)", fingerprint: "1",
                        entries: [EntryDraft(content: Self.text(number) + " new")])
                })
        case .cluster: _ = try await store.recluster()
        case .buildIndex: _ = try await store.index.build(graphPassages: 0 ... .max)
        case .search: _ = try await store.search((0..<200).map { EntrySearch(Self.text($0)) })
        case .duplicates: _ = try await store.duplicates(threshold: 0.5)
        case .export: try await store.exportEntries(withEmbeddings: true) { _ in }
        }
    }

    @Test(arguments: LongCall.allCases) func `a canceled call ends soon and harms nothing`(
        call: LongCall
    ) async throws {
        let store = try await store(TemporaryFolder.unusedURL())
        let drafts = (0..<120).map { EntryDraft(content: Self.text($0)) }
        try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        let before = try await store.count()
        for delay in [0, 2, 10, 40] {
            let task = Task { try await run(call, on: store) }
            try await Task.sleep(for: .milliseconds(delay))
            task.cancel()
            let start = ContinuousClock.now
            let result = await task.result
            // Other tests use the processor too, so only a call that hangs exceeds the limit.
            #expect(ContinuousClock.now - start < .seconds(120), "\(call)")
            if case .failure(let error) = result { #expect(error is CancellationError, "\(call): \(error)") }
        }
        let count = try await store.count()
        #expect(call == .ingest ? count >= before : count == before)
        #expect(try await store.storage.snapshot().inspectContents(space: nil).isEmpty)
        try await run(call, on: store)
        #expect(try await store.search("swift8").hits.isEmpty == false)
        try await store.close()
    }
}
