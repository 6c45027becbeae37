import Foundation
import RoostModel
import Testing

@testable import Roost

/// Tests of the HTML page with a map.
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
}
