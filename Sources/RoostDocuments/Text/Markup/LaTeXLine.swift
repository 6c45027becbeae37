/// A line of LaTeX without the comment at its end, in which private characters stand for its code.
///
/// The code of `\verb|50%|` can contain any character, so it must not be converted with the rest of the line.
struct LaTeXLine {
    /// The line.
    private(set) var text: String
    /// The pieces of code.
    private var code = PrivateCharacters(.first)

    /// The commands whose argument is code.
    private static let commands: Set = ["verb", "lstinline"]
    /// The commands whose first argument is an address, in which a percent sign begins no comment.
    private static let addresses: Set = ["url", "nolinkurl", "href"]

    /// Divides a line.
    ///
    /// - Complexity: O(length of line).
    init(_ line: String) {
        text = line
        let hasCode = line.contains("\\verb") || line.contains("\\lstinline")
        guard hasCode || line.utf8.contains(UInt8(ascii: "%")) else { return }
        let bytes = Array(line.utf8)
        // In a line that contains such characters itself, or that is too long to be converted, code is kept.
        let marksCode =
            hasCode && bytes.count <= ConvertedMarkup.maximumLineLength && !code.occur(in: bytes)
        var output: [UInt8] = []
        var (start, index) = (0, 0)
        var missing: Set<UInt8> = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "%") {
            guard bytes[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            guard let (content, isCode) = Self.literal(bytes, at: index, &missing) else {
                // A sign after a backslash is text, and a second backslash ends a line.
                index += 2
                continue
            }
            if isCode && marksCode {
                output += bytes[start..<index]
                let span = Self.codeSpan(String(decoding: bytes[content], as: UTF8.self))
                output += code.character(for: span).utf8
                start = content.upperBound + 1
            }
            index = content.upperBound + 1
        }
        output += bytes[min(start, bytes.count)..<min(index, bytes.count)]
        text = String(decoding: output, as: UTF8.self)
    }

    /// Returns a text with the code in place of the characters that stand for it.
    func restored(_ text: String) -> String { code.restored(text) }

    /// The maximum number of bytes of the options of a command.
    private static let maximumOptions = 1000

    /// Returns the range of the code or address in a command at an index: between two equal signs, or in
    /// braces; `nil` for other commands.
    ///
    /// - Parameter missing: The signs that do not occur in the rest of the line. Without them, the rest would
    ///   be searched again for each command.
    private static func literal(
        _ bytes: [UInt8], at backslash: Int, _ missing: inout Set<UInt8>
    ) -> (content: Range<Int>, isCode: Bool)? {
        var index = backslash + 1
        while index < bytes.count, (0x41...0x5A).contains(bytes[index] & 0xDF) { index += 1 }
        // The names of these commands are short. Longer ones need not be copied.
        guard index - backslash <= 10 else { return nil }
        let name = String(decoding: bytes[(backslash + 1)..<index], as: UTF8.self)
        let isCode = commands.contains(name)
        guard isCode || addresses.contains(name) else { return nil }
        func next(_ sign: UInt8, from start: Int) -> Int? {
            // Options are short. The end of a longer one would be searched for again for each command.
            if sign == UInt8(ascii: "]") {
                return bytes[start...].prefix(maximumOptions).firstIndex(of: sign)
            }
            guard !missing.contains(sign) else { return nil }
            let end = bytes[min(start, bytes.count)...].firstIndex(of: sign)
            if end == nil { missing.insert(sign) }
            return end
        }
        if name == "verb", index < bytes.count, bytes[index] == UInt8(ascii: "*") { index += 1 }
        if name == "lstinline", index < bytes.count, bytes[index] == UInt8(ascii: "[") {
            guard let end = next(UInt8(ascii: "]"), from: index) else { return nil }
            index = end + 1
        }
        guard index < bytes.count, (0x21...0x7E).contains(bytes[index]) else { return nil }
        let isBraced = name != "verb" && bytes[index] == UInt8(ascii: "{")
        guard isCode || isBraced,
            let end = next(isBraced ? UInt8(ascii: "}") : bytes[index], from: index + 1)
        else { return nil }
        return (index + 1..<end, isCode)
    }

    /// Returns code between backquotes: more than it contains in a row.
    private static func codeSpan(_ code: String) -> String {
        guard code.contains(where: { $0 != " " }) else { return code }
        guard code.contains("`") else { return "`" + code + "`" }
        let longest = code.split { $0 != "`" }.map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longest + 1)
        return fence + " " + code + " " + fence
    }
}
