import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Roost

/// Tests of stores that watch their folders.
@Suite(.temporaryFolders) struct WatchTests {
    /// The time after which a test gives up, in seconds. A change is usually found within half a second, but
    /// on a busy machine it can take minutes.
    private static let patience = 1200.0

    /// The reports of a watching store.
    private final class Reports: Sendable {
        private let events = Mutex<[WatchEvent]>([])

        func add(_ event: WatchEvent) { events.withLock { $0.append(event) } }

        var isWatching: Bool {
            events.withLock { $0.contains { if case .watching = $0 { true } else { false } } }
        }

        var notices: [String] {
            events.withLock { events in
                events.compactMap { if case .notice(let text) = $0 { text } else { nil } }
            }
        }
    }

    /// Runs the body while a store watches a folder.
    private func watching(
        usesPolling: Bool = false, removalDelay: Duration = .milliseconds(500),
        _ body: (KnowledgeStore, URL, Reports) async throws -> Void
    ) async throws {
        let base = try TemporaryFolder().url.resolvingSymlinksInPath()
        let notes = base.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: notes, withIntermediateDirectories: true)
        for number in 0..<10 {
            try Data("note \(number)".utf8).write(to: notes.appendingPathComponent("\(number).md"))
        }
        let store = try await KnowledgeStore.create(
            in: base.appendingPathComponent("store"), embedder: LexicalEmbedder())
        try await store.addFolder(SyncedFolder(notes))
        let reports = Reports()
        var options = WatchOptions()
        options.onEvent = { reports.add($0) }
        options.removalDelay = removalDelay
        (options.usesPolling, options.pollingInterval) = (usesPolling, .milliseconds(200))
        let watch = Task { [options] in try await store.watchFolders(options) }
        try await wait("the first sync") { reports.isWatching }
        try await body(store, notes, reports)
        watch.cancel()
        await #expect(throws: CancellationError.self) { try await watch.value }
        try await store.close()
    }

    private func wait(_ comment: String, for condition: () async throws -> Bool) async throws {
        let end = Date() + Self.patience
        while Date() < end {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("timeout: \(comment)")
    }

    /// Returns the texts by the names of their files.
    private func texts(_ store: KnowledgeStore) async throws -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for try await entry in store.entries() {
            entries[URL(string: entry.source ?? "")?.lastPathComponent ?? ""] = entry
        }
        return entries
    }

    @Test(arguments: [false, true])
    func `saved, renamed and removed files are found`(usesPolling: Bool) async throws {
        try await watching(usesPolling: usesPolling) { store, notes, _ in
            try Data("a kingfisher at the river".utf8).write(to: notes.appendingPathComponent("new.md"))
            try await wait("a new file") {
                try await store.query("kingfisher").hits.first?.entry.source?.hasSuffix("new.md") == true
            }
            let id = try #require(try await texts(store)["new.md"]?.id)
            // A new folder, and a file that is moved into it.
            let sub = notes.appendingPathComponent("sub/deep")
            try FileManager.default.createDirectory(at: sub, withIntermediateDirectories: true)
            try Data("a heron".utf8).write(to: sub.appendingPathComponent("heron.md"))
            try await wait("a new folder") { try await texts(store)["heron.md"] != nil }
            #expect(
                rename(
                    notes.appendingPathComponent("new.md").path, sub.appendingPathComponent("moved.md").path)
                    == 0)
            try await wait("a moved file") { try await texts(store)["moved.md"]?.id == id }
            try Data("an egret".utf8).write(to: sub.appendingPathComponent("heron.md"))
            try await wait("a changed file") { try await texts(store)["heron.md"]?.content == "an egret" }
            try FileManager.default.removeItem(at: sub.appendingPathComponent("moved.md"))
            try await wait("a removed file") { try await texts(store)["moved.md"] == nil }
            #expect(try await texts(store).count == 11)
        }
    }

    @Test func `a file that an editor saves by renaming keeps its entry`() async throws {
        // The delay is longer than this test takes on a busy machine.
        try await watching(removalDelay: .seconds(3600)) { store, notes, _ in
            let url = notes.appendingPathComponent("0.md")
            let id = try #require(try await texts(store)["0.md"]?.id)
            try await store.setTag("mine", on: [id], isPresent: true)
            // The editor moves the file away, waits, and creates a new one.
            #expect(rename(url.path, url.path + "~") == 0)
            try await Task.sleep(for: .milliseconds(300))
            try Data("edited by an editor".utf8).write(to: url)
            unlink(url.path + "~")
            try await wait("the new text") {
                try await texts(store)["0.md"]?.content == "edited by an editor"
            }
            let entry = try #require(try await texts(store)["0.md"])
            #expect(entry.id == id && entry.tags == ["mine"])
        }
    }

    @Test func `entries are kept if the folder disappears, and synced when it returns`() async throws {
        try await watching { store, notes, reports in
            let away = notes.deletingLastPathComponent().appendingPathComponent("away")
            #expect(rename(notes.path, away.path) == 0)
            try await wait("a notice") { reports.notices.contains { $0.contains("does not exist") } }
            #expect(try await texts(store).count == 10)
            try Data("a wagtail".utf8).write(to: away.appendingPathComponent("wagtail.md"))
            #expect(rename(away.path, notes.path) == 0)
            try await wait("the new file") { try await texts(store)["wagtail.md"] != nil }
            try Data("a dipper".utf8).write(to: notes.appendingPathComponent("dipper.md"))
            try await wait("a file after the return") { try await texts(store)["dipper.md"] != nil }
        }
    }

    @Test func `a folder that is added while the store watches is synced`() async throws {
        try await watching { store, notes, _ in
            let other = notes.deletingLastPathComponent().appendingPathComponent("other")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            try Data("a wren".utf8).write(to: other.appendingPathComponent("wren.md"))
            try await store.addFolder(SyncedFolder(other))
            try await wait("the new folder") { try await texts(store)["wren.md"] != nil }
        }
    }

    @Test func `changes are collected up to a limit`() {
        var changes = FolderChanges()
        for number in 0..<FolderChanges.maximumCount { changes.insert("/\(number)") }
        #expect(!changes.isIncomplete && changes.paths.count == FolderChanges.maximumCount)
        changes.insert("/one more")
        #expect(changes.isIncomplete && changes.paths.isEmpty && !changes.isEmpty)
    }

    @Test func `names in different Unicode normalizations are different changes`() {
        var changes = FolderChanges()
        for name in ["caf\u{E9}.md", "cafe\u{301}.md"] { changes.insert("/notes/\(name)") }
        #expect(changes.paths.count == 2)
        var scope = FolderScope()
        scope.insert("caf\u{E9}.md")
        #expect(!scope.contains("cafe\u{301}.md") && scope.contains("caf\u{E9}.md"))
    }

    @Test func `the command ends after Ctrl-C`() throws {
        let cli = CommandLineDriver()
        let notes = cli.home.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: notes, withIntermediateDirectories: true)
        try Data("a swift".utf8).write(to: notes.appendingPathComponent("a.md"))
        #expect(try cli.roost("watch").status != 0)
        #expect(try cli.roost("add-folder", "notes").status == 0)
        let running = try cli.start(["watch"])
        var seen = ""
        while !seen.hasSuffix("folder\n") {
            guard seen.count < 1000, let data = try running.error.read(upToCount: 1), !data.isEmpty else {
                break
            }
            seen += String(decoding: data, as: UTF8.self)
        }
        #expect(seen.contains("watching 1 file in 1 folder"))
        kill(running.process.processIdentifier, SIGINT)
        let outcome = try running.outcome()
        #expect(outcome.status == 130)
        #expect(try cli.roost("list").output.contains("a swift"))
    }
}
