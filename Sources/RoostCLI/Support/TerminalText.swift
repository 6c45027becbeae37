import Foundation

/// Removes everything from a text that a terminal would interpret instead of showing it.
///
/// Texts come from files, stores and servers. Control characters in them could move the cursor, change the
/// title or the clipboard, forge lines of output, or reorder text so that it reads differently.
/// ``Terminal`` passes all its output through ``rendered(_:keepingLines:)``.
enum TerminalText {
    /// A style of text that ``Terminal`` can show.
    enum Style: Character {
        case bold = "1"
        case dim = "2"
        case highlight = "3"

        /// The parameters of the escape sequence that begins the style.
        var parameters: String {
            switch self {
            case .bold: "1"
            case .dim: "2"
            case .highlight: "1;33"
            }
        }
    }

    /// A number that no text can contain on purpose. It distinguishes the styles that this process adds from
    /// escape sequences in a text.
    private static let token = String(UInt64.random(in: .min ... .max), radix: 16)
    private static let mark = "\u{1B}\(token);"

    /// The maximum number of Unicode scalars in one character. Real characters have fewer; hundreds of
    /// combining marks would cover the lines above and below.
    private static let maximumScalarsPerCharacter = 16

    /// Returns a text with marks that ``rendered(_:keepingLines:)`` converts into escape sequences.
    static func styled(_ text: String, _ style: Style) -> String {
        "\(mark)\(style.rawValue)m\(text)\(mark)0m"
    }

    /// Returns a text with all control characters replaced, except the styles that this process added.
    ///
    /// - Parameters:
    ///   - text: The text of one or more calls of ``styled(_:_:)``, and other text.
    ///   - keepingLines: Whether to keep line feeds and tabs. Otherwise only line feeds at the beginning are
    ///     kept, which separate the text from the line before.
    static func rendered(_ text: String, keepingLines: Bool) -> String {
        let start = keepingLines ? text.startIndex : text.firstIndex { $0 != "\n" } ?? text.endIndex
        let parts = text[start...].components(separatedBy: mark)
        var result = text[..<start] + safe(parts[0], keepingLines: keepingLines)
        for part in parts.dropFirst() {
            // A part begins with the code of the style and an "m".
            let parameters = part.first.flatMap(Style.init(rawValue:))?.parameters ?? "0"
            result +=
                "\u{1B}[\(parameters)m" + safe(String(part.dropFirst(2)), keepingLines: keepingLines)
        }
        return String(result)
    }

    /// Returns a text with control characters and characters that change the direction of text replaced with
    /// U+FFFD.
    ///
    /// - Parameter keepingLines: Whether to keep `\n` and `\t`. A carriage return before `\n`, as in files of
    ///   Windows, is removed.
    static func safe(_ text: String, keepingLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: { isInterpreted($0) }) else { return text }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if keepingLines, scalar == "\r", rest.first == "\n" { continue }
            let isKept = keepingLines && (scalar == "\n" || scalar == "\t")
            result.append(isInterpreted(scalar) && !isKept ? "\u{FFFD}" : scalar)
        }
        return String(result)
    }

    /// Returns a text on one line, shortened to at most `limit` characters: white space and control
    /// characters are replaced with single spaces.
    static func line(_ text: String, limit: Int) -> String {
        // Appending to the view of a string would copy the string each time.
        var result = String.UnicodeScalarView()
        var count = 0
        var isSpace = false
        for character in text {
            if count >= limit { return String(result) + "…" }
            if character.isWhitespace || character.unicodeScalars.allSatisfy(isInterpreted) {
                isSpace = !result.isEmpty
                continue
            }
            if isSpace { result.append(" ") }
            isSpace = false
            for scalar in character.unicodeScalars.prefix(maximumScalarsPerCharacter)
            where !isInterpreted(scalar) {
                result.append(scalar)
            }
            count += 1
        }
        return String(result)
    }

    /// Returns whether a terminal may interpret a character: C0 and C1 controls, DEL, separators of lines and
    /// paragraphs, and controls of the direction of text.
    private static func isInterpreted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        case 0x20..<0x7F: false
        // U+206A to U+206F are deprecated controls of shaping and of digits; U+E0000 and above are invisible
        // tags, which can hide text.
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x206F, 0xE0000...0xE007F: true
        default: false
        }
    }
}
