public import Foundation

extension Cluster {
    /// The members that a cluster had when a person labeled it, to detect a label that no longer fits.
    public struct LabelPin: Sendable, Hashable, Codable {
        /// The maximum number of ids in ``sample``. With 100 ids, the standard error of the estimated share
        /// of the remaining members is at most 5 percentage points.
        public static let sampleLimit = 100

        /// The number of members at that time.
        public var size: Int
        /// The ids of some members at that time, in ascending order: all of them up to ``sampleLimit``.
        public var sample: [Entry.ID]

        /// Creates a pin for the present members of a cluster.
        ///
        /// The sample consists of the lowest ids. Ids are random or digests, so the sample is random with
        /// regard to the contents of the entries.
        public init(of members: [Entry.ID]) {
            size = members.count
            sample = Array(members.sorted { $0.uuidString < $1.uuidString }.prefix(Self.sampleLimit))
        }

        /// Returns whether the label probably no longer fits: fewer than half of the members remain, or the
        /// cluster has more than doubled.
        ///
        /// - Parameter members: The present members of the cluster.
        public func isOutdated(for members: [Entry.ID]) -> Bool {
            if members.count > 2 * size { return true }
            guard !sample.isEmpty else { return false }
            let present = Set(members)
            return 2 * sample.count { present.contains($0) } < sample.count
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(size, forKey: .size)
            try container.encode(sample.map(\.text), forKey: .sample)
        }

        enum CodingKeys: String, CodingKey { case size, sample }
    }
}

extension Sequence where Element == Cluster {
    /// Returns the members of each cluster of a hierarchy: for a parent cluster, those of all descendants.
    ///
    /// - Precondition: The clusters have their members.
    package func membersByCluster() -> [Cluster.ID: [Entry.ID]] {
        let parents = Dictionary(map { ($0.id, $0.parent) }) { first, _ in first }
        var members: [Cluster.ID: [Entry.ID]] = [:]
        for cluster in self {
            members[cluster.id, default: []] += cluster.members
            var (next, seen) = (cluster.parent, Set([cluster.id]))
            // A damaged store may contain a cycle of parents.
            while let parent = next, seen.insert(parent).inserted {
                members[parent, default: []] += cluster.members
                next = parents[parent] ?? nil
            }
        }
        return members
    }

    /// Returns the clusters whose label a person gave and probably no longer fits. A cluster that an older
    /// version labeled has no ``Cluster/labelPin`` and is not included.
    ///
    /// - Precondition: The clusters have their members.
    public func clustersWithOutdatedLabels() -> Set<Cluster.ID> {
        guard contains(where: { $0.labelPin != nil }) else { return [] }
        let members = membersByCluster()
        return Set(
            lazy.filter { cluster in
                cluster.isLabelPinned && cluster.labelPin?.isOutdated(for: members[cluster.id] ?? []) == true
            }.map(\.id))
    }
}
