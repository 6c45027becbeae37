import CrashWorkload
import Foundation
import RoostJSON
import RoostModel
import RoostSQLite
import RoostTestKit
import Testing

/// Files that lose their end or have a byte changed: the data is right, or the damage is reported; never a
/// crash, never a wrong answer.
struct DamageTests {
    /// A store with generations, a journal (or a log), clusters, removals and a record of sources.
    static func make(_ backend: CrashWorkload.Backend, in folder: URL) async throws
        -> (any StorageProvider, StorageContents)
    {
        let store = try await CrashWorkload.open(backend, in: folder)
        for step in CrashWorkload.steps {
            // The long entry would take most of the positions.
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
        // Not closed: what a process that died leaves, with its log.
        return (store, contents)
    }

    /// Every entry that the store has had.
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

    /// The bytes of every file.
    static func files(_ folder: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            files[path] = try? Data(contentsOf: folder.appendingPathComponent(path))
        }
        return files
    }

    /// Files that say nothing of their own, or are copies of what is kept.
    static func isReplaced(_ path: String) -> Bool {
        let name = (path as NSString).lastPathComponent
        return ["lock", "committed", "CURRENT", "roost.sqlite.lock"].contains(name) || name.hasSuffix("-shm")
            || path == "Storage/entries.json" || path == "Storage/clusters.json"
    }

    struct Tally {
        var right = 0
        var reported = 0
        /// A repair found nothing to go on from.
        var givenUp = 0
        /// Only an inspection notices.
        var toldByDoctor = 0
        var wrong: [String] = []
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

    /// Opens a damaged copy and compares what it answers.
    func judge(
        _ backend: CrashWorkload.Backend, _ folder: URL, _ expected: StorageContents, _ what: String,
        repairs: Bool, _ tally: inout Tally
    ) async throws {
        var answer: StorageContents?
        do {
            let store = try await CrashWorkload.open(backend, in: folder)
            answer = try await StorageContents(store)
        } catch let error as StorageError {
            if error.message.isEmpty { tally.wrong.append("\(what): an error without words") }
        } catch {
            tally.wrong.append("\(what): threw \(type(of: error)): \(error)")
        }
        if let answer, answer == expected {
            tally.right += 1
        } else if answer == nil {
            tally.reported += 1
        } else {
            // An answer that is not the whole truth must at least not be a wrong one, and doctor must tell.
            let known = Set(expected.entries)
            let parts = answer?.differences(from: expected) ?? []
            // SQLite's indexes and the tables of tags and metadata bear no checksums: one that has lost a row
            // hides it from what is answered by it alone, until somebody looks.
            let isFeedOnly =
                backend == .sqlite && Set(parts).isSubset(of: ["changes", "filters", "entries by id"])
            let isPart = answer?.entries.allSatisfy(known.contains) == true
            let findings = try await Self.inspect(backend, folder)
            let isTold = findings.contains { $0.severity == .damage }
            if isFeedOnly, isTold {
                tally.toldByDoctor += 1
                return
            }
            tally.wrong.append(
                "\(what): other \(parts.joined(separator: ", ")) (entries \(isPart ? "true" : "FALSE"), doctor \(isTold ? "tells" : "SILENT"))"
            )
        }
        guard repairs, answer == nil else { return }
        do {
            #expect(
                try await Self.inspect(backend, folder).contains { $0.severity == .damage }, "\(what): doctor"
            )
            let before = try Self.files(folder)
            do {
                _ = try await Self.repair(backend, folder)
            } catch let error as StorageError where error.code == .damaged {
                // Nothing can be had: then nothing may have been changed either.
                let after = try Self.files(folder)
                #expect(before.allSatisfy { after[$0.key] == $0.value }, "\(what): a repair that gave up")
                tally.givenUp += 1
                return
            }
            // Nothing is deleted, wherever it has gone.
            let kept = Set(try Self.files(folder).values)
            let lost = before.filter { !kept.contains($0.value) && !Self.isReplaced($0.key) }.keys
            #expect(lost.isEmpty, "\(what): the repair deleted \(lost.sorted())")
            let store = try await CrashWorkload.open(backend, in: folder)
            let repaired = try await StorageContents(store)
            // Some may be of an earlier revision, but none that never was.
            // A text whose vector is damaged is kept without it.
            let bare = Set(Self.everSaved.map(Self.withoutVectors))
            #expect(
                repaired.entries.allSatisfy {
                    Self.everSaved.contains($0) || $0.embeddings.isEmpty && bare.contains($0)
                }, "\(what): repaired")
            try await store.saveEntry(Entry(content: "after the repair", embeddings: [1, 0, 0, 0]))
            #expect(
                try await Self.inspect(backend, folder).allSatisfy { finding in
                    finding.severity == .note || finding.subject.contains("generations/")
                        || finding.subject.contains("journal-")
                }, "\(what): whole again")
        } catch {
            Issue.record("\(what): the repair threw \(error)")
        }
    }

    @Test(arguments: CrashWorkload.Backend.allCases)
    func `files cut short or with a byte changed`(backend: CrashWorkload.Backend) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
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
            // Every file gets as many as a run of reasonable length allows; all with ROOST_DAMAGE=all.
            let isAll = ProcessInfo.processInfo.environment["ROOST_DAMAGE"] == "all"
            let flips = min(isAll || backend == .sqlite ? 1000 : 200, data.count)
            let cuts = min(isAll || backend == .sqlite ? 100 : 30, data.count)
            for trial in 0..<(flips + cuts) {
                var damaged = data
                let what: String
                if trial < flips {
                    let place = Int(generator.next() % UInt64(data.count))
                    damaged[place] ^= UInt8(1 << (generator.next() % 8))
                    what = "\(path), byte \(place) of \(data.count) changed"
                } else {
                    let length = Int(generator.next() % UInt64(data.count))
                    damaged = data.prefix(length)
                    what = "\(path) cut to \(length) of \(data.count) bytes"
                }
                let copy = folder.url.appendingPathComponent("copy")
                try? FileManager.default.removeItem(at: copy)
                try FileManager.default.copyItem(at: original, to: copy)
                try damaged.write(to: copy.appendingPathComponent(path))
                trials += 1
                try await judge(backend, copy, expected, what, repairs: trial % 40 == 0, &tally)
            }
        }
        print(
            "\(backend): \(trials) damaged files; right \(tally.right), reported \(tally.reported), told by doctor only \(tally.toldByDoctor), repairs given up \(tally.givenUp), wrong \(tally.wrong.count)"
        )
        #expect(tally.wrong.isEmpty, "\(tally.wrong.prefix(12).joined(separator: "\n"))")
    }
}
