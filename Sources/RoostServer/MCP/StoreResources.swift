import Foundation
import Roost
import RoostModel

struct StoreResources {
    let handle: StoreHandle
    let rules: AccessRules

    private static let pageSize = 100
    private static let maximumTextLength = 1 << 20
    private static let maximumMembers = 200

    var templates: [JSONValue] {
        var templates: [JSONValue] = [
            [
                "uriTemplate": "roost://entry/{id}", "name": "entry", "title": "Entry",
                "description": "The text of an entry.", "mimeType": "text/plain",
            ]
        ]
        if rules.showsEverything {
            templates.append([
                "uriTemplate": "roost://cluster/{id}", "name": "cluster", "title": "Cluster",
                "description": "The label, keywords and members of a cluster.",
                "mimeType": "application/json",
            ])
        }
        return templates
    }

    /// Lists the clusters. Entries are too numerous to list; the tool `search` finds them.
    func list(cursor: String?) async throws -> [String: JSONValue] {
        try await handle.use { store in
            guard rules.showsEverything else { return ["resources": []] }
            let snapshot = try await store.storage.snapshot()
            let clusters = try await snapshot.clusterRecords()
            let start = try Self.offset(cursor, at: snapshot.stamp, of: clusters.count)
            let page = clusters.dropFirst(start).prefix(Self.pageSize)
            var members: [String: JSONValue] = ["resources": .array(page.map(Self.item))]
            let end = start + page.count
            if end < clusters.count {
                members["nextCursor"] = .string(
                    PageCursor(position: end, of: Self.listDigest, at: snapshot.stamp).text)
            }
            return members
        }
    }

    private static func item(_ cluster: Cluster) -> JSONValue {
        [
            "uri": .string(ResourceAddress.cluster(cluster.id).uri),
            "name": .string(cluster.label.isEmpty ? cluster.id.text : cluster.label),
            "description": .string("Cluster: " + cluster.keywords.prefix(8).joined(separator: ", ")),
            "mimeType": "application/json",
        ]
    }

    private static let listDigest = PageCursor.digest(of: "resources/list", [:])

    private static func offset(_ cursor: String?, at stamp: Stamp, of count: Int) throws -> Int {
        guard let cursor else { return 0 }
        do throws(OperationError) {
            let offset = try PageCursor(cursor, of: listDigest, at: stamp).position
            guard offset < count else { throw PageCursor.isInvalid }
            return offset
        } catch {
            throw ProtocolError(.invalidParameters, error.message)
        }
    }

    func read(_ uri: String) async throws -> [JSONValue]? {
        guard let address = ResourceAddress(uri) else { return nil }
        return try await handle.use { store in
            let snapshot = try await store.storage.snapshot()
            switch address {
            case .entry(let id):
                guard let entry = try await snapshot.entries([id]).first, rules.allows(entry) else {
                    return nil
                }
                let text = entry.content.prefix(bytes: Self.maximumTextLength)
                return [["uri": .string(uri), "mimeType": "text/plain", "text": .string(String(text))]]
            case .cluster(let id):
                guard rules.showsEverything else { return nil }
                let records = try await snapshot.clusterRecords()
                guard let cluster = records.first(where: { $0.id == id }) else { return nil }
                // A server that shows clusters shows everything, so all members are visible.
                let members = try await ListClusterMembers.members(
                    of: cluster, among: records, snapshot)
                let entries = try await snapshot.entries(members.prefix(Self.maximumMembers).map(\.0))
                let summary: [String: JSONValue] = [
                    "id": .string(cluster.id.text), "label": .string(cluster.label),
                    "keywords": .array(cluster.keywords.map { .string($0) }), "size": .count(members.count),
                    "entries": .array(try entries.map { try JSONValue.encoding(EntryDocument($0)) }),
                    "notice": .string(MCPServer.notice),
                ]
                let text = String(decoding: JSONValue.object(summary).serialized(), as: UTF8.self)
                return [["uri": .string(uri), "mimeType": "application/json", "text": .string(text)]]
            }
        }
    }
}
