/// The TeX source of a formula in Markdown.
enum TeXFormula {
    /// The signs before and after a formula in the text of a page.
    private static let delimiters = [("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$"), ("$", "$")]

    /// Returns a formula between dollar signs, in one line; `nil` if the source is empty.
    static func markdown(_ source: String, isDisplay: Bool) -> String? {
        var collapsed = CollapsedText()
        collapsed.append(source)
        var text = collapsed.text[...]
        for (start, end) in delimiters
        where text.hasPrefix(start) && text.hasSuffix(end) && text.utf8.count >= 4 {
            text = trimmed(text.dropFirst(start.count).dropLast(end.count))
            break
        }
        text = withoutStyle(text)
        guard !text.isEmpty else { return nil }
        let formula = separated(text)
        return isDisplay ? " $$\(formula)$$ " : "$\(formula)$"
    }

    /// Returns a text without the delimiters of a formula, and whether they are those of a display formula;
    /// `nil` if it is not enclosed in `\(…\)` or `\[…\]`.
    static func delimited(_ text: String) -> String? {
        let text = trimmed(text[...])
        guard text.utf8.count > 4 else { return nil }
        if text.hasPrefix("\\("), text.hasSuffix("\\)") { return markdown(String(text), isDisplay: false) }
        if text.hasPrefix("\\["), text.hasSuffix("\\]") { return markdown(String(text), isDisplay: true) }
        return nil
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    /// Returns a source without the braces and the command for the size that MediaWiki adds to each formula.
    private static func withoutStyle(_ text: Substring) -> Substring {
        for start in ["{\\displaystyle ", "{\\textstyle "] where text.hasPrefix(start) && text.last == "}" {
            let inner = text.dropFirst(start.count).dropLast()
            var (depth, isEscaped) = (0, false)
            for byte in inner.utf8 {
                if isEscaped || byte == 0x5C {
                    isEscaped = !isEscaped
                    continue
                }
                if byte == 0x7B { depth += 1 }
                if byte == 0x7D { depth -= 1 }
                if depth < 0 { return text }
            }
            return trimmed(inner)
        }
        return text
    }

    /// Returns a source with a space where Markdown would begin a tag or a link to a note. Spaces have no
    /// meaning in formulas.
    private static func separated(_ text: Substring) -> String {
        var result = ""
        var previous: Character = " "
        for character in text {
            let beginsTag = previous == "<" && (character.isLetter || "/?!".contains(character))
            if beginsTag || (previous == "[" && character == "[") { result.append(" ") }
            result.append(character)
            previous = character
        }
        return result
    }
}
