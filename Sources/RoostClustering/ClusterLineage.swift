public import Foundation
public import RoostModel

/// Describes how the clusters of the latest run relate to the previous ones: births, deaths, splits and merges.
///
/// A cluster has **split** if at least two clusters descend from it. A descendant has at least a quarter of
/// the remaining members of the old cluster, or more than half of its own members come from the old cluster.
/// Clusters have **merged** if one new cluster has more than half of the remaining members of each. A cluster
/// is **born** if it continues no old cluster and takes part in no split or merge. An old cluster has
/// **died** if no new cluster continues it and it takes part in no split or merge.
public struct ClusterLineage: Sendable, Hashable, Codable {
    /// The kind of an event.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A new cluster that continues no old one.
        case birth
        /// An old cluster that no new one continues.
        case death
        /// An old cluster whose members are now in several clusters.
        case split
        /// Several old clusters whose members are now in one cluster.
        case merge
    }

    /// An old or a new cluster that takes part in an event.
    public struct Side: Sendable, Hashable, Codable {
        /// The id of the cluster.
        public var id: Cluster.ID
        /// The label of the cluster on this side of the event.
        public var label: String
        /// The number of members of the cluster on this side of the event.
        public var size: Int

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id.text, forKey: .id)
            try container.encode(label, forKey: .label)
            try container.encode(size, forKey: .size)
        }
    }

    /// A birth, death, split or merge.
    public struct Event: Sendable, Hashable, Codable {
        /// The kind of the event.
        public var kind: Kind
        /// The old clusters, largest first; empty for a birth.
        public var before: [Side]
        /// The new clusters, largest first. For a death, the clusters that now have its remaining members.
        public var after: [Side]
    }

    /// A cluster that exists both before and after the run.
    public struct Continuation: Sendable, Hashable, Codable {
        /// The id of the cluster.
        public var id: Cluster.ID
        /// The present label.
        public var label: String
        /// The number of members before the run.
        public var sizeBefore: Int
        /// The number of members after the run.
        public var size: Int
        /// The number of present members that were already members before the run.
        public var kept: Int

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id.text, forKey: .id)
            try container.encode(label, forKey: .label)
            try container.encode(sizeBefore, forKey: .sizeBefore)
            try container.encode(size, forKey: .size)
            try container.encode(kept, forKey: .kept)
        }
    }

    /// Births, deaths, splits and merges, in this order; within each kind, the largest come first.
    public var events: [Event] = []
    /// The clusters that exist both before and after the run, largest first.
    public var continued: [Continuation] = []

    /// Derives the lineage from the origins that are stored with the clusters.
    ///
    /// - Parameters:
    ///   - clusters: The clusters with their members.
    ///   - vanished: The previous clusters none of whose members is in a cluster now.
    public init(of clusters: [Cluster], vanished: [Cluster.Origin]) {
        let parents = Set(clusters.compactMap(\.parent))
        // Parent clusters have no members of their own.
        let leaves = clusters.filter { !parents.contains($0.id) }
        let descents = leaves.flatMap { cluster in cluster.origins.map { (origin: $0, cluster: cluster) } }
        let byOrigin = Dictionary(grouping: descents, by: \.origin.cluster)
        var found = [
            Kind.split: byOrigin.values.compactMap(Self.split), .merge: leaves.compactMap(Self.merge),
        ]
        let related = Set(found.values.joined().flatMap { ($0.before + $0.after).map(\.id) })
        for cluster in leaves {
            if let origin = cluster.origins.first(where: { $0.cluster == cluster.id }) {
                continued.append(
                    Continuation(
                        id: cluster.id, label: cluster.label, sizeBefore: origin.size,
                        size: cluster.members.count, kept: origin.shared))
            } else if !related.contains(cluster.id) {
                found[.birth, default: []].append(
                    Event(kind: .birth, before: [], after: [Self.side(cluster)]))
            }
        }
        let present = Set(clusters.map(\.id))
        for origin in byOrigin.values.map({ $0[0].origin }) + vanished
        where !present.contains(origin.cluster) && !related.contains(origin.cluster) {
            // The clusters that now contain most of the old cluster's remaining members.
            let heirs = (byOrigin[origin.cluster] ?? []).map { Self.side($0.cluster) }
            found[.death, default: []].append(Event(kind: .death, before: [Self.side(origin)], after: heirs))
        }
        for kind in Kind.allCases {
            events += (found[kind] ?? []).map { event in
                var event = event
                event.before.sort(by: Self.precedes)
                event.after.sort(by: Self.precedes)
                return event
            }.sorted { Self.precedes(($0.before + $0.after)[0], ($1.before + $1.after)[0]) }
        }
        continued.sort { ($1.size, $0.id) < ($0.size, $1.id) }
    }

    private typealias Descent = (origin: Cluster.Origin, cluster: Cluster)

    /// Returns the split of an old cluster into those of its descendants that have enough of it.
    private static func split(_ descents: [Descent]) -> Event? {
        let children = descents.filter {
            4 * $0.origin.shared >= $0.origin.remaining || 2 * $0.origin.shared > $0.cluster.members.count
        }
        guard children.count > 1 else { return nil }
        return Event(
            kind: .split, before: [side(children[0].origin)], after: children.map { side($0.cluster) })
    }

    /// Returns the merge of the old clusters most of whose remaining members are in a new one.
    private static func merge(_ cluster: Cluster) -> Event? {
        let absorbed = cluster.origins.filter { 2 * $0.shared > $0.remaining }
        guard absorbed.count > 1 else { return nil }
        return Event(kind: .merge, before: absorbed.map(side), after: [side(cluster)])
    }

    private static func side(_ origin: Cluster.Origin) -> Side {
        Side(id: origin.cluster, label: origin.label, size: origin.size)
    }

    private static func side(_ cluster: Cluster) -> Side {
        Side(id: cluster.id, label: cluster.label, size: cluster.members.count)
    }

    private static func precedes(_ a: Side, _ b: Side) -> Bool { (b.size, a.id) < (a.size, b.id) }
}

extension ClusterLineage {
    /// The previous clusters from which the members of new groups come.
    struct Trace {
        /// The origins of each group, in descending order of shared members.
        var origins: [[Cluster.Origin]]
        /// The previous clusters none of whose members is in a group now.
        var vanished: [Cluster.Origin]
        var stability: Double?
    }

    /// Finds the origins of new groups.
    ///
    /// An origin of a group is the previous cluster that it continues, and each previous cluster of which the group has
    /// the largest part, or at least a quarter of the remaining members, or which makes up more than half of the group.
    ///
    /// - Parameter groups: The groups, ascending. An entry belongs to the last of those that contain it.
    static func trace(
        _ groups: [Int], _ identities: [Cluster.ID], _ overlap: ClusterOverlap, from previous: [Cluster]
    ) -> Trace {
        let positions = Dictionary(uniqueKeysWithValues: groups.enumerated().map { ($1, $0) })
        var trace = Trace(origins: Array(repeating: [], count: groups.count), vanished: [])
        var (stayed, present) = (0, 0)
        for cluster in previous {
            let size = overlap.size(of: cluster.id)
            guard size > 0 else { continue }
            var shared: [Int: Int] = [:]
            for (leaf, count) in overlap.leaves(of: cluster.id) {
                let position = overlap.ancestors(of: leaf).compactMap { positions[$0] }.max()
                if let position { shared[position, default: 0] += count }
            }
            let remaining = shared.values.reduce(0, +)
            func origin(_ count: Int) -> Cluster.Origin {
                Cluster.Origin(
                    cluster: cluster.id, label: cluster.label, size: size, remaining: remaining, shared: count
                )
            }
            present += remaining
            if remaining == 0 { trace.vanished.append(origin(0)) }
            let most = shared.values.max() ?? 0
            for (group, count) in shared {
                let isSame = identities[group] == cluster.id
                if isSame { stayed += count }
                let isMost = 2 * count > overlap.groupSizes[groups[group]]
                if isSame || count == most || 4 * count >= remaining || isMost {
                    trace.origins[group].append(origin(count))
                }
            }
        }
        for group in groups.indices {
            trace.origins[group].sort { ($1.shared, $0.cluster) < ($0.shared, $1.cluster) }
        }
        if present > 0 { trace.stability = Double(stayed) / Double(present) }
        return trace
    }
}
