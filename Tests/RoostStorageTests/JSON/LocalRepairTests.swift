import Foundation
import RoostFiles
import RoostModel
import TestSupport
import Testing

@testable import RoostStorage

@Suite(.temporaryFolders) struct LocalRepairTests {
    private let entries = (0..<5).map {
        Entry(
            content: "text \($0)", embeddings: [1, 0], source: "s\($0)", tags: ["t"],
            createdAt: Date(milliseconds: Int64($0)))
    }

    private func damageThirdEntry(of file: URL) throws -> Data {
        var data = try Data(contentsOf: file)
        let offset = try #require(data.firstRange(of: Data("text 2".utf8))?.lowerBound)
        data[offset] = UInt8(ascii: "X")
        try data.write(to: file)
        return data
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
        #expect(all >= entries.count)
        for limit in 0..<all {
            #expect(throws: CancellationError.self) { try checkedEntries(upTo: limit) }
        }
    }

    @Test func `a store without generations is kept, and its published copies open in a new folder`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = try LocalStorageProvider(directory: folder.url)
        try await store.saveEntries(entries)
        try await store.compact()
        try await store.close()
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("generations"))
        let findings = try await LocalStorageProvider.inspect(directory: folder.url)
        #expect(findings.contains { $0.severity == .damage })
        let before = try folder.files()
        let error = await #expect(throws: StorageError.self) {
            try await LocalStorageProvider.repair(directory: folder.url)
        }
        #expect(error?.code == .damaged && error?.remedy == .restoreBackup)
        let after = try folder.files()
        #expect(before.allSatisfy { $0.key == "lock" || after[$0.key] == $0.value })
        let other = try TemporaryFolder()
        try FileManager.default.copyItem(
            at: folder.url.appendingPathComponent("entries.json"),
            to: other.url.appendingPathComponent("entries.json"))
        let opened = try LocalStorageProvider(directory: other.url)
        #expect(try await opened.fetchEntries() == entries)
    }

    @Test(arguments: [true, false])
    func `a repair without a sidecar reads the JSON files and applies the journal`(
        isRemoved: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let store = try LocalStorageProvider(directory: folder.url)
        try await store.saveEntries(Array(entries.prefix(4)))
        let cluster = Cluster(label: "all")
        let assigned = Assignment(entry: entries[1].id, target: .cluster(cluster.id))
        _ = try await store.commit(
            WriteBatch(
                sources: [Source(id: "s1", fingerprint: "f")],
                clustering: .init(run: nil, clusters: [cluster], assignments: [assigned])))
        try await store.compact()
        // The second of these commits changes nothing in a state without the record of the source.
        try await store.saveEntry(entries[4])
        _ = try await store.commit(WriteBatch(removedSources: ["s1"]))
        try await store.deleteEntry(entries[0].id)
        let expected = try await store.snapshot().stamp
        try await store.close()
        let generations = folder.url.appendingPathComponent("generations")
        for name in try FileManager.default.contentsOfDirectory(atPath: generations.path) {
            let sidecar = generations.appendingPathComponent("\(name)/sidecar")
            if isRemoved {
                try FileManager.default.removeItem(at: sidecar)
            } else {
                var data = try Data(contentsOf: sidecar)
                data[data.count / 2] ^= 1
                try data.write(to: sidecar)
            }
        }
        let findings = try await LocalStorageProvider.repair(directory: folder.url)
        #expect(findings.contains { $0.severity == .damage && $0.message.contains("its sources, removals") })
        #expect(!findings.contains { $0.message.contains("commits after revision") }, "\(findings)")
        let repaired = try LocalStorageProvider(directory: folder.url)
        #expect(try await repaired.fetchEntries() == Array(entries.dropFirst()))
        let snapshot = try await repaired.snapshot()
        #expect(snapshot.stamp.revision > expected.revision)
        #expect(try await repaired.fetchClusters().map(\.members) == [[entries[1].id]])
        try await repaired.saveEntry(entries[0])
        try await repaired.close()
        let rest = try await LocalStorageProvider.inspect(directory: folder.url)
        #expect(rest.allSatisfy { $0.severity == .note }, "\(rest)")
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

    /// Creates a store with two generations. The journal between them has the commits of the entries 1 to 3.
    ///
    /// - Parameter damaged: The entries whose commits in this journal are damaged.
    private func createStore(in folder: URL, damaged: [Int]) async throws {
        let store = try LocalStorageProvider(directory: folder)
        try await store.saveEntry(entries[0])
        for entry in entries[1...3] { try await store.saveEntry(entry) }
        try await store.compact()
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
        try await createStore(in: folder.url, damaged: [1, 2])
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
