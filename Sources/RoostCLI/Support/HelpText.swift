import ArgumentParser

/// The help of a command, with long lines of lists continued below their texts. ArgumentParser would continue
/// them in the first column.
enum HelpText {
    /// The width of the help if standard output is not a terminal.
    private static let defaultWidth = 80
    /// A width at which no line is wrapped.
    private static let unlimitedWidth = 1_000_000
    /// The minimum number of columns of a continued line. Narrower lists are continued at their beginning.
    private static let minimumTextWidth = 24

    /// Returns a help text of ArgumentParser with an overview that is wrapped again; other texts are returned
    /// unchanged.
    static func formatted(_ text: String, width: Int = Terminal.columns ?? defaultWidth) -> String {
        guard text.hasPrefix("OVERVIEW: "), let usage = text.firstRange(of: "\nUSAGE: roost") else {
            return text
        }
        let line = text[usage.upperBound...].prefix { $0 != "\n" }
        let wide = RoostCommand.helpMessage(for: command(named: line), columns: unlimitedWidth)
        guard let end = wide.firstRange(of: "\nUSAGE: ")?.lowerBound else { return text }
        let lines = wide[..<end].split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { wrapped($0, to: width) }.joined(separator: "\n") + text[usage.lowerBound...]
    }

    /// Returns the command whose names begin a line; the root if there are none.
    private static func command(named line: Substring) -> any ParsableCommand.Type {
        var command: any ParsableCommand.Type = RoostCommand.self
        for word in line.split(separator: " ") {
            let children = command.configuration.subcommands
            guard let child = children.first(where: { $0._commandName == word }) else { break }
            command = child
        }
        return command
    }

    /// Returns a line in several lines of at most `width` characters. An example, which is indented and has
    /// no description, stays on one line, so that it can be copied.
    private static func wrapped(_ line: Substring, to width: Int) -> String {
        guard line.count > width else { return String(line) }
        let indent = line.prefix { $0 == " " }.count
        let term = line.prefixMatch(of: /\ *\S+(?:\ \S+)*\ {2,}(?=\S)/)
        if indent == 2, term == nil { return String(line) }
        var hang = term?.output.count ?? indent
        if width - hang < minimumTextWidth { hang = min(indent + 2, width / 2) }
        var result = String(line.prefix(term?.output.count ?? indent))
        var column = result.count
        var isFirst = true
        for word in line.dropFirst(column).split(separator: " ") {
            if !isFirst, column + 1 + word.count > width {
                result += "\n" + String(repeating: " ", count: hang)
                (column, isFirst) = (hang, true)
            }
            result += (isFirst ? "" : " ") + word
            column += (isFirst ? 0 : 1) + word.count
            isFirst = false
        }
        return result
    }
}
