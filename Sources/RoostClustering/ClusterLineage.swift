public import Foundation
public import RoostModel

/// What became of the clusters when they were last made: which came, went, were divided or joined.
///
/// A cluster has split where at least two come from it: those that have a quarter of what is left of it, or
/// of which it is more than half. Clusters have merged where one now has more than half of each of them. A
/// cluster is born where it continues none and has to do with neither; it has died where nothing of this
/// became of it.
public struct ClusterLineage: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case birth, death, split, merge
    }

    /// A cluster before or after.
    public struct Side: Sendable, Hashable {
        public var id: Cluster.ID
        public var label: String
        public var size: Int
    }

    public struct Event: Sendable, Hashable {
        public var kind: Kind
        public var before: [Side]
        public var after: [Side]
    }

    /// A cluster that goes on.
    public struct Continuation: Sendable, Hashable {
        public var id: Cluster.ID
        public var label: String
        public var sizeBefore: Int
        public var size: Int
        /// How many of its members were in it before.
        public var kept: Int
    }

    /// Births, deaths, splits and merges, in this order; the largest first.
    public var events: [Event] = []
    /// The largest first.
    public var continued: [Continuation] = []

    /// - Parameters:
    ///   - clusters: with their members.
    ///   - vanished: clusters of before of which nothing is left.
    public init(of clusters: [Cluster], vanished: [Cluster.Origin]) {
        let parts = Set(clusters.compactMap(\.parent))
        var before: [Cluster.ID: Cluster.Origin] = [:]
        var origins: [(origin: Cluster.Origin, cluster: Cluster)] = []
        // What contains others has no members of its own.
        for cluster in clusters where !parts.contains(cluster.id) {
            for origin in cluster.origins {
                before[origin.cluster] = origin
                origins.append((origin, cluster))
            }
        }
        let present = Set(clusters.map(\.id))
        let byOrigin = Dictionary(grouping: origins) { $0.origin.cluster }
        var related = Set<Cluster.ID>()
        var found: [Kind: [Event]] = [:]
        for (id, entries) in byOrigin {
            let children = entries.filter { origin, cluster in
                4 * origin.shared >= origin.remaining || 2 * origin.shared > cluster.members.count
            }
            guard children.count > 1, let origin = before[id] else { continue }
            related.insert(id)
            related.formUnion(children.map(\.cluster.id))
            found[.split, default: []].append(
                Event(
                    kind: .split, before: [Self.side(origin)], after: children.map { Self.side($0.cluster) }))
        }
        for cluster in clusters {
            let absorbed = cluster.origins.filter {
                2 * $0.shared > $0.remaining && before[$0.cluster] != nil
            }
            guard absorbed.count > 1, !parts.contains(cluster.id) else { continue }
            related.insert(cluster.id)
            related.formUnion(absorbed.map(\.cluster))
            found[.merge, default: []].append(
                Event(kind: .merge, before: absorbed.map(Self.side), after: [Self.side(cluster)]))
        }
        for cluster in clusters where !parts.contains(cluster.id) {
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
        for origin in Array(before.values) + vanished
        where !present.contains(origin.cluster) && !related.contains(origin.cluster) {
            // Where most of what is left of it has gone.
            let heirs = (byOrigin[origin.cluster] ?? []).map { Self.side($0.cluster) }
            found[.death, default: []].append(
                Event(kind: .death, before: [Self.side(origin)], after: heirs.sorted(by: Self.precedes)))
        }
        for kind in Kind.allCases {
            events += (found[kind] ?? []).map { event in
                var event = event
                event.before.sort(by: Self.precedes)
                event.after.sort(by: Self.precedes)
                return event
            }.sorted { Self.precedes(($0.before + $0.after)[0], ($1.before + $1.after)[0]) }
        }
        continued.sort { ($1.size, $0.id.uuidString) < ($0.size, $1.id.uuidString) }
    }

    private static func side(_ origin: Cluster.Origin) -> Side {
        Side(id: origin.cluster, label: origin.label, size: origin.size)
    }

    private static func side(_ cluster: Cluster) -> Side {
        Side(id: cluster.id, label: cluster.label, size: cluster.members.count)
    }

    private static func precedes(_ a: Side, _ b: Side) -> Bool {
        (b.size, a.id.uuidString) < (a.size, b.id.uuidString)
    }
}

extension ClusterLineage {
    /// What new groups have of the clusters of before.
    struct Trace {
        /// For each group.
        var origins: [[Cluster.Origin]]
        var vanished: [Cluster.Origin]
        /// See ``ClusteringRun/stability``.
        var stability: Double?
    }

    /// - Parameters:
    ///   - groups: the members of each new group.
    ///   - identities: the cluster that each continues.
    ///   - previous: the clusters of before with their members.
    /// - Complexity: O(members).
    static func trace(
        _ groups: [[Entry.ID]], _ identities: [Cluster.ID], from previous: [Cluster]
    ) -> Trace {
        var groupOf: [Entry.ID: Int] = [:]
        for (group, members) in groups.enumerated() { for member in members { groupOf[member] = group } }
        var trace = Trace(origins: Array(repeating: [], count: groups.count), vanished: [])
        var (stayed, present) = (0, 0)
        for cluster in previous where !cluster.members.isEmpty {
            var shared: [Int: Int] = [:]
            for member in cluster.members {
                if let group = groupOf[member] { shared[group, default: 0] += 1 }
            }
            let remaining = shared.values.reduce(0, +)
            func origin(_ count: Int) -> Cluster.Origin {
                Cluster.Origin(
                    cluster: cluster.id, label: cluster.label, size: cluster.members.count,
                    remaining: remaining, shared: count)
            }
            present += remaining
            if remaining == 0 { trace.vanished.append(origin(0)) }
            let most = shared.values.max() ?? 0
            for (group, count) in shared {
                let isSame = identities[group] == cluster.id
                if isSame { stayed += count }
                if isSame || count == most || 4 * count >= remaining || 2 * count > groups[group].count {
                    trace.origins[group].append(origin(count))
                }
            }
        }
        for group in groups.indices {
            trace.origins[group].sort {
                ($1.shared, $0.cluster.uuidString) < ($0.shared, $1.cluster.uuidString)
            }
        }
        if present > 0 { trace.stability = Double(stayed) / Double(present) }
        return trace
    }
}
