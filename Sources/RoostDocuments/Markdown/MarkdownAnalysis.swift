import RoostModel

/// The parts of a Markdown text that readers and ``TextStructure`` need.
struct MarkdownAnalysis {
    struct Heading {
        var level: Int
        var text: String
        var start: Int
    }

    /// The maximum number of bytes of the text of a heading in paths and titles.
    static let maximumHeadingLength = 300

    /// The maximum number of bytes that are analyzed. The limit bounds the memory, which can be 70 times the
    /// length of a malicious text. The rest of a larger text belongs to its last section. An ingest divides
    /// texts of this length, so only texts that are added as a whole can be larger.
    static let maximumLength = 2 << 20

    /// The length of the whole text in UTF-8 bytes.
    let length: Int
    let frontMatter: FrontMatterRange?
    let lines: MarkdownLines
    private(set) var blocks: [MarkdownBlock] = []
    /// The scanner after it has scanned all blocks.
    private(set) var scanner: InlineScanner
    /// The headings outside of lists and block quotes.
    private(set) var headings: [Heading] = []
    /// The ranges that a passage contains as a whole if they are short enough.
    private(set) var wholeRanges: [Range<Int>] = []

    init(_ text: String, maximumLength: Int = Self.maximumLength) {
        let bytes = Self.beginning(of: text, maximumLength: maximumLength)
        length = text.utf8.count
        lines = MarkdownLines(bytes)
        scanner = InlineScanner(bytes)
        frontMatter = FrontMatterRange(lines)
        let first = frontMatter?.lineCount ?? 0
        if let frontMatter {
            scanner.hide(0..<lines.starts[frontMatter.lineCount], .frontMatter)
        }
        blocks = MarkdownBlockParser.blocks(lines, from: first)
        let comments = MarkdownComments.find(lines, from: first, blocks: blocks)
        if !comments.isEmpty {
            scanner.comments = comments
            for comment in comments { scanner.hide(comment, .comment) }
            blocks = MarkdownBlockParser.blocks(lines, from: first, comments: comments)
        }
        let regions = blocks.map { region(of: $0) }
        scan(regions)
    }

    var isComplete: Bool { lines.bytes.count == length }

    /// Returns the lines at the beginning of a text.
    private static func beginning(of text: String, maximumLength: Int) -> [UInt8] {
        var bytes = Array(text.utf8.prefix(maximumLength))
        guard bytes.count < text.utf8.count else { return bytes }
        if let lineBreak = bytes.lastIndex(of: 0x0A) {
            bytes.removeSubrange((lineBreak + 1)...)
        } else {
            while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        }
        return bytes
    }

    // MARK: Regions

    /// Returns the range of a block that contains inline content, and adds the definitions of link references
    /// before it.
    private mutating func region(of block: MarkdownBlock) -> Range<Int> {
        var range = lines.contentRange(block.lines)
        guard block.kind == .paragraph else { return range }
        for line in block.lines {
            guard let definition = LinkDefinition(scanner.bytes, line: lines.contentRange(line..<line + 1))
            else {
                break
            }
            if scanner.definitions[definition.label] == nil {
                scanner.definitions[definition.label] = definition.target
            }
            scanner.hide(definition.range, .address)
            range = min(lines.starts[line + 1], range.upperBound)..<range.upperBound
        }
        return range
    }

    private mutating func scan(_ regions: [Range<Int>]) {
        for (index, block) in blocks.enumerated() {
            switch block.kind {
            case .paragraph:
                hideTaskMarker(block, regions[index])
                scanner.scan(regions[index])
            case .heading(let level):
                scanner.scan(regions[index])
                if block.isTopLevel { addHeading(level, block) }
            case .tableRow: scanRow(index, regions)
            case .table: addTable(index, regions)
            case .code: addWhole(regions[index])
            case .html: scanner.scanHTML(regions[index])
            case .thematicBreak: scanner.hide(regions[index], .markup)
            }
        }
    }

    private mutating func scanRow(_ index: Int, _ regions: [Range<Int>]) {
        scanner.scan(regions[index])
        if index > 0, blocks[index - 1].kind == .table {
            // The row below the header consists of hyphens. cmark has no node for it.
            let line = blocks[index].lines.upperBound
            guard line < lines.count else { return }
            let range = lines.contentRange(line..<line + 1)
            let isDelimiter = lines.bytes[range].allSatisfy {
                $0.isMarkdownSpace || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "|")
                    || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ">")
            }
            if isDelimiter { scanner.hide(range, .markup) }
        }
    }

    /// The maximum number of bytes of a table that a passage contains as a whole. Larger tables are split
    /// between rows.
    private static let maximumTableLength = 1500

    private mutating func addTable(_ index: Int, _ regions: [Range<Int>]) {
        var rows = regions[(index + 1)...].prefix(0)
        var last = index + 1
        while last < blocks.count, blocks[last].kind == .tableRow { last += 1 }
        rows = regions[(index + 1)..<last]
        guard let start = rows.first?.lowerBound, let end = rows.last?.upperBound, start < end else { return }
        if end - start <= Self.maximumTableLength {
            addWhole(start..<end)
        } else {
            for row in rows { addWhole(row) }
        }
    }

    private mutating func addWhole(_ range: Range<Int>) {
        guard !range.isEmpty, (wholeRanges.last?.upperBound ?? 0) <= range.lowerBound else { return }
        wholeRanges.append(range)
    }

    /// Hides the box of a task, such as `[x]`, at the beginning of an item.
    private mutating func hideTaskMarker(_ block: MarkdownBlock, _ range: Range<Int>) {
        guard block.isFirstInItem else { return }
        var index = range.lowerBound
        let bytes = lines.bytes
        while index < range.upperBound, !bytes[index].isASCIILetter, bytes[index] != UInt8(ascii: "["),
            bytes[index] != 0x0A
        {
            index += 1
        }
        guard index + 3 < range.upperBound, bytes[index] == UInt8(ascii: "["),
            bytes[index + 1] < 0x80, bytes[index + 2] == UInt8(ascii: "]"), bytes[index + 3] == 32
        else { return }
        scanner.hide(index..<index + 3, .markup)
    }

    // MARK: Headings

    private mutating func addHeading(_ level: Int, _ block: MarkdownBlock) {
        let range = lines.contentRange(block.lines)
        let text = HeadingText.text(range, of: scanner)
        guard !text.isEmpty else { return }
        headings.append(Heading(level: level, text: text, start: lines.starts[block.lines.lowerBound]))
    }

    var sections: [TextStructure.Section] {
        var sections: [TextStructure.Section] = []
        var path: [Heading] = []
        var start = 0
        for heading in headings {
            if heading.start > start || !sections.isEmpty || !path.isEmpty {
                sections.append(.init(headings: path.map(\.text), range: start..<heading.start))
            }
            while let last = path.last, last.level >= heading.level { path.removeLast() }
            path.append(heading)
            start = heading.start
        }
        sections.append(.init(headings: path.map(\.text), range: start..<length))
        return sections
    }
}
