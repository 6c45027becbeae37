/// The parts of a text in LaTeX between `\begin{comment}` and `\end{comment}`, and between `\iffalse` and
/// `\fi`. LaTeX does not print them.
struct LaTeXComments {
    /// The indexes of the last lines that can end a part. A part without an end is text.
    private let lastEnvironmentEnd: Int
    private let lastConditionEnd: Int
    private var isEnvironment = false
    /// The number of conditions that are open within `\iffalse`, with itself; 0 outside of it.
    private var depth = 0

    /// The names that begin with `if` but need no `\fi`.
    private static let otherNames: Set = ["iff", "ifthenelse"]

    init(_ lines: [String]) {
        lastEnvironmentEnd = lines.lastIndex { $0.contains("\\end{comment}") } ?? -1
        lastConditionEnd = lines.lastIndex { $0.contains("\\fi") } ?? -1
    }

    /// Returns the part of the next line that is not a comment; `nil` if the whole line is a comment.
    ///
    /// - Parameters:
    ///   - line: The line without the comment at its end.
    ///   - index: The index of the line.
    mutating func visiblePart(of line: String, at index: Int) -> String? {
        if isEnvironment {
            isEnvironment = !line.contains("\\end{comment}")
            return nil
        }
        if depth == 0, line.contains("\\begin{comment}"), index <= lastEnvironmentEnd,
            line.drop(while: \.isWhitespace).hasPrefix("\\begin{comment}")
        {
            isEnvironment = !line.contains("\\end{comment}")
            if !isEnvironment || index < lastEnvironmentEnd { return nil }
            isEnvironment = false
        }
        guard depth > 0 || (line.contains("\\iffalse") && index <= lastConditionEnd) else { return line }
        return partOutsideOfConditions(line, at: index)
    }

    private mutating func partOutsideOfConditions(_ line: String, at index: Int) -> String? {
        let commands = LaTeXArguments(line)
        var output = ""
        // The start of the part that is visible, unless a condition is open.
        var (start, position) = (0, 0)
        while let backslash = commands.backslash(from: position) {
            let range = commands.name(after: backslash)
            // A sign after a backslash belongs to it: the second one of `\\` begins no command.
            position = range.isEmpty ? min(backslash + 2, commands.bytes.count) : range.upperBound
            let name = commands.text(range)
            if depth == 0 {
                let hasEnd = index < lastConditionEnd || line.contains("\\fi")
                guard name == "iffalse", hasEnd else { continue }
                output += commands.text(start..<backslash)
                depth = 1
            } else if name == "fi" || (name == "else" && depth == 1) {
                depth -= 1
                start = position
            } else if name.hasPrefix("if"), !Self.otherNames.contains(name) {
                depth += 1
            }
        }
        if depth == 0 { output += commands.text(start..<commands.bytes.count) }
        return output.allSatisfy(\.isWhitespace) ? nil : output
    }
}
