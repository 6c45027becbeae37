import Foundation
import RoostFiles
import RoostModel
import Synchronization
import Testing

@testable import RoostJSON

/// What the files of a JSON store do when others lay hands on them.
struct LocalFilesTests {
    private func entry(_ text: String) -> Entry { Entry(content: text, embeddings: [1, 0]) }

    @Test(arguments: ["", "[]", "{\"not\": \"ours\"}"])
    func `writing to the files for people harms nothing`(text: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try LocalStorageProvider(directory: folder.url)
        let first = entry("one")
        try await store.saveEntry(first)
        for name in ["entries.json", "clusters.json"] {
            // Into the same file, as an editor without safe saving does it.
            let file = try FileHandle(forWritingTo: folder.url.appendingPathComponent(name))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(text.utf8))
            try file.close()
        }
        #expect(try await store.fetchEntries() == [first])
        let again = try LocalStorageProvider(directory: folder.url)
        #expect(try await again.fetchEntries() == [first])
        try await again.compact()
        let shown = try String(
            contentsOf: folder.url.appendingPathComponent("entries.json"), encoding: .utf8)
        #expect(shown.contains("\"one\""))
    }

    @Test func `a folder of another program is read again when it writes`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
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

    /// A store of three entries whose mark is of the second, and the mark's bytes.
    private func storeWithOldMark(in folder: URL) async throws -> (LocalStorageProvider, mark: Data) {
        let store = try LocalStorageProvider(directory: folder)
        for text in ["one", "two"] { try await store.saveEntry(entry(text)) }
        let old = try Data(contentsOf: CommitMark.url(folder))
        try await store.saveEntry(entry("three"))
        try old.write(to: CommitMark.url(folder))
        return (store, old)
    }

    /// The mark of the last commit is not synchronised: after a loss of power it may be older than the
    /// journal.
    @Test func `an old mark hides no commit`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (store, old) = try await storeWithOldMark(in: folder.url)
        let reader = try LocalStorageProvider(directory: folder.url)
        #expect(try await reader.fetchEntries().count == 3)
        // Whoever writes next marks it.
        try await reader.saveEntry(entry("four"))
        #expect(try Data(contentsOf: CommitMark.url(folder.url)) != old)
        #expect(try await store.fetchEntries().map(\.content) == ["one", "two", "three", "four"])
    }

    /// While somebody writes, what lies behind the mark may yet be taken back.
    @Test func `a line that is being written is not read`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (store, _) = try await storeWithOldMark(in: folder.url)
        let lock = try FileLock.acquire(folder.url.appendingPathComponent("lock"), timeout: 1)
        let reader = try LocalStorageProvider(directory: folder.url)
        #expect(try await reader.fetchEntries().map(\.content) == ["one", "two"])
        // Whoever has seen it goes on seeing it.
        #expect(try await store.fetchEntries().count == 3)
        lock.release()
        #expect(try await reader.fetchEntries().count == 3)
    }

    /// What a process leaves that is killed at any step of its writes.
    private final class Corpses: Sendable {
        private let found = Mutex<[String]>([])
        let (store, corpse): (URL, URL)

        init(of store: URL, beside corpse: URL) { (self.store, self.corpse) = (store, corpse) }

        var damage: [String] { found.withLock { $0 } }

        func look(before step: FileStep) {
            let manager = FileManager.default
            try? manager.removeItem(at: corpse)
            try? manager.copyItem(at: store, to: corpse)
            var recovery = Recovery(directory: corpse, files: .standard)
            do { _ = try recovery.inspect() } catch { found.withLock { $0.append("\(step): \(error)") } }
            let damage = recovery.findings.filter { $0.severity == .damage }
            found.withLock { $0 += damage.map { "\(step): \($0)" } }
        }
    }

    @Test func `a process that is killed while it tidies up leaves no damage`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let place = folder.url.appendingPathComponent("store")
        let corpses = Corpses(of: place, beside: folder.url.appendingPathComponent("corpse"))
        let plain = try LocalStorageProvider(directory: place)
        for text in ["one", "two", "three"] {
            try await plain.saveEntry(entry(text))
            try await plain.compact()
        }
        var options = LocalStorageProvider.Options()
        let steps = Mutex(0)
        options.files = FileSystem { step in
            steps.withLock { $0 += 1 }
            corpses.look(before: step)
            return nil
        }
        let store = try LocalStorageProvider(directory: place, options: options)
        try await store.saveEntry(entry("four"))
        try await store.compact()
        // What begins a history takes all older files away at once.
        _ = try await store.commit(WriteBatch(upserts: [entry("five")], newEpoch: UUID()))
        #expect(steps.withLock { $0 } > 40)
        #expect(corpses.damage.isEmpty, "\(corpses.damage.joined(separator: "\n"))")
    }
}
