import Foundation

/// The pages of a PDF document as plain text, in lines as they are printed.
struct PDFPages {
    /// The lines of each page.
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
    /// A header stays on the first page with text, because it can be the title of the document, which is
    /// nowhere else.
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
                PageNumber.value(of: page[candidate.line]).map {
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
                guard let number = PageNumber.value(of: line) else { return false }
                let position = NumberPosition(offset: number - index, isHeader: candidate.isHeader)
                return numberOffsets[position, default: 0] * 2 >= filled
            }
            var lines = Self.outermost(Set(removed.map(\.line)), in: page)
            if index == firstPage {
                let top = page.indices.filter { !page[$0].isEmpty }.prefix { lines.contains($0) }
                lines.subtract(top.filter { Self.canBeTitle(page[$0]) })
            }
            return page.indices.filter { !lines.contains($0) }.map { page[$0] }
        }
    }

    /// Returns whether a running header can be the title: it has letters, and neither a number, as the line
    /// `Journal of Gardens 12 (2024)`, nor the end of a sentence, as `Preprint. Under review.`
    private static func canBeTitle(_ line: String) -> Bool {
        let running = RunningLine(line, isHeader: true)
        return running.isPossible && !running.hasNumber && PageNumber.value(of: line) == nil
            && !".,;:".contains(line.last ?? ".")
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
        /// Whether numbers were removed from the line.
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

    /// The difference between a printed page number and the index of its page.
    private struct NumberPosition: Hashable {
        let offset: Int
        let isHeader: Bool
    }
}
