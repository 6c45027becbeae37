import Foundation
import Roost
import RoostDocuments

/// The text output for a hit: a line with score, title and location, and an excerpt.
struct HitText {
    /// The number of columns; `nil` for output that is not a terminal, whose lines are not shortened.
    let columns: Int?
    /// Whether the text is styled, if `--color` permits it.
    var isStyled = true

    /// The number of columns of the score and the spaces after it, by which the other lines are indented.
    private static let indentation = 7
    /// The minimum number of columns in which the id of the entry is shown.
    private static let minimumColumnsWithID = 30
    /// The maximum number of lines of an excerpt from prose.
    private static let proseLines = 2
    /// The maximum number of lines of an excerpt from code.
    private static let codeLines = 5
    /// The maximum length of an excerpt from prose, or of a line of code, that is not shown on a terminal: in
    /// bytes and columns.
    private static let unboundedLength = 240

    private static let indent = String(repeating: " ", count: indentation)

    // MARK: First line

    /// Returns the line with the score, the title and the headings, the location, and the entry's id.
    func heading(of hit: QueryHit, at byte: Int) -> String {
        let location = hit.entry.location(ofByte: byte)
        let title = EntryTitle.text(of: hit.entry)
        let headings = location.headings.map(EntryTitle.found).filter { $0 != title }
        return heading(
            score: hit.score, title: ([title] + headings).joined(separator: " › "),
            location: Self.text(of: location, displayPath: hit.entry.displayPath),
            id: String(hit.entry.id.text.prefix(8)))
    }

    /// Returns a line with a score, a title, a location and an id. The title is shortened first, to at most
    /// half of the columns, and then the beginning of the location.
    func heading(score: Float, title: String, location: String, id: String?) -> String {
        var (title, location, id) = (title, location, id)
        if let columns {
            if columns < Self.minimumColumnsWithID { id = nil }
            let available = max(8, columns - Self.indentation - (id.map { $0.count + 2 } ?? 0) - 2)
            let minimumTitle = min(TextWidth.columns(of: title), available / 2)
            location = TextWidth.shortenedAtStart(location, to: available - minimumTitle)
            title = TextWidth.shortened(title, to: available - TextWidth.columns(of: location))
        }
        func bold(_ text: String) -> String { isStyled ? Terminal.bold(text) : text }
        func dim(_ text: String) -> String { isStyled ? Terminal.dim(text) : text }
        let parts = [bold(title), location, id.map(dim) ?? ""].filter { !$0.isEmpty }
        return "\(bold(Terminal.score(score)))  " + parts.joined(separator: "  ")
    }

    private static func text(of location: HitLocation, displayPath: String) -> String {
        var text = Terminal.line(displayPath, limit: .max)
        if let line = location.line { text += ":\(line)" }
        if let page = location.page { text += ", page \(page)" }
        return text
    }

    // MARK: Excerpt

    /// A character of an excerpt.
    private struct Cell {
        var character: Character
        var columns: Int
        var isHighlighted: Bool
        /// Whether the character is the one around which the excerpt was chosen.
        var isAnchor = false

        static let ellipsis = Cell(character: "…", columns: 1, isHighlighted: false)
    }

    /// The number of columns of the lines of an excerpt.
    private var width: Int? { columns.map { max(10, $0 - Self.indentation) } }

    /// Returns the approximate length of the excerpt that fits on the terminal, in bytes.
    ///
    /// - Parameter sample: A part of the text from which the number of bytes per column is estimated.
    func excerptLength(_ sample: String) -> Int {
        guard let width else { return Self.unboundedLength }
        let start = sample.prefix(400)
        let ratio = Double(start.utf8.count) / Double(max(1, TextWidth.columns(of: start)))
        return max(20, Int(Double(width * Self.proseLines) * ratio))
    }

    /// Returns whether the heading shows the complete text of an entry, so that an excerpt would repeat it.
    func isComplete(_ entry: Entry) -> Bool {
        let title = EntryTitle.text(of: entry)
        // The text may be long, so only as much of it is compared as is necessary.
        guard title == Terminal.line(entry.content, limit: title.count + 1) else { return false }
        return columns.map { TextWidth.columns(of: title) <= ($0 - Self.indentation) / 3 } ?? true
    }

    /// Returns the lines of an excerpt with its words highlighted. The lines of code are kept; other text is
    /// wrapped.
    func excerpt(_ snippet: Snippet, of entry: Entry) -> [String] {
        let byte = snippet.anchor
        if let block = Self.code(around: byte, of: entry) {
            return code(in: block, around: byte, snippet.highlights, of: entry.content)
        }
        let range = Self.prose(around: byte, in: snippet.utf8Range, of: entry.content)
        // Headings are in the first line already, so the code that follows them tells more.
        if range.upperBound < snippet.utf8Range.upperBound,
            Self.consistsOfHeadings(range, of: entry.content),
            let start = Self.lineEnd(from: range.upperBound, in: entry.content),
            let block = Self.code(around: start, of: entry), !block.isEmpty
        {
            return code(in: block, around: start, snippet.highlights, of: entry.content)
        }
        let start = min(HeadingPath.bodyStart(of: entry.content), range.lowerBound)
        let isCut = (
            Self.hasText(in: start..<range.lowerBound, of: entry.content),
            Self.hasText(
                in: range.upperBound..<max(range.upperBound, entry.content.utf8.count), of: entry.content)
        )
        let shown = Self.withoutKnownHeadings(range, around: byte, of: entry)
        var cells = Self.withoutComments(shown, snippet.highlights, of: entry).flatMap {
            self.cells(of: $0, snippet.highlights, in: entry.content, anchor: byte)
        }
        cells = Self.collapsed(cells)
        if isCut.0 { cells.insert(.ellipsis, at: 0) }
        guard let width else { return [Self.indent + Self.styled(cells + (isCut.1 ? [.ellipsis] : []))] }
        // If the words wrap into more lines than are shown, those up to the anchor are shown.
        let wrapped = Self.wrapped(cells, width: width - 1)
        let anchor = wrapped.firstIndex { $0.contains(where: \.isAnchor) } ?? 0
        let end = min(wrapped.count, max(anchor + 1, Self.proseLines))
        let first = max(0, end - Self.proseLines)
        var lines = Array(wrapped[first..<end])
        if first > 0, !lines.isEmpty { lines[0].insert(.ellipsis, at: 0) }
        if isCut.1 || end < wrapped.count, !lines.isEmpty { lines[lines.count - 1].append(.ellipsis) }
        return lines.map { Self.indent + Self.styled($0) }
    }

    /// Returns whether a part of a text has only headings with number signs, and at least one.
    private static func consistsOfHeadings(_ range: Range<Int>, of content: String) -> Bool {
        let lines = content.utf8.prefix(range.upperBound).dropFirst(range.lowerBound)
            .split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
            .filter { line in line.contains { $0 > UInt8(ascii: " ") } }
        return !lines.isEmpty && lines.allSatisfy { $0.first == UInt8(ascii: "#") }
    }

    /// Returns a part of a text without the headings at its beginning that the first line of the hit shows.
    /// A part without other text is returned unchanged.
    private static func withoutKnownHeadings(
        _ range: Range<Int>, around byte: Int, of entry: Entry
    ) -> Range<Int> {
        let known = Set(
            [EntryTitle.text(of: entry)] + entry.location(ofByte: byte).headings.map(EntryTitle.found))
        var start = range.lowerBound
        let part = entry.content.utf8.prefix(range.upperBound).dropFirst(start)
        for line in part.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if line.contains(where: { $0 > UInt8(ascii: " ") }) {
                let title = TextTitle.title(of: String(Substring(line)), as: entry.titleForm)
                guard line.first == UInt8(ascii: "#"), let title, known.contains(EntryTitle.found(title))
                else { return start..<range.upperBound }
            }
            start += line.count + 1
        }
        return range
    }

    /// Returns the offset after the line with a byte; `nil` if it is the last line.
    private static func lineEnd(from byte: Int, in content: String) -> Int? {
        let rest = content.utf8.dropFirst(byte)
        return rest.firstIndex(of: UInt8(ascii: "\n")).map {
            byte + rest.distance(from: rest.startIndex, to: $0) + 1
        }
    }

    /// Returns whether a part of a text contains more than white space and the number signs of headings.
    private static func hasText(in range: Range<Int>, of content: String) -> Bool {
        content.utf8.prefix(range.upperBound).dropFirst(range.lowerBound).contains {
            $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: "#")
        }
    }

    /// Returns the cells of a part of a text. Characters that a terminal would interpret are replaced when
    /// the cells are written.
    private func cells(
        of range: Range<Int>, _ highlights: [Range<Int>], in content: String, anchor: Int = -1
    ) -> [Cell] {
        let utf8 = content.utf8
        let first = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        let text = content[first..<utf8.index(first, offsetBy: range.count)]
        var byte = range.lowerBound
        var rest = highlights[...]
        return text.map { character in
            while let first = rest.first, first.upperBound <= byte { rest.removeFirst() }
            let isHighlighted = rest.first?.contains(byte) ?? false
            let start = byte
            byte += character.utf8.count
            return Cell(
                character: character, columns: TextWidth.columns(of: character),
                isHighlighted: isHighlighted, isAnchor: (start..<byte).contains(anchor))
        }
    }

    /// Returns the parts of a range that are not in comments, except comments with matching words. A range
    /// without other text is returned unchanged.
    private static func withoutComments(
        _ range: Range<Int>, _ highlights: [Range<Int>], of entry: Entry
    ) -> [Range<Int>] {
        guard entry.content.contains("<!--") || entry.content.contains("%%") else { return [range] }
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        for comment in TextTreatment(of: entry).structure.hiddenParts where comment.kind == .comment {
            let hidden = comment.range.clamped(to: start..<max(start, range.upperBound))
            guard !hidden.isEmpty, !highlights.contains(where: { $0.overlaps(hidden) }) else { continue }
            parts.append(start..<hidden.lowerBound)
            start = hidden.upperBound
        }
        parts.append(start..<max(start, range.upperBound))
        return parts.contains { hasText(in: $0, of: entry.content) } ? parts : [range]
    }

    /// Returns the part of an excerpt between the code blocks before and after a byte outside of them.
    private static func prose(around byte: Int, in range: Range<Int>, of content: String) -> Range<Int> {
        var (lower, upper) = (range.lowerBound, range.upperBound)
        var start = range.lowerBound
        let excerpt = content.utf8.prefix(range.upperBound).dropFirst(range.lowerBound)
        for line in excerpt.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let next = start + line.count + 1
            if line.starts(with: "```".utf8) || line.starts(with: "~~~".utf8) {
                if start > byte {
                    upper = start
                    break
                }
                if next <= byte { lower = next }
            }
            start = next
        }
        return lower..<upper
    }

    /// Replaces white space and control characters with single spaces, and removes them at the ends. The
    /// number signs of headings are removed, but not those of words such as `#include`.
    private static func collapsed(_ cells: [Cell]) -> [Cell] {
        var result: [Cell] = []
        var isSpace = false
        var isLineStart = true
        var rest = cells[...]
        while let cell = rest.first {
            if isLineStart, cell.character == "#" {
                let marks = rest.prefix { $0.character == "#" }
                rest = rest.dropFirst(marks.count)
                isLineStart = false
                if rest.first?.character.isWhitespace ?? true { continue }
                if isSpace { result.append(Cell(character: " ", columns: 1, isHighlighted: false)) }
                isSpace = false
                result += marks
                continue
            }
            rest.removeFirst()
            isLineStart = cell.character.isNewline
            if cell.character.isWhitespace || isControl(cell.character) {
                isSpace = !result.isEmpty
                continue
            }
            if isSpace { result.append(Cell(character: " ", columns: 1, isHighlighted: false)) }
            isSpace = false
            result.append(cell)
        }
        return result
    }

    private static func isControl(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy { $0.properties.generalCategory == .control }
    }

    /// Breaks a line at spaces, or within a word that is longer than a line.
    private static func wrapped(_ cells: [Cell], width: Int) -> [[Cell]] {
        var lines: [[Cell]] = []
        var line: [Cell] = []
        var used = 0
        for cell in cells {
            if used + cell.columns > width {
                // Text without spaces breaks anywhere.
                let space = line.lastIndex { $0.character == " " }
                let next = space.map { Array(line[($0 + 1)...]) } ?? []
                let isLong = next.reduce(0) { $0 + $1.columns } * 2 > width
                if let space, !isLong {
                    lines.append(Array(line[..<space]))
                    line = next
                } else {
                    lines.append(line)
                    line = []
                }
                used = line.reduce(0) { $0 + $1.columns }
                if line.isEmpty, cell.character == " " { continue }
            }
            line.append(cell)
            used += cell.columns
        }
        return lines + (line.isEmpty ? [] : [line])
    }

    /// The number of bytes before and after a byte of code that are shown at most. Some programs write code
    /// with all of a file on one line.
    private static let maximumCode = 2000

    /// Returns the part of the code around a byte that may be shown; `nil` if the byte is not in code. A file
    /// of source code is one block.
    private static func code(around byte: Int, of entry: Entry) -> Range<Int>? {
        var content = entry.content
        let block: Range<Int>
        if case .code = entry.textFormat {
            block = 0..<content.utf8.count
        } else if let found = CodeBlock.range(containing: byte, in: content) {
            block = found
        } else {
            return nil
        }
        return content.withUTF8 { utf8 in
            var lower = max(block.lowerBound, byte - maximumCode)
            var upper = min(block.upperBound, byte + maximumCode)
            // The ends are moved to the boundaries of characters.
            while lower > block.lowerBound, utf8[lower] & 0xC0 == 0x80 { lower -= 1 }
            while upper < block.upperBound, utf8[upper] & 0xC0 == 0x80 { upper += 1 }
            return lower..<max(lower, upper)
        }
    }

    /// Returns the lines of code around a byte, without their common indentation.
    private func code(
        in block: Range<Int>, around byte: Int, _ highlights: [Range<Int>], of content: String
    ) -> [String] {
        let isLineStart = content.utf8.prefix(block.lowerBound).last.map { $0 == UInt8(ascii: "\n") } ?? true
        var lines = [isLineStart ? [] : [Cell.ellipsis]]
        var current = 0
        var offset = block.lowerBound
        for cell in cells(of: block, highlights, in: content) {
            if offset <= byte { current = lines.count - 1 }
            offset += cell.character.utf8.count
            if cell.character.isNewline {
                lines.append([])
            } else if cell.character == "\t" {
                lines[lines.count - 1] += Array(
                    repeating: Cell(character: " ", columns: 1, isHighlighted: false), count: 4)
            } else {
                lines[lines.count - 1].append(cell)
            }
        }
        let end = min(lines.count, max(0, current - 1) + Self.codeLines)
        var shown = lines[max(0, min(current - 1, end - Self.codeLines))..<end]
        func isBlank(_ line: [Cell]) -> Bool { line.allSatisfy { $0.character == " " } }
        while let last = shown.last, shown.count > 1, isBlank(last) { shown.removeLast() }
        while let first = shown.first, shown.count > 1, isBlank(first) { shown.removeFirst() }
        let common =
            shown.filter { !isBlank($0) }.map { $0.prefix { $0.character == " " }.count }.min() ?? 0
        return shown.map { line in
            let cells = Array(line.dropFirst(common))
            return Self.indent + Self.styled(Self.cut(cells, to: width ?? Self.unboundedLength))
        }
    }

    /// Returns a part of a line that fits into `width` columns and contains the first highlight.
    private static func cut(_ cells: [Cell], to width: Int) -> [Cell] {
        guard cells.reduce(0, { $0 + $1.columns }) > width else { return cells }
        var start = 0
        if let first = cells.firstIndex(where: \.isHighlighted),
            cells[...first].reduce(0, { $0 + $1.columns }) > width * 3 / 4
        {
            start = max(0, first - width / 3)
        }
        var result = start > 0 ? [Cell.ellipsis] : []
        var used = result.count
        for cell in cells[start...] {
            if used + cell.columns > width - 1 { return result + [.ellipsis] }
            result.append(cell)
            used += cell.columns
        }
        return result
    }

    private static func styled(_ cells: [Cell]) -> String {
        var (result, run) = ("", "")
        var isHighlighted = false
        func end() {
            result += isHighlighted ? Terminal.highlighted(run) : run
            run = ""
        }
        for cell in cells {
            if cell.isHighlighted != isHighlighted {
                end()
                isHighlighted = cell.isHighlighted
            }
            run.append(cell.character)
        }
        end()
        return result
    }
}
