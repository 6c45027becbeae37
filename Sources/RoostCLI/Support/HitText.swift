import Foundation
import Roost

/// The text output for a hit: a line with score, title and location, and an excerpt.
struct HitText {
    /// The number of columns; `nil` for output that is not a terminal, whose lines are not shortened.
    let columns: Int?
    /// Whether the text is styled, if `--color` permits it.
    var isStyled = true

    /// The number of columns of the score and the spaces after it, by which the other lines are indented.
    private static let indentation = 7
    private static let maximumLines = 2
    /// The length of an excerpt that is not shown on a terminal, in bytes.
    private static let unboundedLength = 240

    static let indent = String(repeating: " ", count: indentation)

    // MARK: First line

    /// Returns the line with the score, the title and the headings, the location, and the entry's id.
    func heading(of hit: QueryHit, at byte: Int) -> String {
        let location = hit.entry.location(ofByte: byte)
        let title = EntryTitle.text(of: hit.entry)
        let headings = location.headings.map(EntryTitle.found).filter { $0 != title }
        return heading(
            score: hit.score, title: ([title] + headings).joined(separator: " › "),
            location: Self.path(of: hit.entry, location), id: String(hit.entry.id.text.prefix(8)))
    }

    private static func path(of entry: Entry, _ location: HitLocation) -> String {
        var path = Terminal.line(entry.displayPath, limit: .max)
        if let line = location.line { path += ":\(line)" }
        if let page = location.page { path += ", page \(page)" }
        return path
    }

    /// Returns the headings and the location of a passage.
    static func place(of hit: QueryHit) -> String {
        let location = hit.location
        let title = EntryTitle.text(of: hit.entry)
        let headings = location.headings.map(EntryTitle.found).filter { $0 != title }
        return ((headings.isEmpty ? [title] : headings) + [path(of: hit.entry, location)])
            .filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// Returns a line with a score, a title, a location and an id. The title is shortened first, to at most
    /// half of the columns, and then the beginning of the location.
    func heading(score: Float, title: String, location: String, id: String?) -> String {
        var (title, location) = (title, location)
        if let columns {
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

    // MARK: Excerpt

    private struct Cell {
        var character: Character
        var isHighlighted: Bool
        /// Whether the character is the one around which the excerpt was chosen.
        var isAnchor = false

        var columns: Int { TextWidth.columns(of: character) }
    }

    private var width: Int? { columns.map { max(10, $0 - Self.indentation) } }

    func excerptLength(_ sample: String) -> Int {
        guard let width else { return Self.unboundedLength }
        let start = sample.prefix(400)
        let ratio = Double(start.utf8.count) / Double(max(1, TextWidth.columns(of: start)))
        return max(20, Int(Double(width * Self.maximumLines) * ratio))
    }

    /// Returns whether the heading shows the complete text of an entry, so that an excerpt would repeat it.
    func isComplete(_ entry: Entry) -> Bool {
        let title = EntryTitle.text(of: entry)
        // The text may be long, so only as much of it is compared as is necessary.
        guard title == Terminal.line(entry.content, limit: title.count + 1) else { return false }
        return columns.map { TextWidth.columns(of: title) <= ($0 - Self.indentation) / 3 } ?? true
    }

    func excerpt(_ snippet: Snippet) -> [String] {
        let cells = Self.cells(of: snippet)
        guard !cells.isEmpty else { return [] }
        let isCut = (snippet.isCutBefore, snippet.isCutAfter)
        guard let width else {
            return [Self.indent + (isCut.0 ? "…" : "") + Self.styled(cells) + (isCut.1 ? "…" : "")]
        }
        // If the words wrap into more lines than are shown, those up to the anchor are shown.
        let wrapped = Self.wrapped(cells, width: width - 2)
        let anchor = wrapped.firstIndex { $0.contains(where: \.isAnchor) } ?? 0
        let end = min(wrapped.count, max(anchor + 1, Self.maximumLines))
        let first = max(0, end - Self.maximumLines)
        var lines = wrapped[first..<end].map { Self.styled($0) }
        if isCut.0 || first > 0 { lines[0] = "…" + lines[0] }
        if isCut.1 || end < wrapped.count { lines[lines.count - 1] += "…" }
        return lines.map { Self.indent + $0 }
    }

    private static func cells(of snippet: Snippet) -> [Cell] {
        var byte = 0
        var highlights = snippet.marks[...]
        var cells: [Cell] = []
        var hasSpace = false
        for character in snippet.text {
            while let first = highlights.first, first.upperBound <= byte { highlights.removeFirst() }
            let next = byte + character.utf8.count
            defer { byte = next }
            if character.isWhitespace || isControl(character) {
                hasSpace = !cells.isEmpty
                continue
            }
            if hasSpace { cells.append(Cell(character: " ", isHighlighted: false)) }
            hasSpace = false
            cells.append(
                Cell(
                    character: character, isHighlighted: highlights.first?.contains(byte) ?? false,
                    isAnchor: (byte..<next).contains(snippet.textAnchor)))
        }
        return cells
    }

    private static func isControl(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy { $0.properties.generalCategory == .control }
    }

    /// Breaks a line at spaces, or within a word that is longer than half of a line.
    private static func wrapped(_ cells: [Cell], width: Int) -> [[Cell]] {
        var lines: [[Cell]] = []
        var line: [Cell] = []
        var used = 0
        for cell in cells {
            if used + cell.columns > width {
                let space = line.lastIndex { $0.character == " " }
                let next = space.map { Array(line[($0 + 1)...]) } ?? []
                if let space, next.reduce(0, { $0 + $1.columns }) * 2 <= width {
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

    private static func styled(_ cells: [Cell]) -> String {
        var result = ""
        var rest = cells[...]
        while let first = rest.first {
            let run = rest.prefix { $0.isHighlighted == first.isHighlighted }
            let text = String(run.map(\.character))
            result += first.isHighlighted ? Terminal.highlighted(text) : text
            rest = rest.dropFirst(run.count)
        }
        return result
    }
}
