import RoostText

/// Facts about the elements and blocks of a page, from which the features of blocks are computed.
struct PageFacts {
    struct Sums {
        var words = 0.0
        var linkWords = 0.0
        var blocks = 0.0
        var sentenceEnds = 0.0
        /// The number of blocks that have at least twelve words and consist mostly of other words than links.
        var longBlocks = 0.0

        static func += (left: inout Sums, right: Sums) {
            left.words += right.words
            left.linkWords += right.linkWords
            left.blocks += right.blocks
            left.sentenceEnds += right.sentenceEnds
            left.longBlocks += right.longBlocks
        }

        static func - (left: Sums, right: Sums) -> Sums {
            Sums(
                words: left.words - right.words, linkWords: left.linkWords - right.linkWords,
                blocks: left.blocks - right.blocks, sentenceEnds: left.sentenceEnds - right.sentenceEnds,
                longBlocks: left.longBlocks - right.longBlocks)
        }

        var linkDensity: Double { words > 0 ? linkWords / words : 0 }
    }

    /// The minimum number of words of a long paragraph: about two lines.
    private static let longParagraph = 25
    /// The minimum number of siblings that are repetitions.
    private static let minimumRepetitions = 3

    let tree: HTMLTree
    let blocks: [HTMLBlock]
    let hints: [UInt32]
    /// The number of blocks with each text.
    private(set) var duplicates: [String: Int] = [:]
    /// For each block, the level of the heading that it is; `nil` for others.
    let headingLevels: [Int?]
    /// For each block, the range of the blocks from the heading before it to the next heading. A heading
    /// belongs to the section that it begins.
    private(set) var sections: [Range<Int>] = []
    /// The index of the first block in an `h1`, or else in an `h2`; `nil` if there is neither.
    let mainHeading: Int?
    /// For each block, the indices of the long paragraphs before and after it.
    private(set) var previousLong: [Int?] = []
    private(set) var nextLong: [Int?] = []
    /// For each block, the sums over the blocks whose three innermost elements have the same names and first
    /// classes, and over those whose elements all have the same names.
    private(set) var styles: [Sums] = []
    private(set) var paths: [Sums] = []
    /// For each element among several siblings that contain text and have the same name and first class, the
    /// number of these siblings.
    private(set) var repetitions: [Int: Int] = [:]
    private(set) var repeated = Sums()
    /// The sums over the largest group of blocks with one style that are mostly not links.
    private(set) var largestStyle = Sums()
    /// The element whose paragraphs have the largest weight, as in the method of Readability.
    private(set) var candidate = 0
    private var prefixSums: [Sums] = [Sums()]
    private let starts: [Int]

    init(_ page: HTMLPage) {
        let (tree, blocks) = (page.tree, page.blocks)
        self.tree = tree
        self.blocks = blocks
        var hints = ElementHints()
        self.hints = tree.nodes.map { $0.isText ? 0 : hints.mask(of: $0) }
        starts = blocks.map { $0.texts[0] }
        headingLevels = blocks.map(page.headingLevel)
        mainHeading = headingLevels.firstIndex(of: 1) ?? headingLevels.firstIndex(of: 2)
        for block in blocks {
            let words = block.counts.words
            var next = prefixSums[prefixSums.count - 1]
            next += Sums(
                words: Double(words), linkWords: Double(block.linkWords), blocks: 1,
                sentenceEnds: Double(block.counts.sentenceEnds),
                longBlocks: words >= 12 && block.linkWords * 3 < words ? 1 : 0)
            prefixSums.append(next)
            duplicates[block.text, default: 0] += 1
        }
        styles = groups { style(of: $0) }
        largestStyle = styles.filter { $0.linkDensity < 0.5 }.max { $0.words < $1.words } ?? Sums()
        let numbers = pathNumbers()
        paths = groups { numbers[$0.container] }
        findSections()
        findLongParagraphs()
        findRepetitions()
        findCandidate()
    }

    // MARK: Sums

    var total: Sums { prefixSums[blocks.count] }

    /// Returns the sums over a range of blocks, limited to the blocks of the page.
    func sums(_ range: Range<Int>) -> Sums {
        let range = range.clamped(to: 0..<blocks.count)
        return prefixSums[range.upperBound] - prefixSums[range.lowerBound]
    }

    func sums(in element: Int) -> Sums { sums(range(of: element)) }

    func range(of element: Int) -> Range<Int> {
        func first(_ node: Int) -> Int { starts.partitioningIndex { $0 >= node } }
        return first(element)..<first(tree.nodes[element].end)
    }

    /// Returns for each block the sums over the blocks with the same key.
    private func groups<Key: Hashable>(key: (HTMLBlock) -> Key) -> [Sums] {
        let keys = blocks.map(key)
        var sums: [Key: Sums] = [:]
        for (index, key) in keys.enumerated() { sums[key, default: Sums()] += self.sums(index..<index + 1) }
        return keys.map { sums[$0] ?? Sums() }
    }

    private func style(of block: HTMLBlock) -> [String] {
        ([block.container] + tree.ancestors(of: block.container).prefix(2)).map { name(of: tree.nodes[$0]) }
    }

    private func name(of element: HTMLTree.Node) -> String {
        element.tag + "." + (element.attribute("class")?.prefix { $0 != " " } ?? "")
    }

    /// Returns a number for each element; elements with the same names on their paths have the same number.
    private func pathNumbers() -> [Int] {
        struct Step: Hashable {
            var parent: Int
            var tag: String
        }
        var numbers: [Step: Int] = [:]
        var result: [Int] = []
        for node in tree.nodes {
            let step = Step(parent: node.parent >= 0 ? result[node.parent] : -1, tag: node.tag)
            let number = numbers[step] ?? numbers.count
            numbers[step] = number
            result.append(number)
        }
        return result
    }

    // MARK: Structure

    private mutating func findSections() {
        let starts = blocks.indices.filter { $0 == 0 || headingLevels[$0] != nil }
        for (start, end) in zip(starts, starts.dropFirst() + [blocks.count]) {
            sections += Array(repeating: start..<end, count: end - start)
        }
    }

    private mutating func findLongParagraphs() {
        let long = blocks.indices.filter {
            blocks[$0].counts.words >= Self.longParagraph
                && blocks[$0].linkWords * 3 < blocks[$0].counts.words
        }
        var next = 0
        for index in blocks.indices {
            previousLong.append(next > 0 ? long[next - 1] : nil)
            if next < long.count, long[next] == index { next += 1 }
            nextLong.append(next < long.count ? long[next] : nil)
        }
    }

    private mutating func findRepetitions() {
        struct Signature: Hashable {
            var parent: Int
            var name: String
        }
        let elements = tree.nodes.indices.filter { !tree.nodes[$0].isText && sums(in: $0).words > 0 }
        let signatures = elements.map {
            Signature(parent: tree.nodes[$0].parent, name: name(of: tree.nodes[$0]))
        }
        let counts = signatures.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        for (element, signature) in zip(elements, signatures) {
            if let count = counts[signature], count >= Self.minimumRepetitions {
                repetitions[element] = count
            }
        }
        for (index, block) in blocks.enumerated() {
            let path = [block.container] + tree.ancestors(of: block.container)
            let element = path.first { repetitions[$0] != nil }
            if let element, sums(in: element).blocks >= 2 { repeated += sums(index..<index + 1) }
        }
    }

    private mutating func findCandidate() {
        var scores: [Int: Double] = [:]
        for block in blocks where block.counts.words >= 10 && block.linkWords * 2 < block.counts.words {
            var node = block.container
            var weight = Double(min(block.counts.words, 100) - block.linkWords)
            for _ in 0..<5 where node > 0 {
                scores[node, default: 0] += weight
                weight *= 0.7
                node = tree.nodes[node].parent
            }
        }
        candidate = scores.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key ?? 0
    }
}

/// Hints about the purpose of elements, from the words in their classes, ids and roles.
struct ElementHints {
    /// Groups of words with a similar purpose. Words of five letters or more also match the beginning or the
    /// end of a longer word in a class, such as `sidebar` in `leftsidebar`.
    static let groups: [[String]] = [
        [
            "nav", "navigation", "navbar", "menu", "breadcrumb", "toolbar", "tabs", "pagination", "toc",
            "skip",
        ],
        ["header", "masthead", "topbar", "banner", "logo", "alert", "notice"],
        ["footer", "copyright", "legal", "colophon", "disclaimer", "bottom"],
        ["share", "social", "follow", "newsletter", "subscribe", "signup", "cookie", "modal", "popup"],
        ["comment", "comments", "reply", "discussion", "respond", "answer", "review", "reviews", "rating"],
        ["text", "description", "desc", "summary", "excerpt", "intro", "lead", "copy", "paragraph", "rte"],
        ["hidden", "hide", "visually", "screenreader", "invisible", "mobile", "noprint", "collapse"],
        ["button", "btn", "action", "actions", "link", "links", "icon", "image", "media", "caption"],
    ]

    private static let exact: [String: UInt32] = {
        var result: [String: UInt32] = [:]
        for (group, words) in groups.enumerated() {
            for word in words { result[word, default: 0] |= 1 << group }
        }
        return result
    }()
    private static let affixes = exact.filter { $0.key.utf8.count >= 5 }

    private var cache: [String: UInt32] = [:]

    /// Returns the groups of an element as a set of bits.
    mutating func mask(of node: HTMLTree.Node) -> UInt32 {
        ["class", "id", "role"].reduce(0) { $0 | (node.attribute($1).map { mask(ofNames: $0) } ?? 0) }
    }

    private mutating func mask(ofNames text: String) -> UInt32 {
        if let known = cache[text] { return known }
        var mask: UInt32 = 0
        for word in Self.words(text) {
            let bits = cache[word] ?? Self.mask(ofWord: word)
            cache[word] = bits
            mask |= bits
        }
        cache[text] = mask
        return mask
    }

    private static func mask(ofWord word: String) -> UInt32 {
        let bits = exact[word] ?? 0
        guard (6...40).contains(word.utf8.count) else { return bits }
        return affixes.reduce(bits) {
            word.hasPrefix($1.key) || word.hasSuffix($1.key) ? $0 | $1.value : $0
        }
    }

    /// Returns the words of an identifier such as `post-body`, `post_body` or `postBody`, in lowercase
    /// letters.
    private static func words(_ text: String) -> [String] {
        var result: [String] = []
        var word = ""
        var followsLowercase = false
        for character in text.unicodeScalars {
            let isLetter = character.isASCII && character.properties.isAlphabetic
            let isUppercase = character.properties.isUppercase
            if !isLetter || isUppercase && followsLowercase {
                if !word.isEmpty { result.append(word.lowercased()) }
                word = ""
            }
            if isLetter { word.unicodeScalars.append(character) }
            followsLowercase = isLetter && !isUppercase
        }
        return word.isEmpty ? result : result + [word.lowercased()]
    }
}
