/// Finds the rules of style sheets. Their names are the selectors.
enum SelectorOutline {
    private static let maximumLength = 80
    /// The signs before the brace of a variable in a selector: `.#{$name}` in Sass and `.@{name}` in Less.
    private static let interpolationMarks = Array("#@".utf8)

    /// Returns the top-level rules of a style sheet, which include their nested rules.
    static func declarations(_ lines: CodeLines) -> [CodeDeclaration] {
        var result: [CodeDeclaration] = []
        var (start, depth, interpolations) = (0, 0, 0)
        var header: Range<Int>?
        for (index, byte) in lines.mask.enumerated() {
            switch byte {
            case UInt8(ascii: "{") where index > 0 && interpolationMarks.contains(lines.mask[index - 1]):
                interpolations += 1
            case UInt8(ascii: "}") where interpolations > 0: interpolations -= 1
            case UInt8(ascii: "{"):
                if depth == 0 { header = start..<index }
                depth += 1
            case UInt8(ascii: "}"):
                depth = max(0, depth - 1)
                guard depth == 0, let range = header else { continue }
                let name = name(String(decoding: lines.mask[range], as: UTF8.self))
                if !name.isEmpty {
                    result.append(CodeDeclaration(name: name, range: firstByte(range, lines)..<(index + 1)))
                }
                header = nil
                start = index + 1
            case UInt8(ascii: ";") where depth == 0: start = index + 1
            default: break
            }
        }
        return result
    }

    /// Returns the selector in the text before a rule, without the comments of Sass and Less.
    private static func name(_ text: String) -> String {
        let selector = text.split(separator: "\n").filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }
        return String(MarkdownText.singleLine(selector.joined(separator: " ")).prefix(maximumLength))
    }

    /// Returns the offset of the comment or selector with which a rule begins.
    private static func firstByte(_ range: Range<Int>, _ lines: CodeLines) -> Int {
        lines.source[range].firstIndex { $0 > 0x20 } ?? range.lowerBound
    }
}
