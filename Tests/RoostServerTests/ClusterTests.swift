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
            let members = try await harness.send(.GET, "/api/v1/clusters/\(ids[0])/members?limit=3").json
            #expect(members["count"] == 8)
            #expect(members["nextCursor"] != nil)
            let path = "/api/v1/clusters/\(ids[0])"
            let whole = try await harness.send(.GET, path + "/members").json
            var (read, cursor) = ([JSONValue](), "")
            repeat {
                let page = try await harness.send(.GET, path + "/members?limit=3" + cursor).json
                #expect(page["count"] == 8)
                read += page["members"]?.elements ?? []
                cursor = page["nextCursor"]?.string.map { "&cursor=\($0)" } ?? ""
            } while !cursor.isEmpty && read.count < 100
            #expect(read == whole["members"]?.elements && read.count == 8)
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
            // A text finds its cluster, and an entry can be moved to the other one.
            let found = try await harness.send(.GET, "/api/v1/clusters?query=tomato%20garden").json
            let matches = try #require(found["clusters"]?.elements)
            #expect(matches.count == 2 && matches.allSatisfy { $0["similarity"] != nil })
            let garden = try #require(matches[0]["id"]?.string)
            let members = try await harness.send(.GET, "/api/v1/clusters/\(garden)/members").json
            let texts = (members["members"]?.elements ?? []).compactMap { $0["snippet"]?.string }
            #expect(texts.count == 8 && texts.allSatisfy { $0.contains("tomato") })
            let entry = try #require(members["members"]?.elements?.first?["id"])
            let other = try #require(ids.first { $0 != garden })
            let target = "/api/v1/clusters/\(other)/members"
            #expect(try await harness.send(.POST, target, ["entries": [entry]]).json["cluster"]?["size"] == 9)
            let unknown: JSONValue = ["entries": [.string(UUID().uuidString)]]
            #expect(try await harness.send(.POST, target, unknown).status == 404)
            #expect(try await harness.send(.POST, target, ["entries": []]).status == 400)
            let none = "/api/v1/clusters/\(UUID().uuidString)/members"
            #expect(try await harness.send(.POST, none, ["entries": [entry]]).status == 404)
            #expect(try await harness.send(.GET, "/api/v1/clusters?query=%20").status == 400)
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
