/// The features from ``PageOutline``.
extension BlockFeatures {
    /// The number of elements from which two blocks are equally far apart.
    private static let maximumDistance = 20

    /// Adds the features of a block's section, of the blocks with the same elements, and of the long
    /// paragraphs around it.
    mutating func addOutline(_ block: HTMLBlock, _ index: Int) {
        let section = facts.sums(ofBlocks: outline.sections[index])
        put("sectionWords", Self.magnitude(section.words))
        put("sectionLinks", section.linkDensity)
        put("sectionLong", section.longBlocks)
        put("sectionBlocks", Self.magnitude(section.blocks))
        addGroup("style", outline.styles[index])
        addGroup("path", outline.paths[index])
        let (previous, next) = (outline.previousLong[index], outline.nextLong[index])
        put("sinceLongLinks", previous.map { facts.sums(ofBlocks: ($0 + 1)..<index).linkDensity } ?? -1)
        put("untilLongLinks", next.map { facts.sums(ofBlocks: (index + 1)..<$0).linkDensity } ?? -1)
        for (name, other) in [("previousLong", previous), ("nextLong", next)] {
            let distance = other.map { facts.distance(of: block, from: facts.blocks[$0]) }
            put("\(name)Distance", Double(min(Self.maximumDistance, distance ?? Self.maximumDistance)))
        }
        put("afterCandidate", wordsAfterCandidate(index))
        let article = facts.tree.ancestors(of: block.texts[0]).first { facts.tree.nodes[$0].tag == "article" }
        put("articleShare", article.map { facts.sums(in: $0).words / max(1, facts.total.words) } ?? -1)
        put("outsideLinks", outsideLinks(block))
    }

    private mutating func addGroup(_ name: String, _ sums: PageFacts.Sums) {
        put("\(name)Blocks", Self.magnitude(sums.blocks))
        put("\(name)Share", sums.words / max(1, facts.total.words))
        put("\(name)Mean", Self.magnitude(sums.words / max(1, sums.blocks)))
        put("\(name)Sentences", sums.sentenceEnds / max(1, sums.blocks))
        put("\(name)Long", sums.longBlocks / max(1, sums.blocks))
    }

    /// Returns the magnitude of the words between the candidate and a block; negative for a block before it.
    private func wordsAfterCandidate(_ index: Int) -> Double {
        let candidate = outline.candidate
        if index < candidate.lowerBound {
            return -Self.magnitude(facts.sums(ofBlocks: index..<candidate.lowerBound).words)
        }
        guard index >= candidate.upperBound else { return 0 }
        return Self.magnitude(facts.sums(ofBlocks: candidate.upperBound..<index).words) + 1
    }

    /// Returns the share of the links in a block's container that lead to other sites; -1 without links.
    private func outsideLinks(_ block: HTMLBlock) -> Double {
        /// The number of nodes of a container that are examined.
        let maximumNodes = 400
        let end = min(facts.tree.nodes[block.container].end, block.container + maximumNodes)
        let (links, outside) = outline.links(in: block.container..<end)
        return links > 0 ? Double(outside) / Double(links) : -1
    }

    /// Adds features of the page that distinguish a page with one text from a page that lists others.
    mutating func addKind() {
        let total = max(1, facts.total.words)
        put("page:longCount", Self.magnitude(facts.total.longBlocks))
        let runs = outline.previousLong.enumerated().filter { $0.offset > 0 && $0.element == $0.offset - 1 }
        put("page:afterLong", Self.magnitude(Double(runs.count)))
        let texts = outline.styles.sums.filter { $0.linkDensity < 0.5 }
        let largest = texts.max { $0.words < $1.words } ?? .init()
        put("page:styleShare", largest.words / total)
        put("page:styleMean", Self.magnitude(largest.words / max(1, largest.blocks)))
        var section = PageFacts.Sums()
        for range in outline.sections {
            let sums = facts.sums(ofBlocks: range)
            if sums.words - sums.linkWords > section.words - section.linkWords { section = sums }
        }
        put("page:sectionShare", section.words / total)
        put("page:sectionLong", Self.magnitude(section.longBlocks))
        var (repeated, linked) = (0.0, 0.0)
        for block in facts.blocks {
            var node = block.container
            while node > 0, facts.repetitions[node] == nil { node = facts.tree.nodes[node].parent }
            guard node > 0 else { continue }
            let sums = facts.sums(in: node)
            guard sums.blocks >= 2 else { continue }
            repeated += Double(block.counts.words)
            if sums.linkWords > 0 { linked += Double(block.counts.words) }
        }
        put("page:repeatedShare", repeated / total)
        put("page:cardShare", linked / total)
    }
}
