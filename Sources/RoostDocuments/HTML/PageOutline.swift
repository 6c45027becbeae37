/// The sections of a page, its groups of blocks with the same elements, and its long paragraphs.
struct PageOutline {
    /// The minimum number of words of a long paragraph: about two lines.
    private static let longParagraph = 25

    /// Groups of blocks.
    struct Groups {
        /// For each block, the number of its group.
        fileprivate(set) var numbers: [Int] = []
        /// The sums over the blocks of each group.
        fileprivate(set) var sums: [PageFacts.Sums] = []

        /// Returns the sums over the group of a block.
        subscript(block: Int) -> PageFacts.Sums { sums[numbers[block]] }
    }

    /// For each block, the range of the blocks from the heading before it to the next heading. A heading
    /// belongs to the section that it begins.
    private(set) var sections: [Range<Int>] = []
    /// The blocks whose three innermost elements have the same names and first classes.
    private(set) var styles = Groups()
    /// The blocks whose elements have the same names.
    private(set) var paths = Groups()
    /// For each block, the index of the last long paragraph before it.
    private(set) var previousLong: [Int?] = []
    /// For each block, the index of the first long paragraph after it.
    private(set) var nextLong: [Int?] = []
    /// The range of the blocks in the candidate of ``PageFacts``.
    let candidate: Range<Int>
    private let host: String
    /// The number of links before each node, and of those to other sites.
    private var links: [(all: Int, outside: Int)] = [(0, 0)]

    /// Collects the outline of a page.
    init(_ facts: PageFacts) {
        candidate = facts.blocks(in: facts.candidate)
        host = Self.host(of: facts.metadata.address ?? "") ?? ""
        countLinks(facts.tree)
        findSections(facts)
        styles = Self.groups(facts) { Self.style(of: $0, facts.tree) }
        let numbers = Self.paths(facts.tree)
        paths = Self.groups(facts) { numbers[$0.container] }
        findLongParagraphs(facts)
    }

    /// Returns whether a link leads to another site.
    func isOutside(_ link: String) -> Bool { Self.host(of: link).map { $0 != host } ?? false }

    /// Returns the number of links in a range of nodes, and of those that lead to other sites.
    func links(in nodes: Range<Int>) -> (all: Int, outside: Int) {
        let (start, end) = (links[nodes.lowerBound], links[nodes.upperBound])
        return (end.all - start.all, end.outside - start.outside)
    }

    private mutating func countLinks(_ tree: HTMLTree) {
        for node in tree.nodes {
            var count = links[links.count - 1]
            if node.tag == "a", let link = node.attribute("href") {
                count.all += 1
                count.outside += isOutside(link) ? 1 : 0
            }
            links.append(count)
        }
    }

    /// Returns the last two parts of the host in an address; `nil` if the address does not state a host.
    private static func host(of address: String) -> String? {
        guard let slash = address.firstIndex(of: "/"), address[slash...].hasPrefix("//") else { return nil }
        let host = address[slash...].dropFirst(2).prefix { !"/?#".contains($0) }
        return host.split(separator: ".").suffix(2).joined(separator: ".").lowercased()
    }

    private mutating func findSections(_ facts: PageFacts) {
        var start = 0
        for (index, block) in facts.blocks.enumerated() where facts.headingLevel(block) != nil {
            sections += Array(repeating: start..<index, count: index - start)
            start = index
        }
        let end = facts.blocks.count
        sections += Array(repeating: start..<end, count: end - start)
    }

    private static func groups<Key: Hashable>(_ facts: PageFacts, key: (HTMLBlock) -> Key) -> Groups {
        var numbers: [Key: Int] = [:]
        var groups = Groups()
        for (index, block) in facts.blocks.enumerated() {
            let key = key(block)
            let number = numbers[key] ?? numbers.count
            if number == numbers.count {
                numbers[key] = number
                groups.sums.append(.init())
            }
            groups.numbers.append(number)
            groups.sums[number] += facts.sums(ofBlocks: index..<(index + 1))
        }
        return groups
    }

    private static func style(of block: HTMLBlock, _ tree: HTMLTree) -> String {
        var key = ""
        var node = block.container
        for _ in 0..<3 where node > 0 {
            let element = tree.nodes[node]
            key += element.tag + "." + (element.attribute("class")?.split(separator: " ").first ?? "") + "/"
            node = element.parent
        }
        return key
    }

    /// Returns a number for each element; elements with the same names on their paths have the same number.
    private static func paths(_ tree: HTMLTree) -> [Int] {
        struct Step: Hashable {
            var parent: Int
            var tag: String
        }
        var numbers: [Step: Int] = [:]
        var result: [Int] = []
        for node in tree.nodes {
            let parent = node.parent > 0 ? result[node.parent] : -1
            let step = Step(parent: parent, tag: node.tag)
            let number = numbers[step] ?? numbers.count
            numbers[step] = number
            result.append(number)
        }
        return result
    }

    private mutating func findLongParagraphs(_ facts: PageFacts) {
        let isLong = facts.blocks.map {
            $0.counts.words >= Self.longParagraph && $0.linkWords * 3 < $0.counts.words
                && $0.counts.sentenceEnds > 0
        }
        var last: Int?
        for index in isLong.indices {
            previousLong.append(last)
            if isLong[index] { last = index }
        }
        last = nil
        nextLong = Array(repeating: nil, count: isLong.count)
        for index in isLong.indices.reversed() {
            nextLong[index] = last
            if isLong[index] { last = index }
        }
    }
}
