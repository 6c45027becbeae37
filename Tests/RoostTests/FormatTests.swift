import Foundation
import Roost
import TestSupport
import Testing

/// Tests with the sample stores in `Fixtures/Formats`.
@Suite(.temporaryFolders) struct FormatTests {
    private static let formats = Fixtures.folder.appendingPathComponent("Formats")

    @Test(arguments: ["v1/sqlite", "v1/json"])
    func `a store of each format opens, exports the same and can be changed`(name: String) async throws {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.copyItem(at: Self.formats.appendingPathComponent(name), to: folder)
        let store = try await KnowledgeStore.open(in: folder) { _ in LexicalEmbedder() }
        func expected(_ file: String) throws -> Data {
            try Data(contentsOf: Self.formats.appendingPathComponent("\(name)-\(file)"))
        }
        var entries = Data()
        try await store.exportEntries(withEmbeddings: true) { entries += $0 }
        #expect(entries == (try expected("entries.jsonl")), "entries of \(name)")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        let clusters = try encoder.encode(try await store.exportClusters(withEmbeddings: true))
        func object(_ data: Data) throws -> NSDictionary? {
            try JSONSerialization.jsonObject(with: data) as? NSDictionary
        }
        #expect(try object(clusters) == object(expected("clusters.json")), "clusters of \(name)")
        let count = try await store.storage.snapshot().stamp.entryCount
        _ = try await store.add("written by a later version")
        try await store.close()
        let again = try await KnowledgeStore.open(in: folder) { _ in LexicalEmbedder() }
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
