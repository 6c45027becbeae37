import Foundation
import RoostFiles
import RoostModel
import Synchronization
import TestSupport
import Testing

@testable import RoostStorage

/// Tests of the files of a JSON store, which other programs may change and processes may leave at any step.
@Suite(.temporaryFolders) struct LocalFilesTests {
    private func entry(_ text: String) -> Entry { Entry(content: text, embeddings: [1, 0]) }

    @Test(arguments: ["", "[]", "{\"not\": \"ours\"}"])
    func `a program that overwrites the published files does not damage the store`(text: String) async throws
    {
        let folder = try TemporaryFolder()
        let store = try LocalStorageProvider(directory: folder.url)
        let first = entry("one")
        try await store.saveEntry(first)
        for name in ["entries.json", "clusters.json"] {
            // Overwrites the file in place, as an editor without atomic saving does.
            let file = try FileHandle(forWritingTo: folder.url.appendingPathComponent(name))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(text.utf8))
            try file.close()
        }
        #expect(try await store.fetchEntries() == [first])
        let again = try LocalStorageProvider(directory: folder.url)
        #expect(try await again.fetchEntries() == [first])
        try await again.compact()
        let shown = try String(contentsOf: folder.url.appendingPathComponent("entries.json"), encoding: .utf8)
        #expect(shown.contains("\"one\""))
    }

    @Test(arguments: [false, true])
    func `on a full disk, older generations make room to remove and to compact`(
        compacts: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let oldest = folder.url.appendingPathComponent("generations/1").path
        let isFull = Mutex(false)
        var options = LocalStorageProvider.Options()
        options.files = FileSystem { step in
            guard isFull.withLock({ $0 }), step.kind == .write else { return nil }
            return FileManager.default.fileExists(atPath: oldest) ? .error(ENOSPC) : nil
        }
        let store = try LocalStorageProvider(directory: folder.url, options: options)
        let entries = ["one", "two", "three"].map(entry)
        try await store.saveEntries(entries)
        try await store.compact()
        isFull.withLock { $0 = true }
        let error = await #expect(throws: StorageError.self) { try await store.saveEntry(entry("four")) }
        #expect(error?.code == .full && FileManager.default.fileExists(atPath: oldest))
        if compacts { try await store.compact() } else { try await store.deleteEntry(entries[1].id) }
        #expect(!FileManager.default.fileExists(atPath: oldest))
        let expected = compacts ? entries : [entries[0], entries[2]]
        #expect(try await store.fetchEntries() == expected)
        let again = try LocalStorageProvider(directory: folder.url)
        #expect(try await again.fetchEntries() == expected)
    }

    @Test func `closing waits for a commit that waits for the lock`() async throws {
        guard #available(macOS 26, iOS 26, *) else { return }
        let folder = try TemporaryFolder()
        let store = try LocalStorageProvider(directory: folder.url)
        let lock = try FileLock.acquire(store.local.lockURL, timeout: 0)
        let saved = entry("one")
        // Immediate tasks enter the queue of the writers in this order.
        let commit = Task.immediate { try await store.commit(WriteBatch(upserts: [saved])) }
        let closing = Task.immediate { try await store.close() }
        lock.release()
        _ = try await commit.value
        try await closing.value
        #expect(try await LocalStorageProvider(directory: folder.url).fetchEntries() == [saved])
        let error = await #expect(throws: StorageError.self) { try await store.saveEntry(saved) }
        #expect(error?.code == .closed)
    }

    @Test func `a generation that is canceled while it is written has no record`() async throws {
        let store = try LocalStorageProvider(directory: TemporaryFolder().url)
        // More text than the write buffer takes.
        let texts = (0..<6).map { String(repeating: "\($0) ", count: 500_000) }
        try await store.saveEntries(texts.map(entry))
        let state = try await store.local.currentState()
        let target = try StoreFolder(TemporaryFolder().url)
        let files = LocalStorageProvider.Options().files
        #expect(throws: CancellationError.self) {
            try Generation.write(state, number: 1, in: target, from: nil, files: files, isCancelled: { true })
        }
        let record = target.generation(1).appendingPathComponent(Generation.recordFile)
        #expect(!FileManager.default.fileExists(atPath: record.path))
        let generation = try Generation.write(state, number: 1, in: target, from: nil, files: files)
        #expect(generation.entryCount == 6 && FileManager.default.fileExists(atPath: record.path))
    }

    @Test func `a folder of another program is read again after it has changed`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("entries.json")
        func write(_ texts: [String]) throws {
            let objects = texts.map {
                ["id": UUID().uuidString, "content": $0, "embeddings": [1]] as [String: Any]
            }
            try JSONSerialization.data(withJSONObject: objects).write(to: file)
        }
        try write(["one"])
        let store = try LocalStorageProvider(directory: folder.url)
        #expect(try await store.fetchEntries().map(\.content) == ["one"])
        try write(["one", "two"])
        #expect(try await store.fetchEntries().map(\.content) == ["one", "two"])
        try await store.saveEntry(Entry(content: "three", embeddings: [1]))
        #expect(try await store.fetchEntries().map(\.content) == ["one", "two", "three"])
        let kept = folder.url.appendingPathComponent("before-roost-entries.json")
        #expect(try String(contentsOf: kept, encoding: .utf8).contains("\"two\""))
    }

    @Test(arguments: [("journal-2026.md", true), ("journal-.jsonl", true), ("journal-1.jsonl", false)])
    func `a file of another program is not a journal`(name: String, isForeign: Bool) async throws {
        let folder = try TemporaryFolder()
        try Data("[]".utf8).write(to: folder.url.appendingPathComponent("entries.json"))
        try Data("text".utf8).write(to: folder.url.appendingPathComponent(name))
        guard isForeign else {
            let error = #expect(throws: StorageError.self) { try LocalStorageProvider(directory: folder.url) }
            #expect(error?.code == .damaged)
            return
        }
        let store = try LocalStorageProvider(directory: folder.url)
        #expect(try await store.fetchEntries().isEmpty)
        #expect(try await LocalStorageProvider.inspect(directory: folder.url).isEmpty)
    }

    /// Returns a store of three entries whose mark file is that of the second commit, and the contents of the
    /// mark file.
    private func storeWithOldMark(in folder: URL) async throws -> (LocalStorageProvider, mark: Data) {
        let store = try LocalStorageProvider(directory: folder)
        for text in ["one", "two"] { try await store.saveEntry(entry(text)) }
        let old = try Data(contentsOf: StoreFolder(folder).mark)
        try await store.saveEntry(entry("three"))
        try old.write(to: StoreFolder(folder).mark)
        return (store, old)
    }

    /// The mark is not synchronized to the disk, so it may be older than the journal after a power failure.
    @Test func `an old mark does not hide commits`() async throws {
        let folder = try TemporaryFolder()
        let (store, old) = try await storeWithOldMark(in: folder.url)
        let reader = try LocalStorageProvider(directory: folder.url)
        #expect(try await reader.fetchEntries().count == 3)
        // The next writer updates the mark.
        try await reader.saveEntry(entry("four"))
        #expect(try Data(contentsOf: StoreFolder(folder.url).mark) != old)
        #expect(try await store.fetchEntries().map(\.content) == ["one", "two", "three", "four"])
    }

    /// While a process holds the writers' lock, it may still undo the bytes after the mark.
    @Test func `an incomplete commit of an active writer is not read`() async throws {
        let folder = try TemporaryFolder()
        let (store, _) = try await storeWithOldMark(in: folder.url)
        let lock = try FileLock.acquire(folder.url.appendingPathComponent("lock"), timeout: 1)
        let reader = try LocalStorageProvider(directory: folder.url)
        #expect(try await reader.fetchEntries().map(\.content) == ["one", "two"])
        // A provider that has already returned the contents of the commit continues to do so.
        #expect(try await store.fetchEntries().count == 3)
        lock.release()
        #expect(try await reader.fetchEntries().count == 3)
    }

    /// Inspects a copy of a store before each step: the state that a process killed at that step would leave.
    private final class StepInspector: Sendable {
        private let found = Mutex<[String]>([])
        let (store, copy): (URL, URL)

        init(of store: URL, copy: URL) { (self.store, self.copy) = (store, copy) }

        var damage: [String] { found.withLock { $0 } }

        func inspect(before step: FileStep) {
            let manager = FileManager.default
            try? manager.removeItem(at: copy)
            try? manager.copyItem(at: store, to: copy)
            var recovery = Recovery(folder: StoreFolder(copy), files: .standard, isCancelled: { false })
            do { _ = try recovery.inspect() } catch { found.withLock { $0.append("\(step): \(error)") } }
            let damage = recovery.findings.filter { $0.severity == .damage }
            found.withLock { $0 += damage.map { "\(step): \($0)" } }
        }
    }

    @Test func `a process that is killed while it removes old files leaves no damage`() async throws {
        let folder = try TemporaryFolder()
        let directory = folder.url.appendingPathComponent("store")
        let inspector = StepInspector(of: directory, copy: folder.url.appendingPathComponent("copy"))
        let plain = try LocalStorageProvider(directory: directory)
        for text in ["one", "two", "three"] {
            try await plain.saveEntry(entry(text))
            try await plain.compact()
        }
        var options = LocalStorageProvider.Options()
        let steps = Mutex(0)
        options.files = FileSystem { step in
            steps.withLock { $0 += 1 }
            inspector.inspect(before: step)
            return nil
        }
        let store = try LocalStorageProvider(directory: directory, options: options)
        try await store.saveEntry(entry("four"))
        try await store.compact()
        // A commit with a new epoch removes all older files at once.
        _ = try await store.commit(WriteBatch(upserts: [entry("five")], newEpoch: UUID()))
        #expect(steps.withLock { $0 } > 40)
        #expect(inspector.damage.isEmpty, "\(inspector.damage.joined(separator: "\n"))")
    }

    @Test func `symbolic links in place of a store's files are replaced and not followed`() async throws {
        let folder = try TemporaryFolder()
        let others = folder.url.appendingPathComponent("others")
        try FileManager.default.createDirectory(at: others, withIntermediateDirectories: true)
        let victim = others.appendingPathComponent("letter.txt")
        try Data("mine".utf8).write(to: victim)
        let storage = folder.url.appendingPathComponent("Storage")
        let store = try LocalStorageProvider(directory: storage)
        for number in 0..<3 { try await store.saveEntry(Entry(content: "\(number)", embeddings: [1])) }
        // Creates links at the paths of the next generation, its journal and the published files.
        let manager = FileManager.default
        try manager.createSymbolicLink(
            at: storage.appendingPathComponent("generations/2"), withDestinationURL: others)
        try manager.createSymbolicLink(
            at: storage.appendingPathComponent("journal-2.jsonl"), withDestinationURL: victim)
        for name in ["entries.json", "clusters.json"] {
            let url = storage.appendingPathComponent(name)
            try manager.removeItem(at: url)
            try manager.createSymbolicLink(at: url, withDestinationURL: victim)
        }
        try await store.compact()
        try await store.saveEntry(Entry(content: "after", embeddings: [1]))
        #expect(try Data(contentsOf: victim) == Data("mine".utf8))
        #expect(try manager.contentsOfDirectory(atPath: others.path) == ["letter.txt"])
        let reopened = try LocalStorageProvider(directory: storage)
        #expect(try await reopened.fetchEntries().map(\.content) == ["0", "1", "2", "after"])
        #expect(
            try String(contentsOf: storage.appendingPathComponent("entries.json"), encoding: .utf8)
                .contains("\"2\""))
    }
}
