import CrashWorkload
import Foundation
import RoostModel
import RoostStorage
import RoostTestKit
import TestSupport
import Testing

/// If a file has been truncated or one of its bytes has changed, a store returns correct data or throws an
/// error. It never crashes, and never returns wrong data.
@Suite(.temporaryFolders) struct DamageTests {
    /// Creates a store with generations, a journal (or a log), clusters, removals and source records.
    static func make(_ backend: CrashWorkload.Backend, in folder: URL) async throws
        -> (any StorageProvider, StorageContents)
    {
        let store = try await CrashWorkload.open(backend, in: folder)
        for step in CrashWorkload.steps {
            // Omits the long entry, which would contain most of the randomly chosen bytes.
            if case .commit(let batch) = step,
                batch.upserts.contains(where: { $0.content.utf8.count > 100_000 })
            {
                var short = batch
                short.upserts.removeAll { $0.content.utf8.count > 100_000 }
                try await CrashWorkload.perform(.commit(short), on: store)
            } else {
                try await CrashWorkload.perform(step, on: store)
            }
        }
        try await store.saveEntry(last)
        let contents = try await StorageContents(store)
        // The store is not closed, so the files include the log, as after a crash.
        return (store, contents)
    }

    /// All entries that the store contained at any time.
    static let everSaved: Set<Entry> = {
        var entries: Set = [last]
        for case .commit(let batch) in CrashWorkload.steps { entries.formUnion(batch.upserts) }
        return entries
    }()

    private static func withoutVectors(_ entry: Entry) -> Entry {
        var entry = entry
        entry.embeddings = []
        entry.passages = []
        return entry
    }

    static let last = Entry(
        content: "in the journal", embeddings: [0, 0, 1, 0], createdAt: Date(milliseconds: 0))

    /// Returns whether a repair may replace a file because the contents can be derived from other files.
    static func isReplaced(_ path: String) -> Bool {
        let name = (path as NSString).lastPathComponent
        return ["lock", "committed", "CURRENT", "roost.sqlite.lock"].contains(name) || name.hasSuffix("-shm")
            || path == "Storage/entries.json" || path == "Storage/clusters.json"
    }

    struct Tally {
        var correct = 0
        /// The number of stores that threw an error.
        var reported = 0
        /// The number of stores in which a repair found nothing to recover.
        var givenUp = 0
        var failures: [String] = []
    }

    static func inspect(_ backend: CrashWorkload.Backend, _ folder: URL) async throws -> [StorageFinding] {
        switch backend {
        case .json:
            try await LocalStorageProvider.inspect(directory: folder.appendingPathComponent("Storage"))
        case .sqlite:
            try await SQLiteStorageProvider.inspect(
                databaseURL: folder.appendingPathComponent("roost.sqlite"))
        }
    }

    static func repair(_ backend: CrashWorkload.Backend, _ folder: URL) async throws -> [StorageFinding] {
        switch backend {
        case .json: try await LocalStorageProvider.repair(directory: folder.appendingPathComponent("Storage"))
        case .sqlite:
            try await SQLiteStorageProvider.repair(databaseURL: folder.appendingPathComponent("roost.sqlite"))
        }
    }

    /// Opens a damaged copy and compares its answers.
    func judge(
        _ backend: CrashWorkload.Backend, _ folder: URL, _ expected: StorageContents, _ change: String,
        repairs: Bool, _ tally: inout Tally
    ) async throws {
        var answer: StorageContents?
        do {
            let store = try await CrashWorkload.open(backend, in: folder)
            answer = try await StorageContents(store)
        } catch let error as StorageError {
            if error.message.isEmpty { tally.failures.append("\(change): an error without a message") }
        } catch {
            tally.failures.append("\(change): threw \(type(of: error)): \(error)")
        }
        if let answer, answer == expected {
            tally.correct += 1
        } else if answer == nil {
            tally.reported += 1
        } else {
            let known = Set(expected.entries)
            let parts = answer?.differences(from: expected) ?? []
            let isPart = answer?.entries.allSatisfy(known.contains) == true
            let findings = try await Self.inspect(backend, folder)
            let isReported = findings.contains { $0.severity == .damage }
            tally.failures.append(
                "\(change): different \(parts.joined(separator: ", ")); "
                    + "entries \(isPart ? "correct" : "WRONG"), "
                    + "inspection \(isReported ? "reports damage" : "SILENT")"
            )
        }
        if repairs, answer == nil { try await checkRepair(backend, folder, change, &tally) }
    }

    /// Repairs a damaged store, and checks that the repair deletes nothing and invents nothing.
    private func checkRepair(
        _ backend: CrashWorkload.Backend, _ folder: URL, _ change: String, _ tally: inout Tally
    ) async throws {
        do {
            #expect(
                try await Self.inspect(backend, folder).contains { $0.severity == .damage },
                "\(change): inspection")
            let before = try TemporaryFolder.files(in: folder)
            do {
                _ = try await Self.repair(backend, folder)
            } catch let error as StorageError where error.code == .damaged {
                // If nothing can be recovered, nothing may be changed, except that SQLite moves committed
                // pages from the write-ahead log to the database when the last connection is closed.
                let after = try TemporaryFolder.files(in: folder)
                // Readers note their position in the shared memory of SQLite, which contains no data.
                let changed = before.filter { after[$0.key] != $0.value && !$0.key.hasSuffix("-shm") }
                let isCheckpoint = Set(changed.keys) == ["roost.sqlite", "roost.sqlite-wal"]
                #expect(
                    changed.isEmpty || isCheckpoint,
                    "\(change): \(changed.keys.sorted()) changed by a repair that gave up")
                tally.givenUp += 1
                return
            }
            // A repair may move files, but not delete any.
            let kept = Set(try TemporaryFolder.files(in: folder).values)
            let lost = before.filter { !kept.contains($0.value) && !Self.isReplaced($0.key) }.keys
            #expect(lost.isEmpty, "\(change): the repair deleted \(lost.sorted())")
            let store = try await CrashWorkload.open(backend, in: folder)
            let repaired = try await StorageContents(store)
            // A repair may restore an entry at an earlier revision, or without its vectors if these are damaged.
            let withoutVectors = Set(Self.everSaved.map(Self.withoutVectors))
            #expect(
                repaired.entries.allSatisfy {
                    Self.everSaved.contains($0) || $0.embeddings.isEmpty && withoutVectors.contains($0)
                }, "\(change): entries after the repair")
            try await store.saveEntry(Entry(content: "after the repair", embeddings: [1, 0, 0, 0]))
            #expect(
                try await Self.inspect(backend, folder).allSatisfy { finding in
                    finding.severity == .note || finding.subject.contains("generations/")
                        || finding.subject.contains("journal-")
                }, "\(change): damage after the repair")
        } catch {
            Issue.record("\(change): the repair threw \(error)")
        }
    }

    @Test(arguments: CrashWorkload.Backend.allCases)
    func `damaged files give correct data or an error`(backend: CrashWorkload.Backend) async throws {
        let folder = try TemporaryFolder()
        let original = folder.url.appendingPathComponent("original")
        try FileManager.default.createDirectory(at: original, withIntermediateDirectories: true)
        let (store, expected) = try await Self.make(backend, in: original)
        defer { withExtendedLifetime(store) {} }
        let files = try FileManager.default.subpathsOfDirectory(atPath: original.path).filter { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(
                atPath: original.appendingPathComponent(path).path, isDirectory: &isFolder)
            return !isFolder.boolValue && !path.hasSuffix("lock") && !path.hasSuffix("-shm")
        }.sorted()
        var generator = Seeded(state: 5)
        var tally = Tally()
        var trials = 0
        for path in files {
            let data = try Data(contentsOf: original.appendingPathComponent(path))
            guard !data.isEmpty else { continue }
            // With ROOST_DAMAGE=all, the files of a JSON store get as many changes as those of a database.
            let isAll = ProcessInfo.processInfo.environment["ROOST_DAMAGE"] == "all"
            let flips = min(isAll || backend == .sqlite ? 1000 : 200, data.count)
            let cuts = min(isAll || backend == .sqlite ? 100 : 30, data.count)
            for trial in 0..<(flips + cuts) {
                var damaged = data
                let change: String
                if trial < flips {
                    let offset = Int(generator.next() % UInt64(data.count))
                    damaged[offset] ^= UInt8(1 << (generator.next() % 8))
                    change = "\(path), byte \(offset) of \(data.count) changed"
                } else {
                    let length = Int(generator.next() % UInt64(data.count))
                    damaged = data.prefix(length)
                    change = "\(path) truncated to \(length) of \(data.count) bytes"
                }
                let copy = folder.url.appendingPathComponent("copy")
                try? FileManager.default.removeItem(at: copy)
                try FileManager.default.copyItem(at: original, to: copy)
                try damaged.write(to: copy.appendingPathComponent(path))
                trials += 1
                try await judge(backend, copy, expected, change, repairs: trial % 40 == 0, &tally)
            }
        }
        print(
            "\(backend): \(trials) damaged files; \(tally.correct) correct, \(tally.reported) reported, "
                + "\(tally.givenUp) repairs given up, "
                + "\(tally.failures.count) failures")
        #expect(tally.failures.isEmpty, "\(tally.failures.prefix(12).joined(separator: "\n"))")
    }
}
