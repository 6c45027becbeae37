/// The condensed cluster tree of HDBSCAN (Campello et al. 2013, section 4): the hierarchy of groups as the
/// density rises. A group that loses fewer points than the minimum size continues; a group that splits into
/// two parts of at least the minimum size ends, and both parts begin.
struct CondensedTree {
    /// A group between the density at which it appears and the density at which it ends. Density is the
    /// inverse of distance.
    struct Group {
        var parent: Int?
        var children: [Int] = []
        /// The density at which the group appears.
        var birth: Double
        /// The sum, over the points of the group, of the density at which the point leaves minus ``birth``
        /// (definition 3).
        var stability = 0.0
        /// The points that leave the group before it splits, with the density at which they leave.
        var points: [(point: Int, density: Double)] = []
    }

    /// The groups; the first contains all points, and parents come before children.
    private(set) var groups: [Group] = []
    private let count: Int

    /// The density that is assigned to equal vectors, whose distance is 0.
    private static let maximumDensity = 1e6

    /// A node of the binary hierarchy that joins two other nodes. Nodes with an index below `count` are
    /// points.
    private struct Union {
        var first: Int
        var second: Int
        var density: Double
        var size: Int
    }

    /// Builds the tree.
    ///
    /// - Parameters:
    ///   - edges: The edges of a minimum spanning tree, shortest first.
    ///   - weights: The number of vectors that each point represents.
    ///   - minimumSize: The minimum number of vectors of a group.
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
        if let top = unions.indices.last {
            condense(unions, weights, minimumSize: minimumSize, top: count + top)
        } else if let copies = weights.first {
            // All vectors are equal.
            if copies >= minimumSize {
                condense(unions, weights, minimumSize: minimumSize, top: 0)
            } else {
                groups[0].points = [(0, 0)]
            }
        }
    }

    /// Creates the groups from the binary hierarchy, top down.
    private mutating func condense(_ unions: [Union], _ weights: [Int], minimumSize: Int, top: Int) {
        func size(_ node: Int) -> Int { node < count ? weights[node] : unions[node - count].size }
        // Nodes of the hierarchy to visit, each with its group.
        var open = [(node: top, group: 0)]
        while let (node, group) = open.popLast() {
            guard node >= count else {
                // This point represents enough copies of one vector to form a group; such a group never
                // splits.
                let own = group == 0 ? addOnlyGroup() : group
                groups[own].points.append((node, Self.maximumDensity))
                groups[own].stability +=
                    Double(weights[node]) * Self.difference(Self.maximumDensity, groups[own].birth)
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

    /// Adds a group below the root for the copies that remain after all other points have left the root,
    /// which is never chosen.
    private mutating func addOnlyGroup() -> Int {
        groups.append(Group(parent: 0, birth: groups[0].points.lazy.map(\.density).max() ?? 0))
        groups[0].children.append(groups.count - 1)
        return groups.count - 1
    }

    private static func density(_ distance: Float) -> Double {
        distance > 0 ? min(maximumDensity, 1 / Double(distance)) : maximumDensity
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

    /// Returns the groups without children. The root is never among them.
    func leaves() -> [Int] { groups.indices.filter { $0 > 0 && groups[$0].children.isEmpty } }

    /// Returns the set of groups, none of which contains another, with the highest total stability. The root
    /// is never among them.
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

    /// Returns the group of each point, and its membership strength: the density at which it leaves the group
    /// divided by the maximum density of the group, 0 to 1; 0 for a point in no group.
    ///
    /// - Parameter chosen: The groups, none of which contains another.
    func labels(_ chosen: [Int]) -> (groups: [Int?], strengths: [Float]) {
        var labels = [Int?](repeating: nil, count: count)
        var strengths = [Float](repeating: 0, count: count)
        for (number, group) in chosen.enumerated() {
            var (members, open): ([(point: Int, density: Double)], [Int]) = ([], [group])
            while let next = open.popLast() {
                members += groups[next].points
                open += groups[next].children
            }
            let maximum = members.lazy.map(\.density).max() ?? 0
            for (point, density) in members {
                labels[point] = number
                strengths[point] = maximum > 0 ? Float(min(1, density / maximum)) : 1
            }
        }
        return (labels, strengths)
    }
}
