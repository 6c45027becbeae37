import Foundation

/// Computes the features from which ``BlockScorer`` estimates whether a block belongs to the main content.
///
/// The features are properties of the block, of its position, of the elements around it and the words in
/// their classes, of its section, of the blocks with the same elements, and of the page. None of them depends
/// on the site.
struct BlockFeatures {
    private let facts: PageFacts
    private var row: [Float] = []
    private var rowNames: [String] = []

    private static let ancestorTags = [
        "nav", "header", "footer", "aside", "main", "article", "ul", "button", "a",
    ]
    /// The levels of the examined elements around a block, from its innermost one.
    private static let levels = [2, 3, 4, 6]
    /// The number of elements from which two blocks are equally far apart.
    private static let maximumDistance = 20
    /// The maximum distance of an element to a block that is near to it.
    private static let nearDistance = 3

    static func all(of page: HTMLPage) -> (names: [String], values: [[Float]]) {
        let facts = PageFacts(page)
        var names: [String] = []
        let values = page.blocks.indices.map { index in
            var features = BlockFeatures(facts: facts)
            features.addText(index)
            features.addPosition(index)
            features.addElements(index)
            features.addContainers(index)
            features.addGroups(index)
            features.addPage()
            names = features.rowNames
            return features.row
        }
        return (names, values)
    }

    private init(facts: PageFacts) { self.facts = facts }

    private mutating func put(_ name: String, _ value: Double) {
        row.append(Float(value))
        rowNames.append(name)
    }

    private static func magnitude(_ value: Double) -> Double {
        value < 0 ? -log2(1 - value) : log2(1 + value)
    }

    private mutating func addText(_ index: Int) {
        let block = facts.blocks[index]
        let counts = block.counts
        put("words", Self.magnitude(Double(counts.words)))
        put("wordLength", Double(counts.letters) / Double(max(1, counts.words)))
        put("digits", Double(counts.digits) / Double(max(1, counts.letters)))
        put("duplicates", Self.magnitude(Double(facts.duplicates[block.text] ?? 1) - 1))
    }

    private mutating func addPosition(_ index: Int) {
        let block = facts.blocks[index]
        let before = facts.sums(0..<index)
        let total = facts.total
        put("positionInWords", before.words / max(1, total.words))
        put("wordsBefore", Self.magnitude(before.words))
        put("longBefore", before.longBlocks / max(1, total.longBlocks))
        put("depth", Double(facts.tree.nodes[block.container].depth))
        if let heading = facts.mainHeading {
            let words = facts.sums(min(heading, index)..<max(heading, index)).words
            put("afterMainHeading", Self.magnitude(heading <= index ? words : -words))
            put("fromMainHeading", distance(index, facts.blocks[heading].container))
        } else {
            put("afterMainHeading", -20)
            put("fromMainHeading", -1)
        }
        put("fromCandidate", distance(index, facts.candidate))
        put("afterHeading", Double(min(30, index - facts.sections[index].lowerBound)))
        put("afterCandidate", wordsAfterCandidate(index))
        for (name, other) in [
            ("previousLong", facts.previousLong[index]), ("nextLong", facts.nextLong[index]),
        ] {
            let between = other.map { facts.sums(min($0 + 1, index)..<max($0, index)) }
            put("\(name)Links", between?.linkDensity ?? -1)
            put(
                "\(name)Distance",
                other.map { distance(index, facts.blocks[$0].container) } ?? Double(Self.maximumDistance))
        }
    }

    private func distance(_ index: Int, _ node: Int) -> Double {
        Double(min(Self.maximumDistance, facts.tree.distance(facts.blocks[index].container, node)))
    }

    /// Returns the magnitude of the words between the candidate and a block; negative for a block before it.
    private func wordsAfterCandidate(_ index: Int) -> Double {
        let candidate = facts.range(of: facts.candidate)
        if index < candidate.lowerBound {
            return -Self.magnitude(facts.sums(index..<candidate.lowerBound).words)
        }
        guard index >= candidate.upperBound else { return 0 }
        return Self.magnitude(facts.sums(candidate.upperBound..<index).words) + 1
    }

    private mutating func addElements(_ index: Int) {
        let block = facts.blocks[index]
        let nodes = facts.tree.nodes
        put("heading", Double(facts.headingLevels[index].map { 7 - $0 } ?? 0))
        var tagDistances: [String: Double] = [:]
        var (near, all): (UInt32, UInt32) = (0, 0)
        for (distance, node) in facts.tree.ancestors(of: block.texts[0]).enumerated() {
            let tag = nodes[node].tag
            if tagDistances[tag] == nil { tagDistances[tag] = Double(distance) }
            guard tag != "body", tag != "html" else { continue }
            if distance <= Self.nearDistance { near |= facts.hints[node] }
            all |= facts.hints[node]
        }
        for tag in Self.ancestorTags { put("in:\(tag)", tagDistances[tag].map { max(1, 12 - $0) } ?? 0) }
        for (group, words) in ElementHints.groups.enumerated() {
            put("hint:\(words[0])", Double((near >> group & 1) * 2 + (all >> group & 1)))
        }
    }

    private mutating func addContainers(_ index: Int) {
        let container = facts.blocks[index].container
        let elements = [container] + facts.tree.ancestors(of: container)
        for level in Self.levels {
            let sums = facts.sums(in: level < elements.count ? elements[level] : 0)
            put("container\(level)Links", sums.linkDensity)
            put("container\(level)Share", sums.words / max(1, facts.total.words))
            put("container\(level)Long", sums.longBlocks / max(1, sums.blocks))
        }
    }

    /// Adds the features of the repeated elements around a block, of its section and of the blocks with the
    /// same elements.
    private mutating func addGroups(_ index: Int) {
        let container = facts.blocks[index].container
        let elements = [container] + facts.tree.ancestors(of: container)
        let path = elements.enumerated().filter { facts.repetitions[$0.element] != nil }
        for (name, item) in [("nearest", path.first), ("outermost", path.last)] {
            let sums = item.map { facts.sums(in: $0.element) }
            let count = item.flatMap { facts.repetitions[$0.element] } ?? 0
            put("\(name)Repetitions", Self.magnitude(Double(count)))
            put("\(name)Level", item.map { Double($0.offset) } ?? -1)
            put("\(name)Words", sums.map { Self.magnitude($0.words) } ?? -1)
            put("\(name)Blocks", sums.map { Self.magnitude($0.blocks) } ?? -1)
        }
        for (name, sums) in [
            ("section", facts.sums(facts.sections[index])), ("style", facts.styles[index]),
            ("path", facts.paths[index]),
        ] {
            put("\(name)Blocks", Self.magnitude(sums.blocks))
            put("\(name)Links", sums.linkDensity)
            put("\(name)Share", sums.words / max(1, facts.total.words))
            put("\(name)Mean", Self.magnitude(sums.words / max(1, sums.blocks)))
            put("\(name)Sentences", sums.sentenceEnds / max(1, sums.blocks))
            put("\(name)Long", sums.longBlocks / max(1, sums.blocks))
        }
    }

    /// Adds the features of the page itself, which are the same for all blocks.
    private mutating func addPage() {
        let (total, candidate) = (facts.total, facts.sums(in: facts.candidate))
        put("page:words", Self.magnitude(total.words))
        put("page:links", total.linkDensity)
        put("page:long", total.longBlocks / max(1, total.blocks))
        put("page:longCount", Self.magnitude(total.longBlocks))
        put("page:sentences", total.sentenceEnds / max(1, total.words))
        put("page:candidateShare", candidate.words / max(1, total.words))
        put("page:candidateLinks", candidate.linkDensity)
        put("page:styleShare", facts.largestStyle.words / max(1, total.words))
        put("page:styleMean", Self.magnitude(facts.largestStyle.words / max(1, facts.largestStyle.blocks)))
        put("page:repeatedShare", facts.repeated.words / max(1, total.words))
        put("page:repeatedLinks", facts.repeated.linkDensity)
    }
}
