/// The replacement of commands of LaTeX with the text that they show.
enum LaTeXCommands {
    /// The commands that show one argument, and the number of arguments before it, such as a color or a
    /// width.
    private static let argumentsBeforeText = [
        "emph": 0, "textbf": 0, "textit": 0, "texttt": 0, "textsc": 0, "underline": 0, "caption": 0,
        "text": 0, "mbox": 0, "textrm": 0, "textsf": 0, "textsl": 0, "enquote": 0, "uline": 0, "title": 0,
        "textmd": 0, "textup": 0, "textnormal": 0, "hl": 0, "sout": 0, "fbox": 0, "framebox": 0,
        "makebox": 0, "textsuperscript": 0, "textsubscript": 0, "url": 0, "nolinkurl": 0,
        "textcolor": 1, "colorbox": 1, "parbox": 1, "raisebox": 1, "rotatebox": 1, "scalebox": 1,
        "foreignlanguage": 1, "href": 1, "fcolorbox": 2, "resizebox": 2, "multicolumn": 2, "multirow": 2,
    ]
    /// The commands whose argument is no text.
    private static let hidden: Set = ["color", "pagecolor"]

    /// The signs before the opening brace of a group, which is not an argument.
    private static let signsBeforeGroup = Set(" \t([{-~`'/,.;:".utf8)

    /// Returns a text with the text of commands in place of these, also of nested ones, and without the
    /// braces of groups, which are not printed. A command whose arguments do not end in the text stays.
    ///
    /// - Complexity: O(length of text).
    static func replaced(in text: String) -> String {
        let commands = LaTeXArguments(text)
        var edits: [(range: Range<Int>, text: String)] = []
        var position = 0
        while let backslash = commands.backslash(from: position) {
            let name = commands.name(after: backslash)
            // The text of a command is examined too.
            position = max(name.upperBound, min(backslash + 2, commands.bytes.count))
            guard let (removed, end, isHidden) = range(ofCommand: name, in: commands) else { continue }
            position = removed
            if isHidden {
                edits.append((backslash..<removed, ""))
            } else if commands.text(name) == "footnote" {
                var start = backslash
                while start > 0, commands.bytes[start - 1] == UInt8(ascii: " ") { start -= 1 }
                edits += [(start..<removed, " ("), (end..<end + 1, ")")]
            } else {
                edits += [(backslash..<removed, ""), (end..<end + 1, "")]
            }
        }
        for group in groups(in: commands) {
            edits.append((group.lowerBound - 1..<group.lowerBound, ""))
            edits.append((group.upperBound..<group.upperBound + 1, ""))
        }
        return edits.isEmpty ? text : commands.text(applying: edits)
    }

    /// Returns the contents of the groups outside of formulas, such as `{IEEE}`.
    private static func groups(in commands: LaTeXArguments) -> [Range<Int>] {
        var groups: [Range<Int>] = []
        var isFormula = false
        let bytes = commands.bytes
        for (index, byte) in bytes.enumerated() {
            let isEscaped = index > 0 && bytes[index - 1] == UInt8(ascii: "\\")
            if byte == UInt8(ascii: "$"), !isEscaped { isFormula.toggle() }
            guard byte == UInt8(ascii: "{"), !isFormula, !isEscaped else { continue }
            let isGroup =
                index == 0
                || signsBeforeGroup.contains(bytes[index - 1])
                    && (index == 1 || bytes[index - 2] != UInt8(ascii: "\\"))
            if isGroup, let group = commands.argument(at: index) { groups.append(group) }
        }
        return groups
    }

    /// Returns the index of the text of a command, and that of the brace that ends it; `nil` if the command
    /// is another one. A hidden command has no text: both are the index after it.
    private static func range(
        ofCommand name: Range<Int>, in commands: LaTeXArguments
    ) -> (start: Int, end: Int, isHidden: Bool)? {
        // The names of these commands are short. Longer ones need not be copied.
        guard !name.isEmpty, name.count <= 20 else { return nil }
        let command = commands.text(name)
        var index = commands.indexAfterOptions(at: name.upperBound)
        // Without an option, the first arguments of this command form an address.
        if command == "hyperref" {
            guard index > name.upperBound else { return nil }
        } else if hidden.contains(command) {
            guard let argument = commands.argument(at: index) else { return nil }
            let end = commands.indexAfterSpaces(at: argument.upperBound + 1)
            return (end, end, true)
        } else if command != "footnote" {
            guard let count = argumentsBeforeText[command] else { return nil }
            for _ in 0..<count {
                guard let argument = commands.argument(at: index) else { return nil }
                index = commands.indexAfterOptions(at: argument.upperBound + 1)
            }
        }
        return commands.argument(at: index).map { ($0.lowerBound, $0.upperBound, false) }
    }
}
