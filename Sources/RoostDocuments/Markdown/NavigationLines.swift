import RoostText

/// Hides lines at the beginning and the end of a text that consist only of links to other notes, such as
/// `← Previous | Next →`.
enum NavigationLines {
    /// Words that name the direction of a link, in several languages.
    private static let words: Set<String> = [
        "previous", "prev", "next", "up", "back", "home", "top", "index", "contents", "toc", "parent",
        "start",
        "overview", "menu", "forward", "first", "last", "to", "the", "return", "of", "page", "chapter",
        "part",
        "zurück", "weiter", "vorherige", "vorheriger", "vorheriges", "nächste", "nächster", "nächstes",
        "inhalt",
        "übersicht", "hoch", "oben", "startseite", "vor", "nach", "zum", "zur", "anfang", "seite", "kapitel",
        "précédent", "précédente", "suivant", "suivante", "accueil", "retour", "sommaire", "page",
        "anterior", "siguiente", "inicio", "índice", "precedente", "successivo", "successiva", "indietro",
        "vorige", "volgende", "terug", "前", "次", "戻る", "上一页", "下一页", "返回", "目录",
    ]
    /// Words of ``words`` that do not name a direction by themselves.
    private static let weakWords: Set<String> = [
        "to", "the", "of", "page", "chapter", "part", "zum", "zur", "nach", "vor", "seite", "kapitel",
        "index",
        "first", "last", "start", "overview", "contents", "inhalt", "übersicht",
    ]
    private static let arrows = Set<Unicode.Scalar>("←→↑⬅➡⬆⇐⇒⇦⇨⇧«»‹›◀▶◄►▲⏪⏩⏮⏭⏫↩".unicodeScalars)
    private static let separators = Set<Unicode.Scalar>("|·•/<>»›—–".unicodeScalars)
    /// The maximum number of bytes of a line, and the maximum number of lines at each end.
    private static let (maximumLength, maximumLines) = (600, 6)

    /// Hides the lines at both ends.
    static func hide(
        in scanner: inout InlineScanner, lines: MarkdownLines, blocks: [MarkdownBlock], regions: [Range<Int>]
    ) {
        guard !scanner.links.isEmpty else { return }
        var hidden: Set<Int> = []
        search(blocks.indices.reversed().map { $0 }, fromEnd: true, &scanner, lines, blocks, regions, &hidden)
        search(Array(blocks.indices), fromEnd: false, &scanner, lines, blocks, regions, &hidden)
    }

    private static func search(
        _ order: [Int], fromEnd: Bool, _ scanner: inout InlineScanner, _ lines: MarkdownLines,
        _ blocks: [MarkdownBlock], _ regions: [Range<Int>], _ hidden: inout Set<Int>
    ) {
        var count = 0
        var headings = 0
        for index in order {
            switch blocks[index].kind {
            case .thematicBreak, .html: continue
            case .heading where !fromEnd && headings == 0:
                headings += 1
                continue
            case .paragraph: break
            default: return
            }
            if scanner.bytes.trimmed(regions[index]).isEmpty { continue }
            let numbers = fromEnd ? blocks[index].lines.reversed() : Array(blocks[index].lines)
            for line in numbers {
                let range = lines.trimmedRange(line)
                if range.isEmpty || isCommentOnly(range, scanner) || isImageOnly(range, scanner)
                    || range.upperBound <= regions[index].lowerBound
                {
                    continue
                }
                guard count < maximumLines, !hidden.contains(line), isNavigation(range, scanner) else {
                    return
                }
                scanner.hide(range, .navigation)
                hidden.insert(line)
                count += 1
            }
        }
    }

    private static func isCommentOnly(_ range: Range<Int>, _ scanner: InlineScanner) -> Bool {
        scanner.comments.contains { $0.lowerBound <= range.lowerBound && $0.upperBound >= range.upperBound }
    }

    /// Returns whether a line consists only of images. People add them below the navigation of a template.
    private static func isImageOnly(_ range: Range<Int>, _ scanner: InlineScanner) -> Bool {
        guard range.count <= maximumLength else { return false }
        let images = scanner.links.suffix(from: firstLink(scanner, from: range.lowerBound))
            .prefix { $0.range.lowerBound < range.upperBound }
            .filter { $0.isImage && $0.range.upperBound <= range.upperBound }
        guard !images.isEmpty else { return false }
        return range.allSatisfy { index in
            scanner.bytes[index].isMarkdownSpace || images.contains { $0.range.contains(index) }
        }
    }

    /// Returns whether a line consists only of links, separators and words such as `next`, and either names a
    /// direction or contains several links.
    private static func isNavigation(_ range: Range<Int>, _ scanner: InlineScanner) -> Bool {
        guard range.count <= maximumLength else { return false }
        let links = scanner.links.suffix(from: firstLink(scanner, from: range.lowerBound))
            .prefix { $0.range.lowerBound < range.upperBound }
            .filter { $0.range.upperBound <= range.upperBound && !$0.isImage && !$0.isBare }
        guard !links.isEmpty else { return false }
        var outside = ""
        var start = range.lowerBound
        var namesDirection = false
        for link in links where link.range.lowerBound >= start {
            outside += scanner.bytes.text(start..<link.range.lowerBound) + " \u{1} "
            start = link.range.upperBound
            namesDirection = namesDirection || isDirection(scanner.bytes.text(link.textRange))
        }
        outside += scanner.bytes.text(start..<range.upperBound)
        let tokens = Self.tokens(outside)
        guard tokens.allSatisfy(words.contains) else { return false }
        let scalars = outside.unicodeScalars
        if namesDirection || scalars.contains(where: arrows.contains) { return true }
        if tokens.contains(where: { !weakWords.contains($0) }) { return true }
        let marks = scalars.filter { !$0.properties.isWhitespace && $0 != "\u{1}" }
        return links.count >= 2 && !marks.isEmpty && marks.allSatisfy(separators.contains)
    }

    /// Returns the index of the first link that ends after an offset. The links are in the order of their
    /// ends.
    private static func firstLink(_ scanner: InlineScanner, from offset: Int) -> Int {
        scanner.links.partitioningIndex { $0.range.upperBound > offset }
    }

    /// Returns whether the text of a link names a direction, such as `Next` and `Next: Title`, or begins or
    /// ends with an arrow.
    private static func isDirection(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.filter { !$0.properties.isWhitespace && $0 != "\u{FE0F}" }
        if let first = scalars.first, arrows.contains(first) { return true }
        if let last = scalars.last, arrows.contains(last) { return true }
        let tokens = Self.tokens(text)
        if let first = tokens.first, !weakWords.contains(first), words.contains(first),
            text.contains(":") || tokens.allSatisfy(words.contains)
        {
            return true
        }
        return false
    }

    /// Returns the words of a text in lowercase letters.
    private static func tokens(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
}
