import Foundation
import NIOHTTP1
import Roost
import RoostModel
import TestSupport
import Testing

@testable import RoostServer

@Suite(.temporaryFolders)
struct ClusterTests {
    private static func fill(_ store: KnowledgeStore) async throws {
        for number in 0..<8 {
            try await store.add("tomato soil garden water seeds plant \(number)")
            try await store.add("engine piston gearbox oil brake motor \(number)")
        }
    }

    @Test func `the clusters of a run can be edited`() async throws {
        try await HTTPHarness.run { harness in
            try await Self.fill(harness.store)
            let run = try await harness.send(.POST, "/api/v1/clusters/recluster", [:])
            #expect(run.status == 200 && run.json["clusters"] == 2)
            let list = try await harness.send(.GET, "/api/v1/clusters").json
            let clusters = try #require(list["clusters"]?.elements)
            #expect(clusters.count == 2)
            let ids = clusters.compactMap { $0["id"]?.string }
            let path = "/api/v1/clusters/\(ids[0])"
            #expect(try await harness.send(.PATCH, path, ["label": "My label"]).json["pinned"] == true)
            #expect(try await harness.send(.PATCH, path, ["label": nil]).json["pinned"] == false)
            #expect(try await harness.send(.GET, "/api/v1/clusters/diff").status == 200)
            let parts = try await harness.send(.POST, path + "/split", ["parts": 2])
            #expect(parts.json["clusters"]?.elements?.count == 2)
            let merged = try await harness.send(
                .POST, "/api/v1/clusters/merge",
                ["clusters": .array(parts.json["clusters"]?.elements?.compactMap { $0["id"] } ?? [])])
            #expect(merged.json["size"] == 8)
            let removed = try await harness.send(.DELETE, path).json
            #expect(removed == ["removed": .string(ids[0]), "entries": try #require(merged.json["size"])])
            #expect(try await harness.send(.GET, path).status == 404)
            #expect(try await harness.send(.DELETE, path).status == 404)
        }
    }

    @Test func `a filter names a cluster by its label, in any case`() async throws {
        try await HTTPHarness.run { harness in
            try await Self.fill(harness.store)
            _ = try await harness.send(.POST, "/api/v1/clusters/recluster", [:])
            let list = try await harness.send(.GET, "/api/v1/clusters").json
            let ids = (list["clusters"]?.elements ?? []).compactMap { $0["id"]?.string }
            try #require(ids.count == 2)
            func count(_ cluster: String) async throws -> Int? {
                let page = try await harness.send(.GET, "/api/v1/entries?cluster=\(cluster)")
                return page.status == 200 ? page.json["entries"]?.elements?.count : nil
            }
            let path = "/api/v1/clusters/\(ids[0])"
            #expect(try await harness.send(.PATCH, path, ["label": "My label"]).status == 200)
            #expect(try await count("my%20LABEL") == 8)
            #expect(try await count("y%20lab") == 8)
            #expect(try await count(ids[0]) == 8)
            #expect(try await harness.send(.GET, "/api/v1/entries?cluster=other").status == 400)
        }
    }

    @Test func `the list of backups names unreadable snapshots, and reports a moved store`() async throws {
        let folder = try TemporaryFolder().url.appendingPathComponent("store")
        let store = try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder())
        try await store.add("a text")
        let backups = BackupSettings(folder: TemporaryFolder.unusedURL())
        let settings = HTTPHarness.settings { ($0.directory, $0.backups) = (folder, backups) }
        try await HTTPHarness.run(settings, store: store) { harness in
            let backup = try await harness.send(.POST, "/api/v1/backups").json
            let id = try #require(backup["snapshot"]?.string)
            let snapshots = StoreBackup(folder, backups).ownRepository.appendingPathComponent("snapshots")
            try Data("{".utf8).write(to: snapshots.appendingPathComponent(id))
            let list = try await harness.send(.GET, "/api/v1/backups").json
            #expect(list["backups"] == [] && list["unreadable"] == [.string(id)], "\(list)")
            try FileManager.default.moveItem(
                at: folder, to: folder.deletingLastPathComponent().appendingPathComponent("moved"))
            let answer = try await harness.send(.GET, "/api/v1/backups")
            #expect(answer.status == 503 && answer.json["code"] == "noStore", "\(answer.text)")
        }
        try await store.close()
    }

    @Test func `a backup is encrypted with the passphrase of the server`() async throws {
        let folder = try TemporaryFolder().url
        let store = try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder())
        try await store.add("a text")
        var settings = HTTPHarness.settings {
            $0.directory = folder
            $0.backups = BackupSettings(
                folder: TemporaryFolder.unusedURL(), passphrase: "correct horse battery")
        }
        try await HTTPHarness.run(settings, store: store) { harness in
            let backup = try await harness.send(.POST, "/api/v1/backups").json
            #expect(backup["encrypted"] == true)
            let list = try await harness.send(.GET, "/api/v1/backups").json["backups"]?.elements ?? []
            #expect(list.map { $0["id"] } == [backup["snapshot"]])
        }
        settings.backups.passphrase = nil
        try await HTTPHarness.run(settings, store: store) { harness in
            #expect(try await harness.send(.GET, "/api/v1/backups").status == 409)
            let refused = try await harness.send(.POST, "/api/v1/backups")
            #expect(refused.status == 409 && refused.text.contains("is encrypted"), "\(refused.text)")
        }
        try await store.close()
    }
}
