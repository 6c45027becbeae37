import Foundation
import RoostModel
import Testing

@testable import Roost

/// Tests of the HTML page with a map, and of the map for Embedding Atlas.
struct ClusterPageTests {
    @Test func `the page has the ids of all entries, in the order of their positions`() throws {
        let points = (0..<3).map { number in
            ClusterMap.Point(id: UUID(), text: "</script> \(number)", x: Float(number), y: 0, cluster: nil)
        }
        let page = String(
            decoding: try ClusterMap(points: points, clusters: [], total: 3).page(), as: UTF8.self)
        let parts = page.components(separatedBy: #"type="application/json">"#)
        let json = try #require(parts.last?.components(separatedBy: "</script>").first)
        let data = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(data?["ids"] as? [String] == points.map(\.id.text))
        #expect(page.contains(#"<button id="save""#) && page.contains("link.download = 'ids.txt'"))
    }

    @Test func `a line for Embedding Atlas has the tags, the date and the metadata of its entry`() throws {
        var point = ClusterMap.Point(id: UUID(), text: "a swift", x: 1, y: 2, cluster: 0)
        point.tags = ["birds", "roof"]
        point.metadata = [
            "year": 2026, "lang": ["en", "de"], "x": "own", "links": ["Tea"], "title": "Swifts", "none": nil,
        ]
        point.createdAt = Date(timeIntervalSince1970: 0)
        let cluster = ClusterMap.Group(id: UUID(), label: "Birds", size: 1)
        let map = ClusterMap(points: [point], clusters: [cluster], total: 1)
        let line = try JSONSerialization.jsonObject(with: map.atlas()) as? [String: Any]
        let texts = ["tags", "lang", "metadata.x", "title", "cluster"].map { line?[$0] as? String }
        #expect(texts == ["birds; roof", "en; de", "own", "Swifts", "Birds"])
        #expect(line?["year"] as? Int == 2026 && line?["x"] as? Int == 1)
        #expect((line?["created"] as? String)?.hasPrefix("1970-01-01T00:00:00") == true)
        #expect(line?["links"] == nil && line?["none"] == nil)
    }
}
