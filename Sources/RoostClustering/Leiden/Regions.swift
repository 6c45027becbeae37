import RoostVectors

/// The parts of a set of vectors that have nearly no neighbors in each other, such as unrelated collections in one
/// store. Each is clustered alone and has its own resolution, so its groups do not depend on the others.
///
/// Regions are communities at a resolution at which they stay apart only if they share less than 2% of the edges that
/// they would share by chance. The subjects of one collection share more (decision 10), but fewer in a larger graph of
/// nearest neighbors, so regions are found in a sample of fixed size.
struct Regions {
    /// The rows of each region, ascending. The regions are in the order of the means of their first components, which
    /// few vectors hardly change.
    private(set) var rows: [[Int]]

    static let resolution = 0.02
    private static let (sampleSize, neighbors) = (1000, 10)
    /// The minimum number of vectors of the sample in a region. Fewer belong to the largest region: in a small store, a
    /// single subject can be as separate as a collection.
    private static let minimumSize = sampleSize / 10

    /// Finds the regions of a matrix; `nil` if there is only one or if it has fewer than 1,000 distinct rows.
    ///
    /// - Complexity: O(d) for one region, with a large constant factor; otherwise O(n · d).
    init?(of vectors: Matrix, _ distinct: DistinctRows) throws {
        var generator = SeededGenerator(seed: 0)
        let sample = generator.sample(Self.sampleSize, of: distinct.rows.count)
        guard sample.count == Self.sampleSize else { return nil }
        let sampled = vectors.selecting(sample.map { distinct.rows[$0] })
        let nearest = try NearestNeighbors.find(in: sampled, k: Self.neighbors, seed: 0)
        let found = try Leiden(NeighborGraph.make(nearest))
            .communities(resolution: Self.resolution, using: &generator)
        let sizes = GroupsOfPoints.sizes(of: found)
        let largest = sizes.indices.max { sizes[$0] < sizes[$1] } ?? 0
        let joined = found.map { sizes[Int($0)] < Self.minimumSize ? Int32(largest) : $0 }
        guard Set(joined).count > 1 else { return nil }
        let nearestSampled = KMeansRun.nearest(sampled, to: vectors)
        func order(_ rows: [Int]) -> (Double, Int) {
            (rows.reduce(0.0) { $0 + Double(vectors[$1, 0]) } / Double(rows.count), rows[0])
        }
        rows = Dictionary(grouping: 0..<vectors.rows) { joined[Int(nearestSampled[$0])] }.values
            .sorted { order($0) < order($1) }
    }

    /// Returns regions that do not divide the groups of a previous run: each group is in the region of most of its
    /// rows.
    func keeping(_ groups: [Int?]) -> Regions {
        var (regions, counts) = ([Int](repeating: 0, count: groups.count), [Int: [Int]]())
        for (region, rows) in rows.enumerated() { for row in rows { regions[row] = region } }
        for (row, group) in groups.enumerated() {
            if let group { counts[group, default: rows.map { _ in 0 }][regions[row]] += 1 }
        }
        let regionOf = counts.mapValues { sizes in sizes.indices.max { sizes[$0] < sizes[$1] } ?? 0 }
        var result = self
        result.rows = rows.map { _ in [] }
        for (row, group) in groups.enumerated() {
            result.rows[group.flatMap { regionOf[$0] } ?? regions[row]].append(row)
        }
        return result
    }
}

extension LeidenClusterer {
    /// Clusters each region alone.
    func cluster(_ regions: Regions, of vectors: Matrix) throws -> Partition {
        let parts = try regions.rows.enumerated().map { index, rows in
            var part = self
            part.start = start?.region(index, rows)
            let members = vectors.selecting(rows)
            let distinct = DistinctRows(of: members)
            // A person may have moved all entries of the region to clusters of other regions.
            guard !distinct.rows.isEmpty else {
                let facts = part.start?.scales[0].facts ?? [:]
                return Partition(groups: rows.map { _ in nil }, of: members, facts: facts)
            }
            return try part.partition(members, distinct, mayBeOneGroup: true)
        }
        return Partition(joining: parts, regions, of: vectors)
    }
}

extension LeidenClusterer.Start {
    fileprivate func region(_ index: Int, _ rows: [Int]) -> LeidenClusterer.Start {
        var start = self
        (start.groups, start.scales) = (rows.map { groups[$0] }, [scales[index]])
        start.topics = topics.isEmpty ? [] : rows.map { topics[$0] }
        return start
    }
}

extension Partition {
    /// Joins the partitions of all regions. If there are more than ``maximumFlatSize`` groups, each region that has no
    /// parents becomes the parent of its groups.
    fileprivate init(joining parts: [Partition], _ regions: Regions, of vectors: Matrix) {
        typealias Key = LeidenClusterer.FactKey
        func roots(_ part: Partition) -> [Int] { part.parents.indices.filter { part.parents[$0] == nil } }
        let isLong = parts.reduce(0) { $0 + roots($1).count } > Self.maximumFlatSize
        var groups = [Int?](repeating: nil, count: vectors.rows)
        var confidences = [Float](repeating: 0, count: vectors.rows)
        var (parents, topics, stabilities) = ([Int?](), Set<Int>(), [Float?]())
        var facts = parts[0].facts
        for (index, (part, rows)) in zip(parts, regions.rows).enumerated() {
            let start = parents.count
            for (position, row) in rows.enumerated() {
                groups[row] = part.labels[position].group.map { start + $0 }
                confidences[row] = part.confidences[position]
            }
            parents += part.parents.map { $0.map { start + $0 } }
            topics.formUnion(part.topics.map { start + $0 })
            stabilities +=
                part.stabilities.isEmpty ? Array(repeating: nil, count: part.count) : part.stabilities
            for key in [Key.resolution, Key.parentResolution, Key.fullRunCount] {
                facts[Key.name(key, index)] = part.facts[key]
            }
            facts[Key.gap] = facts[Key.gap] ?? part.facts[Key.gap]
            let top = roots(part)
            guard isLong, top.count > 1, part.facts[Key.parentResolution] == nil else { continue }
            for group in top { parents[start + group] = parents.count }
            (parents, stabilities) = (parents + [nil], stabilities + [nil])
        }
        self.init(groups: groups, of: vectors, parents: parents, facts: facts)
        (self.confidences, self.topics, self.stabilities) = (confidences, topics, stabilities)
    }
}
