import Foundation
import Roost
import Synchronization
import TestSupport
import Testing

/// Tests of the calls that the programs in `Examples` make.
@Suite(.temporaryFolders) struct KnowledgeStoreInterfaceTests {
    private let folder = TemporaryFolder.unusedURL()

    private func write(_ text: String, to name: String) throws {
        let file = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func contents(
        of store: KnowledgeStore, matching filter: EntryFilter = .all
    ) async throws -> [String] {
        var contents: [String] = []
        for try await entry in store.entries(matching: filter) { contents.append(entry.content) }
        return contents
    }

    @Test func `openOrCreate opens the store that an earlier call created`() async throws {
        let model = EmbeddingModel.folder(
            Fixtures.folder.appendingPathComponent("Models/tiny-bert"))
        for launch in 1...2 {
            let store = try await KnowledgeStore.openOrCreate(at: folder, model: model)
            let added = try await store.add("the swifts are back")
            #expect(added.isNew == (launch == 1))
            #expect(try await store.search("swifts").hits.map(\.entry.id) == [added.id])
            try await store.close()
        }
        let error = await #expect(throws: RoostError.self) {
            try await KnowledgeStore.openOrCreate(at: folder, model: .lexical)
        }
        #expect(error?.code == .spaceMismatch && error?.remedy == .reembed)
    }

    @Test func `reports are printed on at most ten lines, without vectors`() async throws {
        let store = try await KnowledgeStore(storage: InMemoryStorageProvider(), model: .lexical)
        func check(_ report: some Sendable, contains text: String) {
            let printed = "\(report)"
            let lines = printed.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 10 && lines.allSatisfy { $0.count <= 120 }, "\(printed)")
            #expect(printed.contains(text) && printed.firstMatch(of: /\d\.\d{5}/) == nil, "\(printed)")
        }
        for number in 0..<30 {
            let sources = [
                SourceDraft(
                    id: "\(number)", fingerprint: "1",
                    entries: [EntryDraft(content: "a swift\u{1B}[31m\non the roof \(number)")])
            ]
            check(try await store.ingest(sources), contains: "1 new, 0 updated")
        }
        var report = IngestReport()
        report.skipped = (0..<40).map { .init(source: "\($0).md", reason: "it is damaged") }
        check(report, contains: "and 32 more")
        let result = try await store.search("swift", limit: 25)
        check(result, contains: "25 hits among 30 entries")
        #expect(!"\(result)".contains("\u{1B}"))
        check(result.hits[0], contains: "a swift")
        check(try await store.search("zebra"), contains: "no entry is close to the query; the nearest are:")
        check(try await store.recluster(clusters: 15), contains: "15 clusters of 30 entries, 0 outliers")
        var labeling = ClusterLabelingReport()
        labeling.labeled = Array(try await store.storage.snapshot().clusters().prefix(12))
        check(labeling, contains: "12 labeled, 0 refused:")
    }

    @Test func `openOrCreate reports a model that is not installed and creates no store`() async throws {
        let library = ModelLibrary(directory: folder.appendingPathComponent("models"))
        let store = folder.appendingPathComponent("store")
        let error = await #expect(throws: EmbedderError.self) {
            try await KnowledgeStore.openOrCreate(at: store, model: .installed("minilm", in: library))
        }
        #expect(error?.code == .modelNotFound && error?.remedy == .installModelOrUseLexical)
        #expect(!FileManager.default.fileExists(atPath: store.path))
    }

    @Test func `simultaneous calls of openOrCreate share one store`() async throws {
        let stores = try await withThrowingTaskGroup(of: KnowledgeStore.self) { group in
            for _ in 0..<4 {
                group.addTask { [folder] in try await .openOrCreate(at: folder, model: .lexical) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for (number, store) in stores.enumerated() { try await store.add("text \(number)") }
        #expect(try await contents(of: stores[0]).count == 4)
    }

    @Test func `a folder is ingested, and pruned on request`() async throws {
        try write("the swifts are back", to: "notes/a.md")
        try write("id,text\n1,bread\n2,boat\n", to: "notes/deep/table.csv")
        try write("{", to: "notes/invalid.jsonl")
        let notes = folder.appendingPathComponent("notes")
        let store = try await KnowledgeStore.openOrCreate(
            at: folder.appendingPathComponent("store"), model: .lexical)
        let reported = Mutex(0)
        let report = try await store.ingest(folder: notes, pruning: true) { progress in
            reported.withLock { $0 = progress.entries }
        }
        #expect(report.new == 3 && reported.withLock { $0 } == 3)
        #expect(report.skipped.map { URL(fileURLWithPath: $0.source).lastPathComponent } == ["invalid.jsonl"])
        #expect(report.skipped.first?.reason.contains("line 1: ") == true)
        try FileManager.default.removeItem(at: notes.appendingPathComponent("deep"))
        let unpruned = try await store.ingest(folder: notes)
        #expect(unpruned.removed == 0 && unpruned.unchanged == 1)
        #expect(try await store.ingest(folder: notes, pruning: true).removed == 2)
        #expect(try await contents(of: store) == ["the swifts are back"])
        await #expect(throws: RoostError.self) {
            try await store.ingest(folder: folder.appendingPathComponent("missing"), pruning: true)
        }
    }

    @Test func `requests of a server are undone one by one, even if they alternate`() async throws {
        let store = KnowledgeStore(
            storage: InMemoryStorageProvider(), embedder: LexicalEmbedder(),
            recording: UndoRecorder(directory: try TemporaryFolder().url, command: "serve"))
        @Sendable func add(_ text: String, _ group: UndoGroup?) async throws {
            // The commits of the tasks of a request belong to its group.
            try await UndoGroup.$current.withValue(group) {
                try await Task { try await store.add(text) }.value
            }
        }
        let (first, second) = (UndoGroup(), UndoGroup())
        try await add("one", first)
        try await add("two", second)
        try await add("three", first)
        try await add("four", second)
        #expect(try await store.undo().removed == 2)
        #expect(try await contents(of: store) == ["one", "three"])
        // A commit outside of requests does not belong to the request before it.
        try await add("five", nil)
        #expect(try await store.undo().removed == 1)
        #expect(try await store.undo().removed == 2)
        #expect(try await contents(of: store).isEmpty)
    }
}
