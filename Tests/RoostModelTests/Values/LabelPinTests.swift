import Foundation
import RoostModel
import Testing

/// Tests of the detection of labels that no longer fit their clusters.
struct LabelPinTests {
    private func ids(_ count: Int) -> [Entry.ID] { (0..<count).map { _ in UUID() } }

    @Test(arguments: [1, 4, 99, 100, 1000])
    func `a label is outdated if fewer than half of the members remain or the cluster has more than doubled`(
        count: Int
    ) {
        let members = ids(count)
        let pin = Cluster.LabelPin(of: members)
        #expect(pin.size == count && pin.sample.count == min(count, Cluster.LabelPin.sampleLimit))
        #expect(!pin.isOutdated(for: members))
        #expect(!pin.isOutdated(for: members + ids(count)))
        #expect(pin.isOutdated(for: members + ids(count + 1)))
        #expect(pin.isOutdated(for: ids(count)))
        // Keeps the first half of the members, in order of their ids. Half of the sample thus remains.
        let half = Set(pin.sample.prefix((pin.sample.count + 1) / 2))
        #expect(!pin.isOutdated(for: Array(half)))
        if pin.sample.count > 1 {
            #expect(pin.isOutdated(for: Array(pin.sample.prefix((pin.sample.count - 1) / 2))))
        }
    }

    @Test func `a cluster without a pin is never outdated, and a parent has the members of its children`() {
        let (first, second) = (ids(3), ids(5))
        var parent = Cluster(label: "parent")
        (parent.isLabelPinned, parent.labelPin) = (true, .init(of: first + second))
        var clusters = [
            parent, Cluster(label: "a", members: first, parent: parent.id),
            Cluster(label: "b", members: second, parent: parent.id),
        ]
        #expect(clusters.clustersWithOutdatedLabels().isEmpty)
        clusters[2].members = ids(5)
        #expect(clusters.clustersWithOutdatedLabels() == [parent.id])
        clusters[0].labelPin = nil
        #expect(clusters.clustersWithOutdatedLabels().isEmpty)
    }
}
