import Foundation
import RoostFiles
import RoostModel
import TestSupport
import Testing

@testable import RoostJSON

@Suite(.temporaryFolders) struct LocalRepairTests {
    private let entries = (0..<5).map {
        Entry(
            content: "text \($0)", embeddings: [1, 0], source: "s\($0)", tags: ["t"],
            createdAt: Date(milliseconds: Int64($0)))
    }

    /// Changes one byte of the third entry, and returns the changed file.
    private func damageThirdEntry(of file: URL) throws -> Data {
        var data = try Data(contentsOf: file)
        let offset = try #require(data.firstRange(of: Data("text 2".utf8))?.lowerBound)
        data[offset] = UInt8(ascii: "X")
        try data.write(to: file)
        return data
    }

    @Test func `a repair restores a damaged entry from the published copy`() async throws {
        let folder = try TemporaryFolder()
        let store = try LocalStorageProvider(directory: folder.url)
        try await store.saveEntries(entries)
        try await store.deleteEntry(entries[4].id)
        _ = try damageThirdEntry(of: folder.url.appendingPathComponent("generations/1/entries.json"))
        #expect(throws: StorageError.self) {
            try LocalFiles.mappingErrors {
                _ = try LocalFiles(directory: folder.url, options: .init()).withLoaded {
                    try $0.state.entry(entries[2].id)
                }
            }
        }
        _ = try await LocalStorageProvider.repair(directory: folder.url)
        let repaired = try LocalStorageProvider(directory: folder.url)
        #expect(try await repaired.fetchEntries() == Array(entries.prefix(4)))
    }

    @Test func `a repair without an intact copy loses the damaged entry and no other`() async throws {
        let folder = try TemporaryFolder()
        let store = try LocalStorageProvider(directory: folder.url)
        try await store.saveEntries(entries)
        let damaged = try damageThirdEntry(
            of: folder.url.appendingPathComponent("generations/1/entries.json"))
        try damaged.write(to: folder.url.appendingPathComponent("entries.json"))
        _ = try await LocalStorageProvider.repair(directory: folder.url)
        let repaired = try LocalStorageProvider(directory: folder.url)
        #expect(try await repaired.fetchEntries() == entries.filter { $0.id != entries[2].id })
    }

    @Test func `a check can be canceled at each entry`() async throws {
        let folder = try TemporaryFolder()
        let store = try LocalStorageProvider(directory: folder.url)
        try await store.saveEntries(entries)
        _ = try damageThirdEntry(of: folder.url.appendingPathComponent("generations/1/entries.json"))
        func checkedEntries(upTo limit: Int) throws -> Int {
            var count = 0
            var recovery = Recovery(folder: StoreFolder(folder.url), files: .standard) {
                count += 1
                return count > limit
            }
            _ = try recovery.inspect()
            return count
        }
        let all = try checkedEntries(upTo: .max)
        // Those of the generation and those of the published copy.
        #expect(all >= 2 * entries.count)
        for limit in 0..<all {
            #expect(throws: CancellationError.self) { try checkedEntries(upTo: limit) }
        }
    }

    @Test func `a repair without generations continues from the published copy`() async throws {
        let folder = try TemporaryFolder()
        let store = try LocalStorageProvider(directory: folder.url)
        try await store.saveEntries(entries)
        try await store.compact()
        try await store.close()
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("generations"))
        let findings = try await LocalStorageProvider.repair(directory: folder.url)
        #expect(findings.contains { $0.subject.hasSuffix("/entries.json") && $0.severity == .damage })
        let repaired = try LocalStorageProvider(directory: folder.url)
        #expect(try await repaired.fetchEntries().map(\.content) == entries.map(\.content))
        #expect(try await repaired.fetchEntries().map(\.embeddings) == entries.map(\.embeddings))
        try await repaired.close()
        let rest = try await LocalStorageProvider.inspect(directory: folder.url)
        #expect(rest.allSatisfy { $0.severity == .note }, "\(rest)")
    }

    @Test(arguments: [true, false])
    func `a repair from the texts alone applies the journal`(keepsTexts: Bool) async throws {
        let folder = try TemporaryFolder()
        let store = try LocalStorageProvider(directory: folder.url)
        try await store.saveEntries(Array(entries.prefix(4)))
        try await store.compact()
        try await store.saveEntry(entries[4])
        try await store.deleteEntry(entries[0].id)
        try await store.close()
        let generations = folder.url.appendingPathComponent("generations")
        let names = keepsTexts ? try FileManager.default.contentsOfDirectory(atPath: generations.path) : [""]
        for name in names {
            try FileManager.default.removeItem(
                at: generations.appendingPathComponent(keepsTexts ? "\(name)/sidecar" : name))
        }
        _ = try await LocalStorageProvider.repair(directory: folder.url)
        let repaired = try LocalStorageProvider(directory: folder.url)
        #expect(try await repaired.fetchEntries().map(\.content) == entries.dropFirst().map(\.content))
        try await repaired.close()
        let rest = try await LocalStorageProvider.inspect(directory: folder.url)
        #expect(rest.allSatisfy { $0.severity == .note }, "\(rest)")
    }

    @Test(arguments: [[], ["CURRENT"], ["generations/1/sidecar"]])
    func `a repair prefers the published copy to an older state`(damaged: [String]) async throws {
        let folder = try TemporaryFolder()
        let store = try LocalStorageProvider(directory: folder.url)
        try await store.saveEntries(Array(entries.prefix(2)))
        try await store.saveEntries([entries[2]])
        try await store.saveEntries([entries[3]])
        try await store.compact()
        try await store.saveEntries([entries[4]])
        try await store.close()
        // Nothing leads from generation 1 to generation 2, of which only the published copy remains.
        for name in ["generations/2", "journal-1.jsonl"] + damaged {
            try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name))
        }
        _ = try await LocalStorageProvider.repair(directory: folder.url)
        let repaired = try LocalStorageProvider(directory: folder.url)
        #expect(try await repaired.fetchEntries().map(\.content) == entries.map(\.content))
    }

    @Test func `the remnants of format 1 are no damage`() async throws {
        let folder = try TemporaryFolder()
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/Formats/v1/json/Storage")
        let copy = folder.url.appendingPathComponent("Storage")
        try FileManager.default.copyItem(at: fixture, to: copy)
        let store = try LocalStorageProvider(directory: copy)
        try await store.saveEntry(Entry(content: "new"))
        try await store.close()
        #expect(FileManager.default.fileExists(atPath: copy.path + "/journal-6.jsonl"))
        let findings = try await LocalStorageProvider.inspect(directory: copy)
        #expect(findings.allSatisfy { $0.severity == .note }, "\(findings)")
    }

    @Test(arguments: ["removed", "emptied", "truncated", "changed"])
    func `lost commits of a journal are reported`(fault: String) async throws {
        let folder = try TemporaryFolder()
        let store = try LocalStorageProvider(directory: folder.url)
        try await store.saveEntries(Array(entries.prefix(2)))
        try await store.compact()
        for entry in entries.dropFirst(2) { try await store.saveEntry(entry) }
        try await store.close()
        let number = try #require(StoreFolder(folder.url).journalNumbers.last)
        let url = StoreFolder(folder.url).journal(number)
        var data = try Data(contentsOf: url)
        switch fault {
        case "removed": try FileManager.default.removeItem(at: url)
        case "emptied": try Data().write(to: url)
        case "truncated": try data.prefix(data.count / 2).write(to: url)
        default:
            data[data.count / 2] ^= 1
            try data.write(to: url)
        }
        let findings = try await LocalStorageProvider.inspect(directory: folder.url)
        let lost = try #require(findings.first { $0.message.contains("a backup may contain more") })
        #expect(lost.severity == .damage && lost.message.contains(" lost, "), "\(findings)")
        #expect(!findings.contains { $0.message.contains("can be rebuilt") })
        _ = try await LocalStorageProvider.repair(directory: folder.url)
        let repaired = try LocalStorageProvider(directory: folder.url)
        let count = try await repaired.fetchEntries().count
        #expect((2..<5).contains(count) && lost.message.contains("with \(count) entries"), "\(findings)")
    }

    @Test func `a repair keeps the commits after a damaged one`() async throws {
        let folder = try TemporaryFolder()
        let store = try LocalStorageProvider(directory: folder.url)
        try await store.saveEntry(entries[0])
        try await store.compact()
        let cluster = Cluster(label: "all")
        _ = try await store.commit(
            WriteBatch(upserts: [entries[1]], sources: [Source(id: "s1", fingerprint: "f")]))
        try await store.saveEntry(entries[2])
        let assignments = [1, 2].map { Assignment(entry: entries[$0].id, target: .cluster(cluster.id)) }
        _ = try await store.commit(
            WriteBatch(
                upserts: [entries[3]],
                clustering: .init(run: nil, clusters: [cluster], assignments: assignments)))
        try await store.saveEntry(entries[4])
        try await store.deleteEntry(entries[1].id)
        try await store.close()
        let number = try #require(StoreFolder(folder.url).journalNumbers.last)
        let url = StoreFolder(folder.url).journal(number)
        var data = try Data(contentsOf: url)
        // The commit of the third entry is damaged.
        let offset = try #require(data.firstRange(of: Data("text 2".utf8))?.lowerBound)
        data[offset] = UInt8(ascii: "X")
        try data.write(to: url)
        let findings = try await LocalStorageProvider.repair(directory: folder.url)
        let isReported = findings.contains {
            $0.severity == .damage && $0.message.contains("1 commit is lost, later ones are kept")
        }
        #expect(isReported, "\(findings)")
        let repaired = try LocalStorageProvider(directory: folder.url)
        #expect(try await repaired.fetchEntries() == [entries[0], entries[3], entries[4]])
        // The next ingest reads all sources again, because entries of the lost commit can belong to them.
        #expect(try await repaired.snapshot().sources().map(\.fingerprint) == [""])
        try await repaired.close()
        #expect(try folder.files().values.contains(data), "the damaged journal is kept")
        let rest = try await LocalStorageProvider.inspect(directory: folder.url)
        #expect(rest.allSatisfy { $0.severity == .note }, "\(rest)")
    }

    /// Creates a store with two generations. The journal between them has the commits of the entries 1 to 3.
    ///
    /// - Parameters:
    ///   - damaged: The entries whose commits in this journal are damaged.
    ///   - hasSecondJournal: Whether entry 4 is committed after the second generation.
    private func createStore(in folder: URL, damaged: [Int], hasSecondJournal: Bool) async throws {
        let store = try LocalStorageProvider(directory: folder)
        try await store.saveEntry(entries[0])
        for entry in entries[1...3] { try await store.saveEntry(entry) }
        try await store.compact()
        if hasSecondJournal { try await store.saveEntry(entries[4]) }
        try await store.close()
        let journal = folder.appendingPathComponent("journal-1.jsonl")
        var data = try Data(contentsOf: journal)
        for number in damaged {
            let offset = try #require(data.firstRange(of: Data("text \(number)".utf8))?.lowerBound)
            data[offset] = UInt8(ascii: "X")
        }
        try data.write(to: journal)
    }

    @Test func `a generation with a lost entry is preferred to one before lost commits`() async throws {
        let folder = try TemporaryFolder()
        try await createStore(in: folder.url, damaged: [1, 2], hasSecondJournal: false)
        for name in ["generations/2/entries.json", "entries.json"] {
            let url = folder.url.appendingPathComponent(name)
            var data = try Data(contentsOf: url)
            let offset = try #require(data.firstRange(of: Data("text 3".utf8))?.lowerBound)
            data[offset] = UInt8(ascii: "X")
            try data.write(to: url)
        }
        _ = try await LocalStorageProvider.repair(directory: folder.url)
        let repaired = try LocalStorageProvider(directory: folder.url)
        #expect(try await repaired.fetchEntries().map(\.content) == ["text 0", "text 1", "text 2"])
    }

    @Test(arguments: [true, false])
    func `commits after a damaged one continue in the next journal`(hasTexts: Bool) async throws {
        let folder = try TemporaryFolder()
        try await createStore(in: folder.url, damaged: [2], hasSecondJournal: true)
        for name in ["generations/2"] + (hasTexts ? [] : ["entries.json"]) {
            try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name))
        }
        let findings = try await LocalStorageProvider.repair(directory: folder.url)
        let repaired = try LocalStorageProvider(directory: folder.url)
        // The published texts of the second generation include the lost commit.
        let expected = entries.filter { hasTexts || $0.id != entries[2].id }
        #expect(try await repaired.fetchEntries().map(\.content) == expected.map(\.content))
        #expect(findings.contains { $0.message.contains("1 commit is lost") } == !hasTexts, "\(findings)")
    }

    /// The files of format 1 that are removed, and whether the journal of the newest generation remains.
    @Test(arguments: [
        (["generations"], true), (["generations/6/sidecar.json"], true),
        (["generations", "journal-6.jsonl"], false),
        (["generations/6", "entries.json"], true),
    ])
    func `a damaged store of format 1 continues from its texts and its journal`(
        removed: [String], hasJournal: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let copy = folder.url.appendingPathComponent("Storage")
        try FileManager.default.copyItem(
            at: Fixtures.folder.appendingPathComponent("Formats/v1/json/Storage"), to: copy)
        let intact = try LocalStorageProvider(directory: copy)
        let expected = try await intact.fetchEntries()
        try await intact.close()
        let old = try Data(contentsOf: copy.appendingPathComponent("CURRENT"))
        for name in removed { try FileManager.default.removeItem(at: copy.appendingPathComponent(name)) }
        let error = #expect(throws: StorageError.self) { try LocalStorageProvider(directory: copy) }
        #expect(error?.code == .damaged && error?.remedy == .inspectStore, "\(error as Any)")
        let findings = try await LocalStorageProvider.repair(directory: copy)
        #expect(findings.contains { $0.severity == .damage })
        let repaired = try LocalStorageProvider(directory: copy)
        let found = try await repaired.fetchEntries()
        try await repaired.close()
        if hasJournal, removed.count == 1 {
            #expect(found.map(\.id) == expected.map(\.id))
            #expect(found.map(\.content) == expected.map(\.content))
        } else {
            // Without the journal of a store of format 1, nothing shows that it existed.
            let isReported = findings.contains { $0.message.contains("generation 5 and generation 6") }
            #expect(!found.isEmpty && isReported == hasJournal, "\(findings)")
        }
        #expect(try folder.files().values.contains(old), "the old CURRENT is kept")
        let rest = try await LocalStorageProvider.inspect(directory: copy)
        #expect(rest.allSatisfy { $0.severity == .note }, "\(rest)")
    }

    @Test(arguments: ["journal-\(Int.max).jsonl", "generations/\(Int.max)/generation.json"])
    func `a file with an impossible generation number does not prevent a repair`(name: String) async throws {
        let folder = try TemporaryFolder()
        let store = try LocalStorageProvider(directory: folder.url)
        try await store.saveEntries(entries)
        try await store.close()
        let stray = folder.url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: stray.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("{}\n".utf8).write(to: stray)
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("CURRENT"))
        _ = try await LocalStorageProvider.repair(directory: folder.url)
        let repaired = try LocalStorageProvider(directory: folder.url)
        #expect(try await repaired.fetchEntries() == entries)
    }
}
