import Foundation
import Roost
import TestSupport
import Testing

/// Tests with the stores in `Fixtures/Formats`, which earlier versions created.
@Suite(.temporaryFolders) struct FormatTests {
    /// Returns an export of clusters without the additions of version 2, in lower case because ids were once
    /// written in capitals.
    static func asVersion1(_ data: Data) throws -> NSDictionary {
        let text = String(decoding: data, as: UTF8.self).lowercased()
        var export = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        export["schemaversion"] = 1
        export["lineage"] = nil
        export["clusters"] = try #require(export["clusters"] as? [[String: Any]]).map { cluster in
            var cluster = cluster
            #expect(cluster["pinned"] as? Bool != true && (cluster["origins"] as? [Any] ?? []).isEmpty)
            (cluster["pinned"], cluster["origins"]) = (nil, nil)
            return cluster
        }
        return export as NSDictionary
    }

    @Test(arguments: ["v1", "v2", "v3", "v4", "v5"].flatMap { ["\($0)/sqlite", "\($0)/json"] })
    func `a store of an earlier format opens, exports the same and can be changed`(name: String)
        async throws
    {
        let formats = Fixtures.folder.appendingPathComponent("Formats")
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.copyItem(at: formats.appendingPathComponent(name), to: folder)
        let store = try await KnowledgeStore.open(in: folder) { _ in LexicalEmbedder() }
        func check(_ file: String, _ found: Data) throws {
            let expected = try Data(contentsOf: formats.appendingPathComponent("\(name)-\(file)"))
            // Version 1 wrote ids in capitals.
            func lowercased(_ data: Data) -> String { String(decoding: data, as: UTF8.self).lowercased() }
            #expect(lowercased(found) == lowercased(expected), "\(file) of \(name)")
        }
        var entries = Data()
        try await store.exportEntries(.jsonl, withEmbeddings: true, withHeader: true) { entries += $0 }
        try check("entries.jsonl", entries)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        let clusters = try encoder.encode(try await store.exportClusters(withEmbeddings: true))
        let expected = try Data(contentsOf: formats.appendingPathComponent("\(name)-clusters.json"))
        #expect(try Self.asVersion1(clusters) == Self.asVersion1(expected), "clusters of \(name)")
        if ["v3/sqlite", "v4/sqlite", "v4/json", "v5/sqlite", "v5/json"].contains(name) {
            #expect(try await store.clusterLineage().events.count == 3)
        } else {
            // Data that earlier versions did not record is reported as missing.
            let unknown = await #expect(throws: RoostError.self) { try await store.clusterLineage() }
            #expect([.notFound, .emptyStore].contains(unknown?.code))
        }
        let stamp = try await store.storage.snapshot().stamp
        let data = try Data(contentsOf: formats.appendingPathComponent("\(name)-stamp.json"))
        #expect(stamp == (try JSONDecoder().decode(Stamp.self, from: data)))
        let locations = try await store.storage.fetchEntries().compactMap(\.location).count
        #expect((locations > 0) == ["v3", "v4", "v5"].contains(name.prefix(2)), "\(locations)")
        // After a change, the store opens again in the current format.
        _ = try await store.add("written by a later version")
        try await store.close()
        let again = try await KnowledgeStore.open(in: folder) { _ in LexicalEmbedder() }
        let count = try await again.storage.fetchEntries().count
        #expect(count == stamp.entryCount + 1)
        try await again.close()
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let manifest = try StoreManifest.read(in: folder)
        #expect(manifest.store == stamp.store, "the manifest has the id after a write")
        if name.hasSuffix("sqlite") {
            let database = folder.appendingPathComponent("roost.sqlite")
            #expect(try Data(contentsOf: database)[20] == 8, "the pages have checksums")
            let original = try Data(
                contentsOf: formats.appendingPathComponent(name).appendingPathComponent("roost.sqlite"))
            #expect((original[20] == 8) == ["v4", "v5"].contains(name.prefix(2)), "from format 4 on")
            let attributes = try FileManager.default.attributesOfItem(atPath: database.path)
            // A conversion writes a new file. A file of the present format keeps its permissions.
            #expect(attributes[.posixPermissions] as? Int == 0o600 || name.hasPrefix("v5"))
            #expect(
                files.contains { $0.contains(".before-format-") } != name.hasPrefix("v5"), "a copy is kept")
            #expect(!files.contains { $0.hasPrefix("converted-") })
        } else if name.hasPrefix("v1") {
            #expect(files.contains { $0.contains("before-format-2") }, "a copy is kept")
        }
    }
}
