public import Foundation
import RoostFiles
import RoostModel
import RoostText

/// The entries and clusters of a store on a map, in which similar entries are near each other, as one HTML file.
public struct ClusterMap: Sendable {
    /// The page of `roost serve`, which reads its data from the file, loads nothing and changes nothing. Texts are
    /// cut after 4,000 characters.
    public var page: Data
    /// The number of entries on the map.
    public var count: Int
    /// The number of entries with vectors. It is greater than ``count`` if the map shows a sample.
    public var total: Int

    /// Browsers draw this many points without noticeable delay.
    private static let maximumCount = 20_000
    private static let pageSize = 1000

    static func make(_ storage: any StorageProvider) async throws -> ClusterMap {
        let snapshot = try await storage.snapshot()
        var positions = EntryPositions()
        try await positions.update(to: snapshot)
        let total = positions.placed.count
        guard total > 0 else {
            throw RoostError(
                .emptyStore, "cannot create a map: the store has no entries", remedy: .addEntries)
        }
        let ids = positions.keepSample(of: maximumCount)
        let clusters = try await snapshot.clusters()
            .sorted { ($1.members.count, $0.label) < ($0.members.count, $1.label) }
        var clusterOf: [Entry.ID: Cluster.ID] = [:]
        for cluster in clusters { for member in cluster.members { clusterOf[member] = cluster.id } }
        let forest = ClusterForest(clusters)
        var contents = PageContents(
            total: total, map: try await positions.data(for: snapshot).base64EncodedString(),
            clusters: clusters.map { PageContents.Group($0, size: forest.size(of: $0)) }, entries: [])
        for part in ids.groups(of: pageSize) {
            contents.entries += try await snapshot.entries(part).map {
                PageContents.Text($0, in: clusterOf[$0.id])
            }
        }
        // Only the character `<` could end the script element that contains the data.
        let data = try JSONTextEncoder().encode(contents)
        let page = PageFiles.document(
            with: String(decoding: data, as: UTF8.self).replacing("<", with: "\\u003c"))
        return ClusterMap(page: page, count: ids.count, total: total)
    }
}

/// The data of a page in one file, in the form of the answers of the server.
private struct PageContents: Encodable {
    struct Group: Encodable {
        var id: String
        var label: String
        var keywords: [String]
        var pinned: Bool
        var size: Int
        var parent: String?
        var topic: Bool?

        init(_ cluster: Cluster, size: Int) {
            (id, label, keywords) = (cluster.id.text, cluster.label, cluster.keywords)
            (pinned, self.size) = (cluster.isLabelPinned, size)
            (parent, topic) = (cluster.parent?.text, cluster.isTopic ? true : nil)
        }
    }

    struct Text: Encodable {
        var id: String
        var title: String
        var text: String
        var tags: [String]
        var source: String?
        var path: String?
        var createdAt: String
        var cluster: String?

        init(_ entry: Entry, in cluster: Cluster.ID?) {
            (id, tags, source, path) = (entry.id.text, entry.tags, entry.source, entry.sourcePath)
            title = TextTitle.shortened(entry.title ?? entry.content)
            text = String(entry.content.prefix(PageContents.maximumTextLength))
            (createdAt, self.cluster) = (DateText.string(from: entry.createdAt), cluster?.text)
        }
    }

    static let maximumTextLength = 4_000

    var total: Int
    var map: String
    var clusters: [Group]
    var entries: [Text]
}

extension StoreClusters {
    /// Returns a map of the entries and clusters as one HTML file. If there are more than 20,000 entries, the map
    /// includes entries at regular intervals.
    ///
    /// - Throws: ``RoostError`` with `.emptyStore` if there are no entries; `StorageError`;
    ///   `CancellationError`.
    public func map() async throws -> ClusterMap {
        try await Computation.run { try await ClusterMap.make(storage) }
    }
}
