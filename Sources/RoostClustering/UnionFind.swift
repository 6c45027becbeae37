/// Disjoint sets of the numbers `0..<count`.
struct UnionFind {
    private var parents: [Int]

    init(_ count: Int) { parents = Array(0..<count) }

    /// Returns the representative of the set that contains a number.
    mutating func root(_ member: Int) -> Int {
        var member = member
        while parents[member] != member {
            parents[member] = parents[parents[member]]
            member = parents[member]
        }
        return member
    }

    /// Joins the sets of two numbers.
    ///
    /// - Returns: Whether they were in different sets.
    mutating func join(_ a: Int, _ b: Int) -> Bool {
        let (a, b) = (root(a), root(b))
        guard a != b else { return false }
        parents[max(a, b)] = min(a, b)
        return true
    }
}
