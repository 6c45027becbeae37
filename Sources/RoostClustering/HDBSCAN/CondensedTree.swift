/// The hierarchy of groups while the density rises: a group that loses a few points goes on, one that falls
/// into two large parts ends, and they begin (Campello et al. 2013, section 4).
struct CondensedTree {
    /// A group between the density at which it begins and that at which it ends. Density is the inverse of
    /// distance.
    struct Group {
        var parent: Int?
        var children: [Int] = []
        var birth: Double
        /// How much longer its points stay in it than it is born, all together (definition 3).
        var stability = 0.0
        /// Points that leave it before it ends, or with it, and the density at which.
        var points: [(point: Int, density: Double)] = []
    }

    /// The first holds everything; parents come before children.
    private(set) var groups: [Group] = []
    private let count: Int

    /// Equal vectors are as dense as can be said.
    private static let greatestDensity = 1e6

    /// Joined by one edge: two nodes of the binary hierarchy, of which the first `count` are points.
    private struct Union {
        var first: Int
        var second: Int
        var density: Double
        var size: Int
    }

    /// - Parameters:
    ///   - edges: of a spanning tree, the shortest first.
    ///   - weights: how many vectors each point stands for.
    init(_ edges: [MutualReachability.Edge], weights: [Int], minimumSize: Int) {
        let count = weights.count
        self.count = count
        var sets = UnionFind(count)
        var nodeOf = Array(0..<count)
        var unions: [Union] = []
        func size(_ node: Int) -> Int { node < count ? weights[node] : unions[node - count].size }
        for edge in edges {
            let (a, b) = (sets.root(edge.first), sets.root(edge.second))
            guard sets.join(a, b) else { continue }
            let union = Union(
                first: nodeOf[a], second: nodeOf[b], density: Self.density(edge.distance),
                size: size(nodeOf[a]) + size(nodeOf[b]))
            unions.append(union)
            nodeOf[sets.root(a)] = count + unions.count - 1
        }
        groups = [Group(parent: nil, birth: 0)]
        guard let top = unions.indices.last else {
            if count == 1 { groups[0].points = [(0, 0)] }
            return
        }
        // Each node of the hierarchy and the group that it belongs to, from above.
        var open = [(node: count + top, group: 0)]
        while let (node, group) = open.popLast() {
            guard node >= count else {
                // So many copies of one vector that they are a group: they never part.
                groups[group].points.append((node, Self.greatestDensity))
                groups[group].stability +=
                    Double(weights[node]) * Self.difference(Self.greatestDensity, groups[group].birth)
                continue
            }
            let union = unions[node - count]
            let large = [union.first, union.second].filter { size($0) >= minimumSize }
            if large.count == 2 {
                for part in large {
                    groups.append(Group(parent: group, birth: union.density))
                    groups[group].children.append(groups.count - 1)
                    open.append((part, groups.count - 1))
                    groups[group].stability +=
                        Double(size(part)) * Self.difference(union.density, groups[group].birth)
                }
                continue
            }
            for part in [union.first, union.second] {
                if large.contains(part) {
                    open.append((part, group))
                } else {
                    for point in Self.points(under: part, unions, count) {
                        groups[group].points.append((point, union.density))
                        groups[group].stability +=
                            Double(weights[point]) * Self.difference(union.density, groups[group].birth)
                    }
                }
            }
        }
    }

    private static func density(_ distance: Float) -> Double {
        distance > 0 ? min(greatestDensity, 1 / Double(distance)) : greatestDensity
    }

    private static func difference(_ density: Double, _ birth: Double) -> Double { max(0, density - birth) }

    private static func points(under node: Int, _ unions: [Union], _ count: Int) -> [Int] {
        var (found, open) = ([Int](), [node])
        while let node = open.popLast() {
            if node < count {
                found.append(node)
            } else {
                open += [unions[node - count].first, unions[node - count].second]
            }
        }
        return found
    }

    /// Groups without parts; the whole is none.
    func leaves() -> [Int] { groups.indices.filter { $0 > 0 && groups[$0].children.isEmpty } }

    /// Of all ways to choose groups none of which is within another, that of the greatest stability; the
    /// whole is no group.
    func mostStable() -> [Int] {
        var best = groups.map(\.stability)
        var isChosen = [Bool](repeating: true, count: groups.count)
        for group in groups.indices.reversed() where !groups[group].children.isEmpty {
            let below = groups[group].children.reduce(0) { $0 + best[$1] }
            if below > best[group] || group == 0 {
                best[group] = below
                isChosen[group] = false
            }
        }
        isChosen[0] = false
        var chosen: [Int] = []
        var open = groups[0].children
        while let group = open.popLast() {
            if isChosen[group] { chosen.append(group) } else { open += groups[group].children }
        }
        return chosen.sorted()
    }

    /// The group of each point, and how strongly it belongs to it: the density at which it leaves as a share
    /// of the greatest, 0 to 1; 0 for those in none.
    func labels(_ chosen: [Int]) -> (groups: [Int?], strengths: [Float]) {
        var labels = [Int?](repeating: nil, count: count)
        var strengths = [Float](repeating: 0, count: count)
        for (number, group) in chosen.enumerated() {
            var (members, open): ([(point: Int, density: Double)], [Int]) = ([], [group])
            while let next = open.popLast() {
                members += groups[next].points
                open += groups[next].children
            }
            let greatest = members.lazy.map(\.density).max() ?? 0
            for (point, density) in members {
                labels[point] = number
                strengths[point] = greatest > 0 ? Float(min(1, density / greatest)) : 1
            }
        }
        return (labels, strengths)
    }
}
