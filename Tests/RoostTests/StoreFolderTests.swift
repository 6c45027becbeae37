import Foundation
import RoostModel
import TestSupport
import Testing

@testable import Roost

/// Tests of two processes that create a store in the same folder at the same time.
@Suite(.temporaryFolders) struct StoreCreationRaceTests {
    /// Returns the files of a folder that this process has open.
    private func openFiles(in folder: URL) throws -> [String] {
        let descriptors = "/proc/self/fd"
        let path = folder.resolvingSymlinksInPath().path + "/"
        return try FileManager.default.contentsOfDirectory(atPath: descriptors).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
        }.filter { $0.hasPrefix(path) }
    }

    @Test func `a creation that another one overtakes fails and leaves no file open`() async throws {
        let folder = try TemporaryFolder().url
        let embedder = RecordingEmbedder()
        embedder.interruption.set {
            try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder()).close()
        }
        let error = await #expect(throws: RoostError.self) {
            try await KnowledgeStore.create(at: folder, embedder: embedder)
        }
        #expect(error?.code == .storeExists)
        #expect(try openFiles(in: folder).isEmpty)
        let store = try await KnowledgeStore.openOrCreate(at: folder, model: .lexical)
        _ = try await store.add("the other store is intact")
        try await store.close()
    }
}

/// Tests with the sample stores in `Fixtures/Formats`.
@Suite(.temporaryFolders) struct FormatTests {
    private static let formats = Fixtures.folder.appendingPathComponent("Formats")

    @Test(arguments: ["v1/sqlite", "v1/json"])
    func `a store of each format opens, exports the same and can be changed`(name: String) async throws {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.copyItem(at: Self.formats.appendingPathComponent(name), to: folder)
        let store = try await KnowledgeStore.open(at: folder) { _ in LexicalEmbedder() }
        func expected(_ file: String) throws -> Data {
            try Data(contentsOf: Self.formats.appendingPathComponent("\(name)-\(file)"))
        }
        var entries = Data()
        try await store.exportEntries(withEmbeddings: true) { entries += $0 }
        #expect(entries == (try expected("entries.jsonl")), "entries of \(name)")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        let clusters = try encoder.encode(try await store.clusters.export(withEmbeddings: true))
        func object(_ data: Data) throws -> NSDictionary? {
            try JSONSerialization.jsonObject(with: data) as? NSDictionary
        }
        #expect(try object(clusters) == object(expected("clusters.json")), "clusters of \(name)")
        let count = try await store.storage.snapshot().stamp.entryCount
        _ = try await store.add("written by a later version")
        try await store.close()
        let again = try await KnowledgeStore.open(at: folder) { _ in LexicalEmbedder() }
        #expect(try await again.storage.fetchEntries().count == count + 1)
        try await again.close()
        #expect(try await StoreInspector(folder).inspect().allSatisfy { $0.severity == .note })
    }

    @Test(arguments: ["sqlite", "json"]) func `a manifest of a later format is refused`(name: String) throws {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.copyItem(at: Self.formats.appendingPathComponent("v1/\(name)"), to: folder)
        let file = folder.appendingPathComponent("store.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        try text.replacing("\"format\" : 1", with: "\"format\" : 2").write(
            to: file, atomically: true, encoding: .utf8)
        let error = #expect(throws: RoostError.self) { try StoreManifest.read(in: folder) }
        #expect(error?.code == .newerFormat && error?.remedy == .upgradeRoost)
        #expect(error?.message.contains("newer than this version supports (1)") == true)
    }
}

/// Tests of copies of stores.
@Suite struct StoreCopyTests {
    private func store(_ texts: [String] = []) async throws -> KnowledgeStore {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        for text in texts { _ = try await store.add(text, tags: ["kept"]) }
        return store
    }

    private let texts = ["the swift above the roof", "a boat below the bridge", "bread in the oven"]

    private func entries(_ store: KnowledgeStore) async throws -> [Entry] {
        try await store.storage.fetchEntries().sorted { $0.id.text < $1.id.text }
    }

    @Test func `a copy continues, and follows changes of the source`() async throws {
        let source = try await store(texts)
        let target = try await store()
        // A part of the same copy.
        _ = try await target.storage.commit(WriteBatch(upserts: [try await entries(source)[0]]))
        #expect(try await StoreCopy(from: source, to: target).run().entries == 3)
        #expect(try await entries(target) == entries(source))
        let first = try await entries(source)[0]
        try await source.update(first.id, EntryChanges(content: "a heron below the bridge"))
        try await StoreCopy(from: source, to: target).run()
        #expect(try await entries(target) == entries(source))
    }

    @Test func `a copy does not replace what was edited in the target`() async throws {
        let source = try await store(texts)
        let target = try await store()
        try await StoreCopy(from: source, to: target).run()
        // Dates are whole milliseconds.
        try await Task.sleep(for: .milliseconds(5))
        try await target.update(
            try await entries(target)[1].id, EntryChanges(content: "a heron in the reeds"))
        let edited = try await entries(target)
        await #expect(throws: RoostError.self) { try await StoreCopy(from: source, to: target).run() }
        #expect(try await entries(target) == edited)
    }

    @Test func `a store with other entries is no target`() async throws {
        let source = try await store(texts)
        let target = try await store(["an owl"])
        let before = try await entries(target)
        await #expect(throws: RoostError.self) { try await StoreCopy(from: source, to: target).run() }
        #expect(try await entries(target) == before)
    }
}
