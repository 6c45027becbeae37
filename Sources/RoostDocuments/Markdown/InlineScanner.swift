import RoostModel

/// Finds the links, tags and hidden parts in the inline content of Markdown blocks.
///
/// The scanner reads the text itself instead of the inline nodes of cmark, because these have no exact
/// offsets, and because cmark does not support the syntax of Obsidian: wiki links, embeds, tags, block
/// identifiers, comments. Each byte is read a bounded number of times, so the time is linear also for
/// malicious texts.
struct InlineScanner {
    struct FoundLink {
        /// The link; `nil` for an image on the web.
        var link: DocumentLink?
        /// The range of the link, including its brackets.
        var range: Range<Int>
        /// The range of the text that is shown.
        var textRange: Range<Int>
        /// Whether the link is an image, or contains only an image.
        var isImage: Bool
        /// Whether the link is a URL without a text: bare, or in angle brackets.
        var isBare = false
    }

    struct Bracket {
        var offset: Int
        var isImage: Bool
        var isActive = true
        /// The number of links that were found before the bracket.
        var linkCount: Int
        var hasBrackets = false
    }

    let bytes: [UInt8]
    var definitions: [String: String] = [:]
    var comments: [Range<Int>] = []

    /// The parts of the text that are not embedded, in no particular order. They may overlap.
    private(set) var hiddenParts: [TextStructure.HiddenPart] = []
    /// The links and images, in the order of their ends.
    var links: [FoundLink] = []
    /// The tags without `#`, in order.
    var tags: [String] = []

    /// The state of the region that is scanned.
    var region = 0..<0
    var brackets: [Bracket] = []
    var activeCount = 0
    /// The lengths of backquote runs for which the rest of the region has no second run of this length.
    private var missingRuns: Set<Int> = []
    /// The offset before which no dollar sign closes a formula.
    private var noFormulaBefore = 0
    /// Whether the rest of the region contains no end of an HTML comment.
    var hasNoCommentEnd = false
    private var nextComment = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func hide(_ range: Range<Int>, _ kind: TextStructure.HiddenPart.Kind) {
        if !range.isEmpty { hiddenParts.append(.init(kind: kind, range: range)) }
    }

    func byte(_ offset: Int) -> UInt8 { region.contains(offset) ? bytes[offset] : 0 }

    // MARK: Regions

    /// Scans the content of a paragraph, heading or table row. Regions must be scanned in order.
    mutating func scan(_ range: Range<Int>) {
        begin(range)
        var index = range.lowerBound
        while index < range.upperBound {
            if let end = commentEnd(at: index) {
                index = end
                continue
            }
            index = step(index)
        }
    }

    /// Scans an HTML block, in which only tags and comments have a meaning.
    mutating func scanHTML(_ range: Range<Int>) {
        begin(range)
        var index = range.lowerBound
        while index < range.upperBound {
            index = bytes[index] == UInt8(ascii: "<") ? html(index, isBlock: true) : index + 1
        }
    }

    private mutating func begin(_ range: Range<Int>) {
        region = range
        brackets.removeAll(keepingCapacity: true)
        missingRuns.removeAll(keepingCapacity: true)
        (noFormulaBefore, hasNoCommentEnd, activeCount) = (0, false, 0)
    }

    /// Returns the end of the `%%` comment that contains an offset.
    private mutating func commentEnd(at index: Int) -> Int? {
        while nextComment < comments.count, comments[nextComment].upperBound <= index { nextComment += 1 }
        guard nextComment < comments.count, comments[nextComment].contains(index) else { return nil }
        return comments[nextComment].upperBound
    }

    private mutating func step(_ index: Int) -> Int {
        switch bytes[index] {
        case UInt8(ascii: "\\"): byte(index + 1).isASCIIPunctuation ? index + 2 : index + 1
        case UInt8(ascii: "`"): Self.codeEnd(bytes, from: index, to: region.upperBound, &missingRuns)
        case UInt8(ascii: "$"): formula(index)
        case UInt8(ascii: "<"): html(index, isBlock: false)
        case UInt8(ascii: "!"): image(index)
        case UInt8(ascii: "["): openBracket(index)
        case UInt8(ascii: "]"): closeBracket(index)
        case UInt8(ascii: "#"): tag(index)
        case UInt8(ascii: "^"): blockIdentifier(index)
        case UInt8(ascii: "h"), UInt8(ascii: "H"): address(index)
        default: index + 1
        }
    }

    // MARK: Code and formulas

    /// Returns the offset after the code span that begins with a backquote; after its first backquotes if no other
    /// run of the same length follows before a limit.
    ///
    /// - Parameter missing: The lengths of runs that do not occur again before the limit.
    static func codeEnd(_ bytes: [UInt8], from start: Int, to limit: Int, _ missing: inout Set<Int>) -> Int {
        func run(_ offset: Int) -> Int { bytes[offset..<limit].prefix { $0 == UInt8(ascii: "`") }.count }
        let length = run(start)
        guard !missing.contains(length) else { return start + length }
        var index = start + length
        while let next = bytes[index..<limit].firstIndex(of: UInt8(ascii: "`")) {
            let other = run(next)
            index = next + other
            if other == length { return index }
        }
        missing.insert(length)
        return start + length
    }

    /// Skips a formula between dollar signs, which contains neither tags nor links.
    private mutating func formula(_ index: Int) -> Int {
        guard index >= noFormulaBefore else { return index + 1 }
        let isDisplay = byte(index + 1) == UInt8(ascii: "$")
        let start = isDisplay ? index + 2 : index + 1
        guard isDisplay || (start < region.upperBound && !bytes[start].isMarkdownSpace) else { return start }
        var end = start
        while end < region.upperBound {
            let byte = bytes[end]
            if byte == 0x0A && !isDisplay { break }
            if byte == UInt8(ascii: "\\") {
                end += 2
                continue
            }
            if byte == UInt8(ascii: "$") {
                let next = self.byte(end + 1)
                if isDisplay
                    ? next == UInt8(ascii: "$") : !bytes[end - 1].isMarkdownSpace && !next.isASCIIDigit
                {
                    return isDisplay ? end + 2 : end + 1
                }
            }
            end += 1
        }
        noFormulaBefore = end
        return start
    }

    // MARK: Obsidian

    /// Adds a tag if the number sign begins one.
    ///
    /// A tag follows the beginning of a line or white space, has at least one character that is not a digit,
    /// and contains no punctuation other than `-`, `_` and `/`.
    private mutating func tag(_ index: Int) -> Int {
        guard isAfterSpace(index) else { return index + 1 }
        let end = UnicodeScan.tagEnd(bytes, from: index + 1, to: region.upperBound)
        var last = end
        while last > index + 1, bytes[last - 1] == UInt8(ascii: "/") { last -= 1 }
        guard last > index + 1, bytes[(index + 1)..<last].contains(where: { !$0.isASCIIDigit }) else {
            return max(index + 1, end)
        }
        tags.append(bytes.text((index + 1)..<last))
        return end
    }

    private func isAfterSpace(_ index: Int) -> Bool {
        index == region.lowerBound || bytes[index - 1].isMarkdownSpace
            || UnicodeScan.isSpace(bytes, before: index)
    }

    /// Hides a block identifier at the end of a line, such as `^quote-1`.
    private mutating func blockIdentifier(_ index: Int) -> Int {
        guard isAfterSpace(index) else { return index + 1 }
        var end = index + 1
        while byte(end).isASCIILetter || byte(end).isASCIIDigit || byte(end) == UInt8(ascii: "-") { end += 1 }
        var lineEnd = end
        while byte(lineEnd) == 32 || byte(lineEnd) == 9 || byte(lineEnd) == 13 { lineEnd += 1 }
        guard end > index + 1, lineEnd >= region.upperBound || bytes[lineEnd] == 0x0A else {
            return index + 1
        }
        hide(index..<end, .markup)
        return end
    }
}
