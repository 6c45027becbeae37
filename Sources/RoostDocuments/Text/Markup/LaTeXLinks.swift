/// The links of a line of LaTeX, for which private characters stand while the rest of the line is converted.
///
/// An address can contain signs that are markup elsewhere.
struct LaTeXLinks {
    /// The links as Markdown, in the order of the characters that stand for them.
    private var links: [String] = []

    /// The character that stands for the first link, in the last plane for private use. ``LaTeXLine`` uses
    /// the plane before.
    private static let firstMark: UInt32 = 0x100000
    /// The first byte of the characters that stand for links.
    private static let markByte: UInt8 = 0xF4

    /// Returns whether a line contains such characters itself.
    static func hasMarks(_ line: String) -> Bool { line.utf8.contains(markByte) }

    /// Adds a link and returns the character that stands for it.
    mutating func mark(for link: String) -> String {
        links.append(link)
        return Unicode.Scalar(Self.firstMark + UInt32(links.count - 1)).map { String(Character($0)) } ?? link
    }

    /// Returns a text with the links in place of the characters that stand for them.
    func restored(_ text: String) -> String {
        guard !links.isEmpty else { return text }
        var output = ""
        for scalar in text.unicodeScalars {
            if scalar.value >= Self.firstMark, scalar.value - Self.firstMark < UInt32(links.count) {
                output += links[Int(scalar.value - Self.firstMark)]
            } else {
                output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
