public import RoostModel

/// Finds which clusters of a new run are those of the last one.
public enum ClusterIdentity {
    /// For each new group the last run's cluster that it continues, if there is one.
    ///
    /// An old cluster lives on in the group that has most of its members, if that is more than half of
    /// those that are still there. Of several old clusters that would live on in one group, the one with
    /// most members there does.
    ///
    /// - Parameters:
    ///   - groups: the members of each new group.
    ///   - previous: the last run's clusters with their members.
    /// - Complexity: O(members).
    public static func match(_ groups: [[Entry.ID]], to previous: [Cluster]) -> [Cluster?] {
        var groupOf: [Entry.ID: Int] = [:]
        for (group, members) in groups.enumerated() { for member in members { groupOf[member] = group } }
        var candidates: [(overlap: Int, cluster: Int, group: Int)] = []
        for (index, cluster) in previous.enumerated() {
            var overlaps: [Int: Int] = [:]
            var remaining = 0
            for member in cluster.members {
                guard let group = groupOf[member] else { continue }
                overlaps[group, default: 0] += 1
                remaining += 1
            }
            for (group, overlap) in overlaps where 2 * overlap > remaining {
                candidates.append((overlap, index, group))
            }
        }
        candidates.sort { ($1.overlap, $0.cluster) < ($0.overlap, $1.cluster) }
        var matches = [Cluster?](repeating: nil, count: groups.count)
        for candidate in candidates where matches[candidate.group] == nil {
            matches[candidate.group] = previous[candidate.cluster]
        }
        return matches
    }
}
