import Foundation

/// Computes the features from which ``BlockScorer`` estimates whether a block belongs to the main content.
///
/// The features are properties of the block (length, links, punctuation), of its elements (names, hints in
/// classes), of the elements around it, of its neighbors, and of the page. None of them depends on the site.
struct BlockFeatures {
    let facts: PageFacts
    let outline: PageOutline
    private(set) var values: [Float] = []
    private(set) var names: [String] = []
    private let collectsNames: Bool

    private static let tags = [
        "p", "li", "td", "pre", "blockquote", "dt", "dd", "figcaption", "a", "button", "div", "section",
        "article", "tr", "th", "label", "summary", "address",
    ]
    private static let ancestorTags = [
        "nav", "header", "footer", "aside", "main", "article", "form", "figure", "table", "ul", "ol", "dl",
        "section", "details", "button", "a", "select", "fieldset", "dialog", "blockquote", "pre",
    ]
    private static let roles = [
        "navigation", "banner", "contentinfo", "complementary", "main", "dialog", "search", "listitem",
    ]

    private init(_ facts: PageFacts, _ outline: PageOutline, collectsNames: Bool) {
        self.facts = facts
        self.outline = outline
        self.collectsNames = collectsNames
    }

    /// Returns the features of each block of a page.
    static func all(of facts: PageFacts) -> [[Float]] {
        let outline = PageOutline(facts)
        let page = pageFeatures(facts, outline, collectsNames: false).values
        return facts.blocks.indices.map { index in
            var features = BlockFeatures(facts, outline, collectsNames: false)
            features.addBlock(index)
            return features.values + page
        }
    }

    /// Returns the names of the features, in the order of their values.
    static func names(_ facts: PageFacts) -> [String] {
        guard !facts.blocks.isEmpty else { return [] }
        let outline = PageOutline(facts)
        var features = BlockFeatures(facts, outline, collectsNames: true)
        features.addBlock(0)
        return features.names + pageFeatures(facts, outline, collectsNames: true).names
    }

    mutating func put(_ name: @autoclosure () -> String, _ value: Double) {
        values.append(Float(value))
        if collectsNames { names.append(name()) }
    }

    mutating func put(_ name: @autoclosure () -> String, _ value: Bool) { put(name(), value ? 1.0 : 0.0) }

    static func magnitude(_ value: Double) -> Double {
        value < 0 ? -log2(1 - value) : log2(1 + value)
    }

    private mutating func addBlock(_ index: Int) {
        let block = facts.blocks[index]
        addText(block, index)
        addPosition(block, index)
        addNeighbors(index)
        addElements(block)
        addContainers(block)
        addRepetition(block)
        addOutline(block, index)
    }

    private mutating func addText(_ block: HTMLBlock, _ index: Int) {
        let counts = block.counts
        let words = Double(max(1, counts.words))
        put("words", Self.magnitude(Double(counts.words)))
        put("wordLength", Double(counts.letters) / words)
        put("longestWord", Double(min(60, counts.longestWord)))
        put("linkDensity", Double(block.linkWords) / words)
        put("links", Self.magnitude(Double(block.links)))
        put("sentences", Double(counts.sentenceEnds) / words)
        put("sentenceCount", Double(min(20, counts.sentenceEnds)))
        put("commas", Double(counts.commas) / words)
        put("digits", Double(counts.digits) / Double(max(1, counts.letters)))
        put("capitals", Double(counts.capitalizedWords) / words)
        put("symbols", Double(counts.symbols) / words)
        put("currency", Double(min(3, counts.currencySigns)))
        put("copyright", block.text.contains("©"))
        let last = block.text.unicodeScalars.last?.value ?? 0
        put("endsSentence", TextCounts.endsSentence(last))
        put("endsColon", last == 0x3A)
        put("endsEllipsis", last == 0x2026 || block.text.hasSuffix("..."))
        put("duplicates", Self.magnitude(Double(facts.duplicates[block.text] ?? 1) - 1))
        let set = counts.words <= 60 ? PageFacts.wordSet(block.text) : []
        let size = Double(max(1, set.count))
        put("inTitle", Double(set.intersection(facts.titleWords).count) / size)
        put("inSummary", Double(set.intersection(facts.summaryWords).count) / size)
        let textHints = facts.textHints[index]
        for group in [0, 2, 3, 6, 7, 8, 9, 14, 15, 17, 19] {
            put("text:\(ElementHints.groups[group][0])", textHints >> group & 1 == 1)
        }
    }

    private mutating func addPosition(_ block: HTMLBlock, _ index: Int) {
        let before = facts.sums(ofBlocks: 0..<index)
        let total = facts.total
        put("positionInWords", total.words > 0 ? before.words / total.words : 0)
        put("positionInBlocks", Double(index) / Double(facts.blocks.count))
        put("wordsBefore", Self.magnitude(before.words))
        put("wordsAfter", Self.magnitude(total.words - before.words))
        put("longBefore", total.longBlocks > 0 ? before.longBlocks / total.longBlocks : 0)
        let depth = facts.tree.nodes[block.container].depth
        put("depth", Double(depth))
        if let heading = facts.mainHeading {
            let range = heading < index ? heading..<index : index..<heading
            let distance = facts.sums(ofBlocks: range).words
            put("afterMainHeading", Self.magnitude(heading <= index ? distance : -distance))
        } else {
            put("afterMainHeading", -20)
        }
        put("fromHeading", Double(min(20, facts.distance(of: block, from: facts.headingPath))))
        put("fromCandidate", Double(min(20, facts.distance(of: block, from: facts.candidatePath))))
        let heading = facts.headings[index]
        put("afterHeading", heading.map { Double(min(30, index - $0)) } ?? 40)
        let hints = heading.map { facts.textHints[$0] } ?? 0
        for group in [6, 8, 9, 15] {
            put("heading:\(ElementHints.groups[group][0])", hints >> group & 1 == 1)
        }
    }

    private mutating func addNeighbors(_ index: Int) {
        for offset in [-3, -2, -1, 1, 2, 3] {
            let neighbor = index + offset
            let isInside = facts.blocks.indices.contains(neighbor)
            let sums = facts.sums(ofBlocks: neighbor..<(neighbor + 1))
            put("words\(offset)", isInside ? Self.magnitude(sums.words) : -1)
            put("linkDensity\(offset)", sums.linkDensity)
            if abs(offset) == 1 {
                put("heading\(offset)", isInside && facts.headingLevel(facts.blocks[neighbor]) != nil)
                put("sentences\(offset)", sums.sentenceEnds / max(1, sums.words))
                let isSame = isInside && facts.blocks[neighbor].container == facts.blocks[index].container
                put("sameContainer\(offset)", isSame)
            }
        }
        for width in [5, 15] {
            for (name, range) in [
                ("before", (index - width)..<index), ("after", (index + 1)..<(index + 1 + width)),
            ] {
                let sums = facts.sums(ofBlocks: range)
                put("\(name)\(width)Words", Self.magnitude(sums.words / Double(width)))
                put("\(name)\(width)Links", sums.linkDensity)
                put("\(name)\(width)Long", sums.longBlocks)
            }
        }
    }

    private mutating func addElements(_ block: HTMLBlock) {
        let nodes = facts.tree.nodes
        let level = facts.headingLevel(block)
        put("heading", Double(level.map { 7 - $0 } ?? 0))
        for tag in Self.tags { put("is:\(tag)", nodes[block.container].tag == tag) }
        put("is:code", block.kind == .code)
        put("is:row", block.kind == .row)
        var tagDepths: [String: Double] = [:]
        var roles: Set<String> = []
        var (near, all): (UInt32, UInt32) = (0, 0)
        var isPageHeader = false
        var node = block.texts[0]
        var distance = 0.0
        while node >= 0 {
            let element = nodes[node]
            if !element.isText {
                if tagDepths[element.tag] == nil { tagDepths[element.tag] = distance }
                // The outermost header counts, if no part of the page with a header of its own contains it.
                if element.tag == "header" {
                    isPageHeader = true
                } else if ["article", "main", "section"].contains(element.tag) {
                    isPageHeader = false
                }
                if let role = element.attribute("role") { roles.insert(role) }
                if element.tag != "body", element.tag != "html" {
                    if distance <= 3 { near |= facts.hints[node] }
                    all |= facts.hints[node]
                }
                distance += 1
            }
            node = element.parent
        }
        for tag in Self.ancestorTags { put("in:\(tag)", tagDepths[tag].map { max(1, 12 - $0) } ?? 0) }
        put("in:pageHeader", isPageHeader)
        for role in Self.roles { put("role:\(role)", roles.contains(role)) }
        put("hidden", facts.isHidden[block.texts[0]])
        for (group, words) in ElementHints.groups.enumerated() {
            put("hint:\(words[0])", Double((near >> group & 1) * 2 + (all >> group & 1)))
        }
    }

    private mutating func addContainers(_ block: HTMLBlock) {
        var node = block.container
        let total = max(1, facts.total.words)
        for level in 0..<7 {
            let sums = facts.sums(in: max(0, node))
            put("container\(level)Words", Self.magnitude(sums.words))
            put("container\(level)Links", sums.linkDensity)
            if level > 0 {
                put("container\(level)Paragraphs", sums.paragraphWords / max(1, sums.words))
                put("container\(level)Share", sums.words / total)
                put("container\(level)Long", sums.longBlocks / max(1, sums.blocks))
            }
            if node > 0 { node = facts.tree.nodes[node].parent }
        }
    }

    private mutating func addRepetition(_ block: HTMLBlock) {
        var node = block.container
        var level = 0.0
        var nearest: (count: Int, level: Double, sums: PageFacts.Sums)?
        var outermost: (count: Int, level: Double, sums: PageFacts.Sums)?
        while node > 0 {
            if let count = facts.repetitions[node] {
                let item = (count, level, facts.sums(in: node))
                if nearest == nil { nearest = item }
                if item.2.words >= 5 { outermost = item }
            }
            node = facts.tree.nodes[node].parent
            level += 1
        }
        for (name, item) in [("nearest", nearest), ("outermost", outermost)] {
            put("\(name)Repetitions", item.map { Self.magnitude(Double($0.count)) } ?? 0)
            put("\(name)Level", item?.level ?? -1)
            put("\(name)Words", item.map { Self.magnitude($0.sums.words) } ?? -1)
            put("\(name)Links", item?.sums.linkDensity ?? -1)
            put("\(name)Blocks", item.map { Self.magnitude($0.sums.blocks) } ?? -1)
        }
    }

    /// Returns the features of the page itself, which are the same for all blocks.
    private static func pageFeatures(
        _ facts: PageFacts, _ outline: PageOutline, collectsNames: Bool
    ) -> BlockFeatures {
        var result = BlockFeatures(facts, outline, collectsNames: collectsNames)
        let total = facts.total
        let types = facts.metadata.types
        result.put("page:words", magnitude(total.words))
        result.put("page:links", total.linkDensity)
        result.put("page:paragraphs", total.paragraphWords / max(1, total.words))
        result.put("page:long", total.longBlocks / max(1, total.blocks))
        result.put("page:sentences", total.sentenceEnds / max(1, total.words))
        result.put(
            "page:article",
            types.contains("og:article")
                || types.contains { $0.hasSuffix("article") || $0.hasSuffix("blogposting") })
        result.put(
            "page:product",
            types.contains("og:product") || types.contains { $0 == "product" || $0 == "productgroup" })
        result.put("page:forum", types.contains { $0 == "qapage" || $0 == "discussionforumposting" })
        result.put("page:list", types.contains { $0 == "itemlist" || $0 == "collectionpage" })
        let candidate = facts.sums(in: facts.candidate)
        result.put("page:candidateShare", candidate.words / max(1, total.words))
        result.put("page:candidateLinks", candidate.linkDensity)
        let tags = Set(facts.tree.nodes.lazy.map(\.tag))
        result.put("page:hasMain", tags.contains("main"))
        result.put("page:hasArticle", tags.contains("article"))
        let currency = facts.blocks.lazy.map(\.counts.currencySigns).reduce(0, +)
        result.put("page:currency", magnitude(Double(currency)))
        let code = facts.blocks.lazy.filter { $0.kind == .code }.count
        result.put("page:code", magnitude(Double(code)))
        result.addKind()
        for group in [9, 10, 13, 14, 18] {
            var words = 0.0
            for index in facts.blocks.indices
            where facts.tree.ancestors(of: facts.blocks[index].texts[0]).prefix(6).contains(where: {
                facts.hints[$0] >> group & 1 == 1
            }) {
                words += Double(facts.blocks[index].counts.words)
            }
            result.put("page:\(ElementHints.groups[group][0])", words / max(1, total.words))
        }
        return result
    }
}
