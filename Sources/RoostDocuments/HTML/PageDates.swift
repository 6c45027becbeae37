import Foundation

/// The dates that the elements of a page show: those that are marked for machines, those of times and of
/// elements with a class such as `entry-date` near the main heading, and the day in the address of the page.
///
/// Pages also show the dates of comments, of other pages and of events, so a date counts only in a place
/// where the date of the page is usually found.
struct PageDates {
    /// Dates that an attribute such as `pubdate`, or a class of a microformat, marks as those of the page.
    private(set) var marked = DatePair()
    /// The date of an element below or above the main heading, before another heading follows.
    private(set) var nearHeading = DatePair()
    /// The day in the address, such as `/2024/03/01/`; else the only date of all elements with dates; else
    /// that of the first post of a discussion.
    private(set) var elsewhere: Date?

    /// The dates of publication and of the last change.
    struct DatePair {
        var published: Date?
        var modified: Date?

        init() {}

        /// Creates the pair of the first date of each kind.
        fileprivate init(first candidates: [Candidate]) {
            published = candidates.first { !$0.isModified }?.date
            modified = candidates.first(where: \.isModified)?.date
        }
    }

    /// Words of classes and ids whose elements contain dates.
    private static let dateWords: Set<String> = [
        "date", "datum", "fecha", "published", "publish", "pubdate", "posted", "postdate", "timestamp",
        "datetime", "created", "time", "meta", "byline", "submitted", "updated", "modified",
    ]
    /// Ends of longer words, such as `newsdatum` and `postmeta`.
    private static let dateEndings = ["date", "datum", "meta", "byline", "timestamp"]
    /// Words of classes whose elements contain dates of changes.
    private static let modifiedWords: Set<String> = ["updated", "modified", "datemodified", "lastmod"]
    /// The elements, and the hints of elements, with dates of comments and other pages.
    private static let separateElements: Set<String> = ["nav", "aside", "footer"]
    private static let separateHints = ElementHints.mask(ofGroupsWith: [
        "navigation", "footer", "sidebar", "comment", "related", "hidden",
    ])
    /// The hints of posts in discussions, and those of items in lists of pages.
    private static let (postHints, itemHints) = (
        ElementHints.mask(ofGroupsWith: ["post"]), ElementHints.mask(ofGroupsWith: ["card"])
    )
    /// The maximum number of words of an element with a date, and of its descendants.
    private static let (maximumWords, maximumNodes) = (24, 60)
    /// The maximum number of bytes of the text of such an element.
    private static let maximumBytes = 2048
    /// The maximum number of elements with dates that are examined.
    private static let maximumCandidates = 200
    /// The maximum number of nodes between a date and the main heading below it.
    private static let maximumDistanceAbove = 60

    /// Reads the dates of a page.
    ///
    /// - Parameters:
    ///   - heading: The element of the main heading; `nil` if the page has none.
    ///   - address: The address of the page; `nil` if it is unknown.
    init(_ tree: HTMLTree, heading: Int?, address: String?) {
        var hints = ElementHints()
        var candidates: [Candidate] = []
        var isSeparate: [Bool]?
        for index in tree.nodes.indices where candidates.count < Self.maximumCandidates {
            guard let candidate = Self.candidate(index, in: tree) else { continue }
            let known = isSeparate ?? Self.separateElements(of: tree, heading: heading, &hints)
            isSeparate = known
            let parent = tree.nodes[index].parent
            if parent < 0 || !known[parent] { candidates.append(candidate) }
        }
        let marked = candidates.filter(\.isMarked)
        // Several marked dates are those of a list of texts.
        if Set(marked.lazy.filter { !$0.isModified }.map(\.date)).count <= 1 {
            self.marked = DatePair(first: marked)
        }
        if let heading { nearHeading = DatePair(first: Self.near(heading, candidates, in: tree)) }
        let published = candidates.filter { !$0.isModified }
        let dates = Set(published.map(\.date))
        let post = published.first { $0.index > heading ?? 0 && Self.isInPost($0.index, in: tree, &hints) }
        elsewhere =
            address.flatMap(Self.day(inAddress:)) ?? (dates.count == 1 ? dates.first : nil) ?? post?.date
    }

    /// Returns the candidates between the main heading and the next one; else the last one above it.
    private static func near(
        _ heading: Int, _ candidates: [Candidate], in tree: HTMLTree
    ) -> [Candidate] {
        let end = tree.nodes[heading].end
        let below = candidates.drop { $0.index < end }
            .prefix { !containsHeading(end..<$0.index, in: tree) }
        guard below.isEmpty else { return Array(below) }
        let above = candidates.last { candidate in
            candidate.index < heading && heading - candidate.index <= maximumDistanceAbove
                && !containsHeading(candidate.index..<heading, in: tree)
        }
        return above.map { [$0] } ?? []
    }

    // MARK: Elements with dates

    fileprivate struct Candidate {
        var index: Int
        var date: Date
        var isModified: Bool
        /// Whether the page states that this is the date of its text.
        var isMarked: Bool
    }

    /// Returns the date of an element; `nil` if it is no element for dates, or contains none.
    private static func candidate(_ index: Int, in tree: HTMLTree) -> Candidate? {
        let node = tree.nodes[index]
        guard node.tag == "time" || !node.attributes.isEmpty else { return nil }
        let classes = (node.attribute("class") ?? "").lowercased()
        let names = classes.split(separator: " ")
        let words = Set(ElementHints.words(classes + " " + (node.attribute("id") ?? "")))
        let isPublished = names.contains("published") || names.contains("dt-published")
        var isMarked = isPublished || names.contains("updated") || names.contains("dt-updated")
        let property = node.attribute("itemprop")?.lowercased()
        if node.tag == "time" {
            isMarked = isMarked || node.attribute("pubdate") != nil
        } else {
            let isDate = property == "datepublished" || property == "datemodified" || isMarked
            guard isDate || words.contains(where: isDateWord) else { return nil }
            isMarked = isMarked || property != nil && isDate
        }
        guard node.end - index <= maximumNodes else { return nil }
        let stated = (node.attribute("datetime") ?? node.attribute("content") ?? node.attribute("title"))
            .flatMap(HTMLDate.parse)
        let text = textWords(of: index, in: tree)
        guard let date = stated ?? VisibleDate.first(in: text)?.date else { return nil }
        let isModified =
            !isPublished && property != "datepublished"
            && (property == "datemodified" || !words.isDisjoint(with: modifiedWords)
                || text.contains { PageByline.modifiedWords.contains($0.lowercased()) })
        return Candidate(index: index, date: date, isModified: isModified, isMarked: isMarked)
    }

    private static func isDateWord(_ word: String) -> Bool {
        dateWords.contains(word) || (word.utf8.count >= 6 && dateEndings.contains(where: word.hasSuffix))
    }

    /// Returns the words of an element without signs at their ends; none if it is too long for a line with a
    /// date.
    private static func textWords(of index: Int, in tree: HTMLTree) -> [String] {
        let text = tree.text(of: index, maximumBytes: maximumBytes)
        let words = text.split(separator: " ", maxSplits: maximumWords)
        guard words.count <= maximumWords, text.utf8.count < maximumBytes else { return [] }
        return words.compactMap { word in
            let start = word.drop { !$0.isLetter && !$0.isNumber }
            return start.lastIndex { $0.isLetter || $0.isNumber }.map { String(start[...$0]) }
        }
    }

    /// Returns for each node whether it is an element whose contents belong to comments, to other pages or to
    /// the frame of the page. Elements that also contain the main heading are those of the whole page.
    private static func separateElements(
        of tree: HTMLTree, heading: Int?, _ hints: inout ElementHints
    ) -> [Bool] {
        var result = Array(repeating: false, count: tree.nodes.count)
        for (index, node) in tree.nodes.enumerated() where !node.isText {
            if let heading, index < heading, heading < node.end { continue }
            result[index] =
                node.parent >= 0 && result[node.parent] || separateElements.contains(node.tag)
                || hints.mask(of: node) & separateHints != 0
        }
        return result
    }

    /// Returns whether an element belongs to a post of a discussion, and not to an item of a list.
    private static func isInPost(_ index: Int, in tree: HTMLTree, _ hints: inout ElementHints) -> Bool {
        var found: UInt32 = 0
        for ancestor in tree.ancestors(of: index) { found |= hints.mask(of: tree.nodes[ancestor]) }
        return found & postHints != 0 && found & itemHints == 0
    }

    private static func containsHeading(_ nodes: Range<Int>, in tree: HTMLTree) -> Bool {
        tree.nodes[nodes].contains { ["h1", "h2", "h3", "h4"].contains($0.tag) }
    }

    // MARK: Address

    /// Returns the day in an address such as `https://example.org/2024/03/01/title`.
    private static func day(inAddress address: String) -> Date? {
        let parts = address.split(separator: "/")
        for index in parts.indices.dropLast(2) {
            guard parts[index].utf8.count == 4, let year = Int(parts[index]), (1990...2200).contains(year),
                parts[index + 1].utf8.count <= 2, let month = Int(parts[index + 1]),
                parts[index + 2].utf8.count <= 2, let day = Int(parts[index + 2])
            else { continue }
            return VisibleDate.date(year: year, month: month, day: day)
        }
        return nil
    }
}
