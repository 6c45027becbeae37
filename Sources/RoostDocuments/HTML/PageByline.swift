import Foundation

/// The author and the dates that a page shows near its title, such as `By Jane Doe | 3 March 2024`.
///
/// Only forms that hardly occur elsewhere are recognized, because a wrong author is worse than none.
struct PageByline {
    /// The name of the author.
    private(set) var author: String?
    /// The date of publication.
    private(set) var published: Date?
    /// The date of the last change.
    private(set) var modified: Date?
    /// The words of the last block if it consists of words before the name of an author.
    private var authorLabel: [Word] = []

    /// The number of blocks before and after the title that are examined.
    private static let (blocksBefore, blocksAfter) = (2, 8)
    /// The maximum number of words of a byline, and the minimum number of words of a paragraph, with which
    /// the text begins.
    private static let (maximumWords, minimumParagraphWords) = (24, 40)
    /// The maximum number of other words in a line with a date.
    private static let maximumOtherWords = 6
    /// The maximum number of lines with dates on a page. More can belong to a list of pages, so that a date
    /// needs the word `published`, or is a line next to the title.
    private static let maximumDates = 3

    /// The words before the name of an author.
    private static let authorWords = [
        "by", "written by", "posted by", "published by", "words by", "text by", "author", "article by",
        "von", "text von", "autor", "autorin", "verfasst von", "veröffentlicht von", "geschrieben von",
        "par", "écrit par", "publié par", "rédigé par", "auteur", "autrice",
        "por", "escrito por", "publicado por", "autora",
    ].map { $0.split(separator: " ").map(String.init) }
    /// The words before a date of publication, and before that of a change.
    private static let publishedWords: Set<String> = [
        "published", "posted", "veröffentlicht", "erschienen", "publié", "publiée", "publicado",
        "publicada",
    ]
    static let modifiedWords: Set<String> = [
        "updated", "modified", "revised", "aktualisiert", "aktualisierung", "geändert",
        "actualisé", "mis", "modifié", "actualizado", "actualizada",
    ]
    /// Words that stand between a name and a date.
    private static let wordsAfterNames: Set<String> = [
        "on", "am", "le", "el", "at", "in", "vom", "den", "published", "posted", "updated", "last",
        "veröffentlicht", "publié", "publicado", "aktualisiert",
    ]
    /// Small words within names.
    private static let particles: Set<String> = [
        "de", "del", "della", "di", "da", "dos", "du", "la", "le", "van", "von", "der", "den", "ter", "zu",
        "y",
        "and", "und", "et", "e", "bin", "al",
    ]
    /// Words of lines that look like names but name no person.
    private static let otherWords: Set<String> = [
        "admin", "administrator", "staff", "team", "editor", "editors", "editorial", "news", "newsroom",
        "desk",
        "press", "redaktion", "the", "our", "your", "company", "inc", "ltd", "llc", "gmbh", "group", "media",
        "magazine", "guest", "contributor", "author", "redacción", "rédaction", "january", "february",
        "march",
        "april", "may", "june", "july", "august", "september", "october", "november", "december", "read",
        "category", "categories", "tags", "comments", "share", "price", "date", "design", "post", "blog",
        "university", "institute", "association", "department", "studio", "studios", "agency", "services",
        "store", "shop", "home", "user", "support", "community", "foundation", "center", "centre", "law",
    ]

    /// Reads the lines near the title of a page.
    ///
    /// - Parameters:
    ///   - blocks: The blocks of the page, in order.
    ///   - title: The title of the page.
    init(_ blocks: [HTMLBlock], in tree: HTMLTree, title: String?) {
        guard let position = Self.position(ofTitle: title, blocks, tree) else { return }
        let dates = blocks.count { block in
            block.counts.words <= Self.maximumWords
                && VisibleDate.first(in: Self.words(of: block.text).map(\.text)) != nil
        }
        let isList = dates > Self.maximumDates
        for index in max(0, position - Self.blocksBefore)..<position {
            read(blocks[index], in: tree, isList: isList, isNext: index + 1 == position)
        }
        for index in blocks.indices[(position + 1)...].prefix(Self.blocksAfter) {
            let block = blocks[index]
            let isHeading = ["h1", "h2", "h3"].contains(tree.nodes[block.container].tag)
            guard !isHeading, block.counts.words < Self.minimumParagraphWords else { break }
            read(block, in: tree, isList: isList, isNext: index == position + 1)
        }
        author = author ?? Self.firstUser(after: position, blocks, tree)
    }

    /// The classes of the elements with the names of users, which programs for forums use.
    private static let userClasses: Set<Substring> = ["username", "bigusername"]
    /// The maximum number of characters of the name of a user.
    private static let maximumUserLength = 40

    /// The ends of texts before the name of the user who reads the page.
    private static let greetings = [
        "logged in as", "signed in as", "welcome", "welcome back", "hello", "hi", "angemeldet als",
        "eingeloggt als", "willkommen", "hallo", "connecté en tant que", "bienvenue", "bonjour",
        "conectado como", "bienvenido", "hola",
    ].map { $0.split(separator: " ").map(String.init) }

    /// The number of characters before a user in which a greeting is searched for.
    private static let maximumGreetingLength = 100

    /// Returns the name of the user who began the thread of a forum: the first one between the title and the
    /// first long paragraph, or in the first few blocks of a page without long paragraphs. Returns `nil` if
    /// no user is named there. The users after the text of an article wrote comments.
    private static func firstUser(
        after position: Int, _ blocks: [HTMLBlock], _ tree: HTMLTree
    ) -> String? {
        let following = blocks[(position + 1)...]
        let paragraph = following.first { $0.counts.words >= minimumParagraphWords }
        let end = (paragraph ?? following.dropFirst(blocksAfter).first)?.texts.first ?? tree.nodes.count
        let heading = blocks[position].container
        var (index, textBefore) = (heading, "")
        while index < end {
            let node = tree.nodes[index]
            if node.isText, index >= tree.nodes[heading].end, !node.text.allSatisfy(\.isWhitespace) {
                textBefore = node.text
            }
            if isComment(node) {
                index = node.end
                continue
            }
            let classes = node.attribute("class")?.split(whereSeparator: \.isWhitespace) ?? []
            if classes.contains(where: userClasses.contains) {
                let words = words(of: String(textBefore.suffix(maximumGreetingLength))).map {
                    $0.text.lowercased()
                }
                guard greetings.contains(where: { words.suffix($0.count) == $0[...] }) else {
                    let name = tree.text(of: index)
                    return isUser(name) ? name : nil
                }
                (index, textBefore) = (node.end, "")
            } else {
                index += 1
            }
        }
        return nil
    }

    /// Returns whether an element contains comments on the page.
    private static func isComment(_ node: HTMLTree.Node) -> Bool {
        HTMLMetadata.isResponse(node)
            || ["class", "id"].contains { node.attribute($0)?.lowercased().contains("comment") ?? false }
    }

    private static func isUser(_ name: String) -> Bool {
        (1...maximumUserLength).contains(name.count) && HTMLMetadata.isName(name)
            && !name.lowercased().split(whereSeparator: \.isWhitespace).contains {
                otherWords.contains(String($0))
            }
    }

    /// Returns the element of the main heading that has the text of the title; else the only heading of the
    /// first level; `nil` if there are several or none.
    static func heading(withTitle title: String?, _ blocks: [HTMLBlock], _ tree: HTMLTree) -> Int? {
        position(ofTitle: title, blocks, tree).map { blocks[$0].container }
    }

    /// Returns the index of the block of the main heading that has the text of the title.
    private static func position(ofTitle title: String?, _ blocks: [HTMLBlock], _ tree: HTMLTree) -> Int? {
        guard let title, !title.isEmpty else { return nil }
        let headings = blocks.indices.filter { index in
            let container = blocks[index].container
            return tree.nodes[container].tag == "h1"
                || tree.ancestors(of: container).prefix(3).contains { tree.nodes[$0].tag == "h1" }
        }
        let folded = title.lowercased()
        return headings.first { blocks[$0].text.lowercased() == folded }
            ?? (headings.count == 1 ? headings[0] : nil)
    }

    // MARK: Lines

    /// A word of a line.
    private struct Word {
        /// The word without signs at its ends.
        var text: String
        /// Whether a sign such as a comma or a bar follows.
        var endsPart: Bool
    }

    private static func words(of text: String) -> [Word] {
        var words: [Word] = []
        for part in text.split(whereSeparator: \.isWhitespace).prefix(2 * maximumWords) {
            let word = part.drop { !$0.isLetter && !$0.isNumber }
            guard let end = word.lastIndex(where: { $0.isLetter || $0.isNumber }) else {
                if !words.isEmpty { words[words.count - 1].endsPart = true }
                continue
            }
            let rest = word[word.index(after: end)...]
            let isInitial = word[...end].count == 1 && word[end].isLetter && rest.first == "."
            words.append(
                Word(text: word[...end] + (isInitial ? "." : ""), endsPart: rest.contains { $0 != "." }))
        }
        return words
    }

    private mutating func read(_ block: HTMLBlock, in tree: HTMLTree, isList: Bool, isNext: Bool) {
        // Some pages show the word before the name in a block of its own, directly before that of the name.
        let label = authorLabel
        authorLabel = []
        guard block.counts.words <= Self.maximumWords else { return }
        // A name is within one element, which a line about the person can follow.
        let own = block.texts.flatMap { index in
            var words = Self.words(of: tree.nodes[index].text)
            if !words.isEmpty { words[words.count - 1].endsPart = true }
            return words
        }
        let words = label + own
        if Self.authorWords.contains(own.map { $0.text.lowercased() }) { authorLabel = own }
        guard !words.isEmpty, words.count <= Self.maximumWords else { return }
        let name = Self.name(in: words)
        if author == nil, let name { author = words[name].map(\.text).joined(separator: " ") }
        readDates(
            words.map(\.text), nameLength: name.map { $0.upperBound } ?? 0, isList: isList, isNext: isNext)
    }

    /// Returns whether a line begins with a date and a word such as `by`, perhaps before a name that is not
    /// recognized.
    private static func beginsWithDateAndAuthorWord(_ words: [String]) -> Bool {
        let lowercased = words.map { $0.lowercased() }
        let first = startAfterDate(lowercased)
        return first > 0 && authorWords.contains { lowercased[first...].starts(with: $0) }
    }

    /// Reads the dates of a line that consists of them, of a name, and of a few other words.
    private mutating func readDates(
        _ words: [String], nameLength: Int, isList: Bool, isNext: Bool
    ) {
        var rest = words[...]
        var others = words.count - nameLength
        var found: [(date: Date, isModified: Bool, isMarked: Bool)] = []
        while found.count < 2, let (date, range) = VisibleDate.first(in: Array(rest)) {
            let before = rest.prefix(range.lowerBound).map { $0.lowercased() }
            let isModified = before.contains(where: Self.modifiedWords.contains)
            found.append(
                (date, isModified, isModified || before.contains(where: Self.publishedWords.contains)))
            others -= range.count
            rest = rest.dropFirst(range.upperBound)
        }
        guard others <= Self.maximumOtherWords else { return }
        let isByline = nameLength > 0 || others <= 3 || Self.beginsWithDateAndAuthorWord(words)
        let isTypical = !isList && isByline || isNext && others == 0
        for item in found where item.isMarked || isTypical {
            if item.isModified {
                modified = modified ?? item.date
            } else {
                published = published ?? item.date
            }
        }
    }

    /// The words that can come between a date and the name of an author: those of a time.
    private static let timeWords: Set<String> = ["at", "am", "pm", "um", "uhr", "à", "a", "las"]

    /// Returns the index of the word after a date with which a line begins, such as `Posted on 3 March 2024
    /// at 10:15`; 0 for other lines.
    private static func startAfterDate(_ lowercased: [String]) -> Int {
        guard let (_, range) = VisibleDate.first(in: lowercased),
            lowercased[..<range.lowerBound].allSatisfy({
                publishedWords.contains($0) || wordsAfterNames.contains($0)
            })
        else { return 0 }
        let rest = lowercased[range.upperBound...]
        return rest.firstIndex { !timeWords.contains($0) && $0.first?.isNumber != true } ?? 0
    }

    /// Returns the range of the name of an author in a line that begins with it, perhaps after a date.
    private static func name(in words: [Word]) -> Range<Int>? {
        let lowercased = words.map { $0.text.lowercased() }
        let first = startAfterDate(lowercased)
        let prefix = authorWords.filter { lowercased[first...].starts(with: $0) }.max { $0.count < $1.count }
        guard let prefix else { return nil }
        let start = first + prefix.count
        var end = start
        while end < words.count, end - start < 6 {
            let text = words[end].text
            let isPart = isNamePart(text) || (end > start && particles.contains(lowercased[end]))
            guard isPart else { break }
            end += 1
            if words[end - 1].endsPart { break }
        }
        while end > start, particles.contains(lowercased[end - 1]) { end -= 1 }
        guard (2...5).contains(end - start),
            !(start..<end).contains(where: { otherWords.contains(lowercased[$0]) }),
            words[start..<end].contains(where: { $0.text.count > 2 })
        else { return nil }
        // A sentence continues; a byline ends, or a date follows.
        let isEnd =
            end == words.count || words[end - 1].endsPart || wordsAfterNames.contains(lowercased[end])
            || VisibleDate.first(in: words[end...].prefix(3).map(\.text))?.range.lowerBound == 0
        return isEnd ? start..<end : nil
    }

    /// Returns whether a word can be a part of a name: a capital, followed by small letters or a full stop.
    private static func isNamePart(_ word: String) -> Bool {
        guard let first = word.first, first.isUppercase, MonthName.number(word.lowercased()) == nil else {
            return false
        }
        if word.count == 1 || word.count == 2 && word.hasSuffix(".") { return true }
        return word.contains(where: \.isLowercase)
            && word.allSatisfy { $0.isLetter || "'’-.".contains($0) }
    }
}
