public import Foundation

extension Cluster {
    /// Describes the members that a cluster had when a person labeled it. It is used to detect that the label
    /// no longer fits.
    public struct LabelPin: Sendable, Hashable, Codable {
        /// The maximum number of ids in ``sample``. From 100 ids, the share of members that have remained can
        /// be estimated with a standard error of at most 5 percentage points.
        public static let sampleLimit = 100

        /// The number of members that the cluster had when it was labeled, from 0 to 2^32 - 1. Stores reject
        /// other numbers.
        public var size: Int
        /// The ids of members that the cluster had when it was labeled, in ascending order. Up to
        /// ``sampleLimit`` members, the sample contains all of them.
        public var sample: [Entry.ID]

        /// Creates a pin for the current members of a cluster.
        ///
        /// The sample consists of the lowest ids. Because ids are random numbers or digests, the sample is
        /// independent of the contents of the entries.
        public init(of members: [Entry.ID]) {
            size = members.count
            sample = Array(members.sorted().prefix(Self.sampleLimit))
        }

        /// Returns whether the label probably no longer fits: fewer than half of the members remain, or the
        /// cluster has more than doubled.
        ///
        /// - Parameter members: The current members of the cluster.
        public func isOutdated(for members: [Entry.ID]) -> Bool {
            if Double(members.count) > 2 * Double(size) { return true }
            guard !sample.isEmpty else { return false }
            let present = Set(members)
            return 2 * sample.count { present.contains($0) } < sample.count
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            size = try container.decodeCount(forKey: .size)
            sample = try container.decode([Entry.ID].self, forKey: .sample)
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
    /// Returns the members of each cluster in a hierarchy. The members of a parent cluster include those of
    /// all its descendants.
    ///
    /// - Precondition: The clusters include their members.
    package func membersByCluster() -> [Cluster.ID: [Entry.ID]] {
        let parents = Dictionary(map { ($0.id, $0.parent) }) { first, _ in first }
        var members: [Cluster.ID: [Entry.ID]] = [:]
        for cluster in self {
            members[cluster.id, default: []] += cluster.members
            var (next, seen) = (cluster.parent, Set([cluster.id]))
            // In a damaged store, the parent references may form a cycle.
            while let parent = next, seen.insert(parent).inserted {
                members[parent, default: []] += cluster.members
                next = parents[parent] ?? nil
            }
        }
        return members
    }

    /// Returns the ids of the clusters whose label was set by a person and probably no longer fits.
    ///
    /// - Precondition: The clusters include their members.
    public func clustersWithOutdatedLabels() -> Set<Cluster.ID> {
        guard contains(where: { $0.labelPin != nil }) else { return [] }
        let members = membersByCluster()
        return Set(
            lazy.filter { cluster in
                cluster.isLabelPinned && cluster.labelPin?.isOutdated(for: members[cluster.id] ?? []) == true
            }.map(\.id))
    }
}
