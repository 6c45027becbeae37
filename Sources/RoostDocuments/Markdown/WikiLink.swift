/// The parts of a wiki link, such as `[[Note#Heading|text]]`.
struct WikiLink {
    var link: DocumentLink
    /// The range of the text that is shown.
    var textRange: Range<Int>
    /// Whether the link has a text in addition to its target.
    var hasText: Bool

    /// Parses the content between the brackets; `nil` if it is empty.
    init?(_ bytes: [UInt8], _ content: Range<Int>, isEmbed: Bool) {
        let bar = bytes[content].firstIndex(of: UInt8(ascii: "|"))
        var targetEnd = bar ?? content.upperBound
        // Within tables, a backslash precedes the bar.
        if bar != nil, targetEnd > content.lowerBound, bytes[targetEnd - 1] == UInt8(ascii: "\\") {
            targetEnd -= 1
        }
        let target = bytes.trimmed(content.lowerBound..<targetEnd)
        guard !target.isEmpty, !bytes[target].contains(UInt8(ascii: "[")),
            !bytes[target].contains(UInt8(ascii: "]"))
        else { return nil }
        let text = bar.map { bytes.trimmed($0 + 1..<content.upperBound) } ?? target
        hasText = bar != nil && !text.isEmpty
        textRange = hasText ? text : target
        let hash = bytes[target].firstIndex(of: UInt8(ascii: "#"))
        let name = bytes.text(bytes.trimmed(target.lowerBound..<(hash ?? target.upperBound)))
        let fragment = hash.map { bytes.text(bytes.trimmed($0 + 1..<target.upperBound)) }
        let isSize = isEmbed && bytes[text].allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: "x") }
        link = DocumentLink(
            kind: isEmbed ? .embed : .wiki, target: name,
            fragment: fragment.flatMap { $0.isEmpty ? nil : $0 },
            text: hasText && !isSize ? bytes.text(text) : nil)
    }
}
