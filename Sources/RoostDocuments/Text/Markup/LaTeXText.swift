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
        "scshape", "slshape", "sffamily", "rmfamily", "normalfont", "raggedright",
    ]

    // A literal in a function would be compiled for each line, which takes longer than its use.
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let accent =
        #/\\(?:(['`^"~=.])\s*|([uvHckrdb])(?=[\s{])\s*)(?:\{\\?([A-Za-z])\}|\\([ij])\b|([A-Za-z]))/#
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
        let accented = text.replacing(accent) { match in
            let output = match.output
            let letter = output.3 ?? output.4 ?? output.5 ?? ""
            let mark = (output.1 ?? output.2)?.first.flatMap { accents[$0] }
            return (String(letter) + (mark.map { String($0) } ?? "")).precomposedStringWithCanonicalMapping
        }
        var output = ""
        var rest = accented[...]
        for match in accented.matches(of: symbol) {
            output += accented[rest.startIndex..<match.range.lowerBound]
            rest = accented[match.range.upperBound...]
            let name = String(match.output.1)
            if layout.contains(name) {
                // A command between two words, such as `\hfill`, separates them.
                if endsWord(output.last) && beginsWord(rest.first) { output += " " }
            } else {
                output += symbols[name] ?? String(match.output.0)
            }
        }
        return output + rest
    }

    private static func endsWord(_ character: Character?) -> Bool {
        character.map { !$0.isWhitespace && !"([{&".contains($0) } ?? false
    }

    private static func beginsWord(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber || $0 == "\\" } ?? false
    }
}
