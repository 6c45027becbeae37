import Foundation

/// Joins the printed lines of a document into paragraphs, and the words that are hyphenated at line ends.
struct ParagraphJoiner {
    /// The words of the document that are not at the end of a line, in lowercase letters. They decide whether
    /// a hyphen at the end of a line belongs to the word.
    private var words: Set<String> = []

    /// The words that rarely begin another word than a compound with a hyphen.
    private static let compoundBeginnings: Set = ["well", "self", "ill", "ex", "half", "quasi", "vice"]
    private static let maximumWords = 500_000
    /// The maximum number of characters of a word before a hyphen at the end of a line.
    private static let maximumWordLength = 100

    init(lines: some Sequence<String>) {
        for line in lines {
            for word in line.split(whereSeparator: { $0.isWhitespace }).dropLast() {
                guard words.count < Self.maximumWords else { return }
                words.insert(Self.core(word))
            }
        }
    }

    /// Returns the text of lines as Markdown. Empty lines separate paragraphs.
    func text(of lines: [String]) -> String {
        lines.split(whereSeparator: \.isEmpty)
            .map { joined(Array($0)) }
            .joined(separator: "\n\n")
    }

    /// Returns the lines of a block of text, joined where a line ends only because of the width of the page.
    private func joined(_ lines: [String]) -> String {
        let widths = lines.map(\.count)
        var output: [String] = []
        var isJoined = [false]
        var current = ""
        for (index, line) in lines.enumerated() {
            if index == 0 {
                current = line
            } else if Self.isContinued(lines[index - 1], by: line, width: Self.width(widths, near: index)) {
                append(line, to: &current)
                isJoined[output.count] = true
            } else {
                output.append(current)
                isJoined.append(false)
                current = line
            }
        }
        output.append(current)
        var text = ""
        for (index, paragraph) in output.enumerated() {
            // Paragraphs of several lines are separated; lists, tables and verses stay together.
            let isWhole = isJoined[index] || index > 0 && isJoined[index - 1]
            if index > 0 { text += isWhole ? "\n\n" : "\n" }
            text += MarkdownText.escaped(paragraph)
        }
        return text
    }

    /// Returns the length of full lines near a line. A title above columns is longer than their lines.
    private static func width(_ widths: [Int], near index: Int) -> Int {
        widths[max(0, index - 4)..<min(widths.count, index + 4)].max() ?? 0
    }

    private static func isContinued(_ line: String, by next: String, width: Int) -> Bool {
        if MarkdownText.beginsListItem(next) { return false }
        if let first = next.first, first.isLowercase { return true }
        if line.hasSuffix("-") || line.hasSuffix("\u{AD}") { return true }
        let isSentenceEnd = line.last.map { ".!?:。！？".contains($0) } ?? false
        // Lines end early only at the end of a paragraph, in lists, in tables and in verses.
        return isSentenceEnd ? line.count * 10 >= width * 8 : line.count * 10 >= width * 6
    }

    private func append(_ line: String, to paragraph: inout String) {
        guard let last = paragraph.last, let first = line.first else {
            paragraph += line
            return
        }
        if last == "\u{AD}" {
            paragraph.removeLast()
        } else if last == "-" || last == "\u{2010}" {
            if isHyphenation(paragraph, line) {
                paragraph.removeLast()
            } else if !Self.isSuspended(paragraph, line) {
                paragraph += line
                return
            } else {
                paragraph += " "
            }
        } else if !(Self.isWithoutSpaces(last) && Self.isWithoutSpaces(first)) {
            paragraph += " "
        }
        paragraph += line
    }

    /// Returns whether the hyphen at the end of a line was inserted to break a word.
    private func isHyphenation(_ paragraph: String, _ line: String) -> Bool {
        // Without a limit, lines of a long word without spaces would be read again for each of them.
        let end = paragraph.dropLast(1).suffix(Self.maximumWordLength)
        let left = end.lastIndex(where: \.isWhitespace).map { end[$0...].dropFirst() } ?? end
        let right = line.prefix { !$0.isWhitespace }
        guard let before = left.last, before.isLetter, let first = right.first, first.isLowercase,
            !Self.isSuspended(paragraph, line)
        else { return false }
        let (solid, hyphenated) = (Self.core(left + right), Self.core(left + "-" + right))
        if words.contains(solid) { return true }
        // "state-of-" and "well-" end within a compound.
        if left.contains("-") || Self.compoundBeginnings.contains(Self.core(left)) { return false }
        return !words.contains(hyphenated)
    }

    /// Returns whether a hyphen stands for a part of a compound that follows later, as in "pre- and postwar".
    private static func isSuspended(_ paragraph: String, _ line: String) -> Bool {
        let next = line.prefix { $0.isLetter }.lowercased()
        return ["and", "or", "und", "oder", "bis", "sowie", "bzw", "to", "en", "of", "och"].contains(next)
            || (paragraph.dropLast(1).last.map { $0.isWhitespace } ?? true)
    }

    /// Returns a word without punctuation around it, in lowercase letters.
    private static func core(_ word: some StringProtocol) -> String {
        word.lowercased().trimmingCharacters(in: .punctuationCharacters)
    }

    /// Returns whether a character belongs to a script that is written without spaces between words.
    private static func isWithoutSpaces(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.first?.value else { return false }
        return (0x2E80...0x9FFF).contains(scalar) || (0xF900...0xFAFF).contains(scalar)
            || (0xFF00...0xFF60).contains(scalar) || (0x20000...0x3FFFF).contains(scalar)
    }
}
