import Foundation

/// The characters that LaTeX writes as commands.
enum LaTeXText {
    /// The combining characters of the accents.
    private static let accents: [Character: Character] = [
        "'": "\u{301}", "`": "\u{300}", "^": "\u{302}", "\"": "\u{308}", "~": "\u{303}", "=": "\u{304}",
        ".": "\u{307}", "u": "\u{306}", "v": "\u{30C}", "H": "\u{30B}", "c": "\u{327}", "k": "\u{328}",
        "r": "\u{30A}", "d": "\u{323}", "b": "\u{331}",
    ]
    private static let symbols = [
        "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å",
        "l": "ł", "L": "Ł", "i": "i", "j": "j", "S": "§", "P": "¶", "ldots": "…", "dots": "…",
        "LaTeX": "LaTeX",
        "TeX": "TeX", "euro": "€", "pounds": "£", "copyright": "©", "textbackslash": "\\", "quad": " ",
        "qquad": " ", "and": ", ", "textendash": "–", "textemdash": "—",
    ]
    /// The commands without arguments that only affect the layout.
    private static let layout: Set = [
        "hline", "toprule", "midrule", "bottomrule", "small", "large", "Large", "footnotesize", "scriptsize",
        "LARGE", "huge", "Huge", "tiny", "normalsize", "bigskip", "medskip", "smallskip",
        "clearpage", "newpage", "noindent", "centering", "appendix", "par", "hfill",
        "vfill", "newline", "linebreak", "bfseries", "itshape", "ttfamily",
        "scshape", "slshape", "sffamily", "rmfamily", "normalfont", "raggedright", "em", "bf", "it", "tt",
        "sc",
        "sl", "sf", "rm",
    ]
    /// The maximum length of the name of a command.
    private static let maximumName = 30

    // A literal in a function would be compiled for each line, which takes longer than its use.
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let accent =
        #/\\(?:(['`^"~=.])\s*|([uvHckrdb])(?=[\s{])\s*)(?:\{\\?([A-Za-z])\}|\\([ij])\b|([A-Za-z]))/#
    // Two backslashes end a line.
    nonisolated(unsafe) private static let spacing = #/\\(?:\\|([-\/@!,;: ]))/#
    nonisolated(unsafe) private static let symbol = #/\\([A-Za-z]+)(?:\{\}|[ \t]+|(?![A-Za-z]))/#

    /// Returns a text with the accents and symbols of commands outside of formulas, and without commands for
    /// the layout.
    ///
    /// - Complexity: O(length of text).
    static func decoded(_ text: String) -> String {
        guard text.contains("\\") else { return text }
        let formulas = text.split(separator: "$", omittingEmptySubsequences: false)
        // An even number of parts means an odd number of signs; the last one is not a formula.
        return formulas.enumerated().map { index, part in
            index % 2 == 0 || index == formulas.count - 1 ? plain(String(part)) : String(part)
        }.joined(separator: "$")
    }

    private static func plain(_ text: String) -> String {
        guard text.contains("\\") else { return text }
        var output = ""
        var rest = text[...]
        for match in text.matches(of: accent) {
            output += text[rest.startIndex..<match.range.lowerBound]
            rest = text[match.range.upperBound...]
            let letter = match.output.3 ?? match.output.4 ?? match.output.5 ?? ""
            let mark = (match.output.1 ?? match.output.2)?.first.flatMap { accents[$0] }
            let accented = String(letter) + (mark.map { String($0) } ?? "")
            appendLetter(accented.precomposedStringWithCanonicalMapping, to: &output, before: &rest)
        }
        return withoutSpacing(withSymbols(output + rest))
    }

    private static func withSymbols(_ text: String) -> String {
        var output = ""
        var rest = text[...]
        for match in text.matches(of: symbol) {
            output += text[rest.startIndex..<match.range.lowerBound]
            rest = text[match.range.upperBound...]
            let name = String(match.output.1)
            if layout.contains(name) {
                // A command between two words, such as `\hfill`, separates them.
                if endsWord(output.last) && beginsWord(rest.first) { output += " " }
            } else {
                appendLetter(symbols[name] ?? String(match.output.0), to: &output, before: &rest)
            }
        }
        return output + rest
    }

    /// Appends a replacement. A letter also replaces the braces around it, as in `Stra{\ss}e`, unless they
    /// enclose the argument of a command.
    private static func appendLetter(_ text: String, to output: inout String, before rest: inout Substring) {
        if text.count == 1, text.allSatisfy(\.isLetter), output.last == "{", rest.first == "}" {
            let name = output.dropLast().suffix(maximumName)
            let last = name.last { !$0.isLetter }
            if last != "\\", name.last.map({ !"]}".contains($0) }) ?? true {
                output.removeLast()
                rest.removeFirst()
            }
        }
        output += text
    }

    /// Returns a text without the commands that only state a space or where a word can be divided.
    private static func withoutSpacing(_ text: String) -> String {
        guard text.contains("\\") else { return text }
        return text.replacing(spacing) { match in
            guard let sign = match.output.1 else { return String(match.output.0) }
            return ",;: ".contains(sign) ? " " : ""
        }
    }

    private static func endsWord(_ character: Character?) -> Bool {
        character.map { !$0.isWhitespace && !"([{&".contains($0) } ?? false
    }

    private static func beginsWord(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber || $0 == "\\" } ?? false
    }
}
