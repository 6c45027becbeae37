import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Roost

@Suite(.temporaryFolders) struct WatchTests {
    /// The time after which a test gives up, in seconds. A change is usually found within half a second, but
    /// on a busy machine it can take minutes.
    private static let patience = 1200.0
    private static let pollingInterval = Duration.milliseconds(200)

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
        observer: (any FolderObserver)? = nil, removalDelay: Duration = .milliseconds(500),
        _ body: (KnowledgeStore, URL, Reports) async throws -> Void
    ) async throws {
        let base = try TemporaryFolder().url.resolvingSymlinksInPath()
        let notes = base.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: notes, withIntermediateDirectories: true)
        for number in 0..<10 {
            try Data("note \(number)".utf8).write(to: notes.appendingPathComponent("\(number).md"))
        }
        let store = try await KnowledgeStore.create(
            at: base.appendingPathComponent("store"), embedder: LexicalEmbedder())
        try await store.folders.add(SyncedFolder(notes))
        let reports = Reports()
        var options = WatchOptions()
        options.onEvent = { reports.add($0) }
        options.removalDelay = removalDelay
        (options.observer, options.pollingInterval) = (observer, Self.pollingInterval)
        let watch = Task { [options] in try await store.folders.watch(options) }
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

    private func texts(_ store: KnowledgeStore) async throws -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for try await entry in store.entries() {
            entries[URL(string: entry.source ?? "")?.lastPathComponent ?? ""] = entry
        }
        return entries
    }

    @Test(arguments: [false, true])
    func `saved, renamed and removed files are found`(usesPolling: Bool) async throws {
        let observer = usesPolling ? PollingObserver(interval: Self.pollingInterval) : nil
        try await watching(observer: observer) { store, notes, _ in
            try Data("a kingfisher at the river".utf8).write(to: notes.appendingPathComponent("new.md"))
            try await wait("a new file") {
                try await store.search("kingfisher").hits.first?.entry.source?.hasSuffix("new.md") == true
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
            try await store.update([id], EntryChanges(addedTags: ["mine"]))
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

    @Test func `a burst of saves is read in few passes`() async throws {
        try await watching { store, notes, _ in
            let before = try await store.storage.snapshot().stamp.revision
            for number in 0..<200 {
                try Data("text \(number) of a burst".utf8).write(
                    to: notes.appendingPathComponent("0.md"), options: .atomic)
            }
            try await wait("the last text") {
                try await texts(store)["0.md"]?.content == "text 199 of a burst"
            }
            let after = try await store.storage.snapshot().stamp.revision
            // Without a delay, each save would be a commit of its own.
            #expect(after.rawValue - before.rawValue < 100)
            #expect(try await texts(store).count == 10)
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
            try await store.folders.add(SyncedFolder(other))
            try await wait("the new folder") { try await texts(store)["wren.md"] != nil }
        }
    }

    /// An observer that reports only that changes were lost, when the test says so.
    private final class LossyObserver: FolderObserver {
        let failure: String? = nil
        private let hasLost = Mutex(false)

        func lose() { hasLost.withLock { $0 = true } }

        func observe(_ folder: String) {}

        func waitForChange(timeout: Duration) async throws -> Bool {
            try await Task.sleep(for: min(timeout, .milliseconds(20)))
            return hasLost.withLock { hasLost in
                defer { hasLost = false }
                return hasLost
            }
        }
    }

    @Test func `all folders are searched after changes were lost`() async throws {
        let observer = LossyObserver()
        try await watching(observer: observer) { store, notes, _ in
            try Data("a kingfisher".utf8).write(to: notes.appendingPathComponent("new.md"))
            try FileManager.default.removeItem(at: notes.appendingPathComponent("0.md"))
            observer.lose()
            try await wait("a new file") { try await texts(store)["new.md"] != nil }
            try await wait("a removed file") { try await texts(store)["0.md"] == nil }
        }
    }

    #if os(Linux)
        /// The maximum number of events that the system keeps for an observer.
        private static let queueLength = Int(
            ((try? String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)) ?? "")
                .trimmingCharacters(in: .whitespacesAndNewlines))

        @Test(.enabled(if: (WatchTests.queueLength ?? .max) <= 1 << 16))
        func `an overflow of the system's queue is reported`() async throws {
            let folder = try TemporaryFolder().url
            let observer = InotifyObserver()
            observer.observe(folder.path)
            let paths = ["a.md", "b.md"].map { folder.appendingPathComponent($0).path }
            // The system combines equal events that follow each other, so two files are written by turns.
            for index in 0...(try #require(Self.queueLength)) {
                close(open(paths[index & 1], O_WRONLY | O_CREAT, 0o600))
            }
            #expect(try await observer.waitForChange(timeout: .seconds(600)))
            // Later changes are reported again.
            close(open(paths[0], O_WRONLY))
            #expect(try await observer.waitForChange(timeout: .seconds(600)))
        }

        @Test func `folders beyond the limit of the system are searched regularly`() async throws {
            let count = Mutex(0)
            let observer = InotifyObserver { descriptor, folder, mask in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                guard number > 1 else { return inotify_add_watch(descriptor, folder, mask) }
                errno = ENOSPC
                return -1
            }
            try await watching(observer: observer) { store, notes, reports in
                let sub = notes.appendingPathComponent("sub")
                try FileManager.default.createDirectory(at: sub, withIntermediateDirectories: true)
                try Data("a heron".utf8).write(to: sub.appendingPathComponent("heron.md"))
                try await wait("a file in a new folder") { try await texts(store)["heron.md"] != nil }
                try await wait("a notice") { !reports.notices.isEmpty }
                let notice = try #require(reports.notices.first)
                #expect(notice.hasPrefix("cannot watch all folders: raise the limit"))
                #expect(notice.contains("sysctl fs.inotify.max_user_watches="))
                #expect(notice.hasSuffix("; searching all folders every 0.2 seconds instead"))
                // The folder itself has a watch, but its changes are found by searching, too.
                try Data("an egret".utf8).write(to: sub.appendingPathComponent("heron.md"))
                try await wait("a changed file") { try await texts(store)["heron.md"]?.content == "an egret" }
            }
        }
    #endif

    @Test func `the command ends after Ctrl-C`() throws {
        let cli = CommandLineDriver()
        let notes = cli.home.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: notes, withIntermediateDirectories: true)
        try Data("# a swift".utf8).write(to: notes.appendingPathComponent("a.md"))
        #expect(try cli.roost("sync", "--watch").status != 0)
        #expect(try cli.roost("ingest", "notes").status == 0)
        let running = try cli.start(["sync", "--watch"])
        var seen = ""
        while !seen.hasSuffix("folder\n") {
            guard seen.count < 1000, let data = try running.error.read(upToCount: 1), !data.isEmpty else {
                break
            }
            seen += String(decoding: data, as: UTF8.self)
        }
        #expect(seen.contains("watching 1 file in 1 folder"))
        kill(running.process.processIdentifier, SIGINT)
        #expect(try running.outcome().status == 130)
        #expect(try cli.roost("list").output.contains("a swift"))
    }
}
