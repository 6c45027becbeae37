import Foundation

/// The lines of a text in LaTeX from `\begin{comment}` to `\end{comment}`, and from a line `\iffalse` to a
/// line `\fi`. LaTeX does not print them.
///
/// Elsewhere in a line, these commands often belong to definitions, such as `\let\ifdraft\iffalse`. Only a
/// program that expands the definitions can tell what they hide, so they are text.
struct LaTeXComments {
    /// The text of the line that ends the current part; `nil` outside of parts.
    private var end: String?
    /// The indexes of the last lines that can end a part. A part without an end is text.
    private let last: [String: Int]

    private static let ends = ["\\begin{comment}": "\\end{comment}", "\\iffalse": "\\fi"]

    init(_ lines: [String]) {
        var last: [String: Int] = [:]
        for (index, line) in lines.enumerated() where line.contains("\\end{comment}") || line.contains("\\fi")
        {
            for end in Self.ends.values where Self.isEnd(line, end) { last[end] = index }
        }
        self.last = last
    }

    /// Returns whether the next line belongs to a part that is not printed.
    ///
    /// - Parameters:
    ///   - line: The line without the comment at its end.
    ///   - index: The index of the line.
    mutating func hides(_ line: String, at index: Int) -> Bool {
        if let end {
            if Self.isEnd(line, end) { self.end = nil }
            return true
        }
        guard line.contains("\\begin{comment}") || line.contains("\\iffalse") else { return false }
        let text = line.trimmingCharacters(in: .whitespaces)
        if text.hasPrefix("\\begin{comment}"), text.hasSuffix("\\end{comment}") { return true }
        guard let end = Self.ends[text], last[end, default: -1] > index else { return false }
        self.end = end
        return true
    }

    private static func isEnd(_ line: String, _ end: String) -> Bool {
        line.trimmingCharacters(in: .whitespaces) == end
    }
}
