import Foundation

/// The pages of a PDF document as plain text, in lines as they are printed.
struct PDFPages {
    private var pages: [[String]]

    /// The number of lines at the beginning and at the end of a page that can be running headers and footers.
    private static let margin = 3
    /// The minimum number of pages of a document from which running headers and footers are removed.
    private static let minimumPages = 3

    init(_ pages: [String]) {
        self.pages = pages.map { page in
            PDFWriting.normalized(page).split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// Returns the text of each page as Markdown, without running headers and footers, and with the lines of
    /// each paragraph joined.
    func cleaned() -> [String] {
        let bodies = withoutRunningLines()
        let joiner = ParagraphJoiner(lines: bodies.joined())
        return bodies.map { joiner.text(of: $0) }
    }

    /// Returns the pages without page numbers, running headers and running footers. These are lines that
    /// occur at the same end of at least three pages, and of at least 40% of the pages with text.
    ///
    /// A header stays on the first page with text, because it can be the title of the document.
    private func withoutRunningLines() -> [[String]] {
        guard pages.count >= Self.minimumPages else { return pages }
        var counts: [RunningLine: Int] = [:]
        var numberOffsets: [NumberPosition: Int] = [:]
        for (index, page) in pages.enumerated() {
            let candidates = Self.candidates(in: page)
            for line in Set(candidates.map { RunningLine(page[$0.line], isHeader: $0.isHeader) }) {
                counts[line, default: 0] += 1
            }
            let positions = candidates.compactMap { candidate in
                Self.number(in: page[candidate.line]).map {
                    NumberPosition(offset: $0 - index, isHeader: candidate.isHeader)
                }
            }
            for position in Set(positions) { numberOffsets[position, default: 0] += 1 }
        }
        let filled = pages.count { !$0.allSatisfy(\.isEmpty) }
        let firstPage = pages.firstIndex { !$0.allSatisfy(\.isEmpty) }
        return pages.enumerated().map { index, page in
            let candidates = Self.candidates(in: page)
            // On a slide, all lines can differ only in numbers from those of other slides.
            let isSlide = candidates.count < 2 * Self.margin
            let removed = candidates.filter { candidate in
                let line = page[candidate.line]
                // Headers often differ on even and odd pages, and the first page may have none.
                let running = RunningLine(line, isHeader: candidate.isHeader)
                let repeated = running.isPossible ? counts[running, default: 0] : 0
                if repeated >= 3 && repeated * 5 >= filled * 2 && !(isSlide && running.hasNumber) {
                    return true
                }
                guard let number = Self.number(in: line) else { return false }
                let position = NumberPosition(offset: number - index, isHeader: candidate.isHeader)
                return numberOffsets[position, default: 0] * 2 >= filled
            }
            var lines = Self.outermost(Set(removed.map(\.line)), in: page)
            if index == firstPage {
                lines.subtract(page.indices.filter { !page[$0].isEmpty }.prefix { lines.contains($0) })
            }
            return page.indices.filter { !lines.contains($0) }.map { page[$0] }
        }
    }

    /// Returns the number of a line that contains only a page number, such as `12`, `- 12 -` or `Page 12`;
    /// otherwise `nil`.
    private static func number(in line: String) -> Int? {
        guard line.count <= 24 else { return nil }
        let words = line.split { " -–—|/[]().·".contains($0) }
        let isNamed = words.count == 2 && ["page", "p", "seite", "s"].contains(words[0].lowercased())
        guard words.count == 1 || isNamed else { return nil }
        return Int(words[words.count - 1])
    }

    /// Returns the indexes of the first and last lines of a page that are not empty.
    private static func candidates(in page: [String]) -> [(line: Int, isHeader: Bool)] {
        let filled = page.indices.filter { !page[$0].isEmpty }
        // On a page of few lines, each line counts only once.
        let first = filled.prefix(margin)
        let last = filled.dropFirst(first.count).suffix(margin)
        return first.map { ($0, true) } + last.map { ($0, false) }
    }

    /// Returns the lines that have no other text between them and the edge of the page.
    private static func outermost(_ lines: Set<Int>, in page: [String]) -> Set<Int> {
        let filled = page.indices.filter { !page[$0].isEmpty }
        return Set(filled.prefix { lines.contains($0) } + filled.reversed().prefix { lines.contains($0) })
    }

    /// A line without its digits, so that lines that contain page numbers are equal.
    private struct RunningLine: Hashable {
        let text: String
        let isHeader: Bool
        let hasNumber: Bool
        /// Whether the line may be a running header: it has letters and is not a sentence. Lines without
        /// letters are page numbers, about which `NumberPosition` decides, or values of tables.
        var isPossible: Bool {
            let isSentence = text.split(separator: " ").count > 5 && ".,;:?!".contains(text.last ?? " ")
            return !isSentence && text.count <= 120 && text.contains { $0.isLetter }
        }

        init(_ line: String, isHeader: Bool) {
            let words = line.lowercased().split { $0.isWhitespace }
            let plain = words.joined(separator: " ")
            // Short lines that differ in their numbers are headings, such as "Chapter 3".
            let solid =
                words.count > 2 ? words.map { $0.filter { !$0.isNumber } }.joined(separator: " ") : plain
            text = solid
            hasNumber = solid != plain
            self.isHeader = isHeader
        }
    }

    private struct NumberPosition: Hashable {
        let offset: Int
        let isHeader: Bool
    }
}

/// The direction of writing in PDF documents, and the normalization of ligatures, presentation forms and
/// accents.
enum PDFWriting {
    /// Returns whether the reading order must be computed from the positions: most lines have only one or two
    /// characters, as in vertical writing, or many letters are written from right to left.
    static func needsPositions(_ output: Data) -> Bool {
        let sample = String(decoding: output.prefix(1 << 16), as: UTF8.self)
        var (letters, rightToLeft) = (0, 0)
        for scalar in sample.unicodeScalars where scalar.properties.isAlphabetic {
            letters += 1
            let isHebrewOrArabic = (0x0590...0x08FF).contains(scalar.value)
            let isPresentationForm =
                (0xFB1D...0xFDFF).contains(scalar.value) || (0xFE70...0xFEFF).contains(scalar.value)
            if isHebrewOrArabic || isPresentationForm { rightToLeft += 1 }
        }
        if rightToLeft * 5 > letters { return true }
        let lines = sample.split(whereSeparator: { $0.isNewline || $0 == "\u{C}" })
        let short = lines.count { $0.count <= 2 && $0.contains { !$0.isNumber } }
        return lines.count > 4 && short * 2 > lines.count
    }

    private static let forms: [Unicode.Scalar: String] = [
        "\u{FB00}": "ff", "\u{FB01}": "fi", "\u{FB02}": "fl", "\u{FB03}": "ffi", "\u{FB04}": "ffl",
        "\u{FB05}": "st", "\u{FB06}": "st", "\u{FE10}": "，", "\u{FE11}": "、", "\u{FE12}": "。",
        "\u{FE13}": "：", "\u{FE14}": "；", "\u{FE15}": "！", "\u{FE16}": "？", "\u{FE19}": "…",
        "\u{202A}": "", "\u{202B}": "", "\u{202C}": "", "\u{202D}": "", "\u{202E}": "", "\u{0}": "",
    ]

    /// The letters without a dot that fonts of TeX use below accents.
    private static let dotless: [Unicode.Scalar: Unicode.Scalar] = ["\u{131}": "i", "\u{237}": "j"]

    private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
        (0x300...0x36F).contains(scalar.value)
    }

    /// Returns a text with letters in place of ligatures, ordinary punctuation in place of the forms for
    /// vertical writing, letters with accents in place of letters and accents, and without marks of
    /// direction, so that its words can be found.
    static func normalized(_ text: String) -> String {
        let hasAccents = text.unicodeScalars.contains(where: isAccent)
        guard hasAccents || text.unicodeScalars.contains(where: { forms[$0] != nil }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isAccent(scalar), let last = result.last, let letter = dotless[last] {
                result.removeLast()
                result.append(letter)
            }
            if let form = forms[scalar] {
                result.append(contentsOf: form.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return hasAccents ? String(result).precomposedStringWithCanonicalMapping : String(result)
    }
}
