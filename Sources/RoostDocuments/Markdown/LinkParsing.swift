public import RoostModel

extension DocumentLink {
    /// The extensions of files that are not notes: images, sound, video and documents.
    private static let attachmentExtensions: Set<String> = [
        "png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "avif", "heic", "tif", "tiff", "ico",
        "mp3", "wav", "m4a", "ogg", "flac", "3gp", "opus", "mp4", "webm", "ogv", "mov", "mkv", "avi",
        "pdf", "docx", "xlsx", "pptx", "odt", "epub", "zip", "gz", "csv", "json", "html", "txt",
    ]

    /// Creates a link from an address, which may end with `#` and a fragment.
    init(address: String, kind: Kind, text: String?) {
        let hash = address.utf8.firstIndex(of: UInt8(ascii: "#"))
        let target = hash.map { String(address[..<$0]) } ?? address
        let fragment = hash.map { String(address[address.utf8.index(after: $0)...]) }
        self.init(
            kind: kind, target: target, fragment: fragment.flatMap { $0.isEmpty ? nil : $0 },
            text: text.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// Whether the target is a URL with a scheme, such as `https:` or `mailto:`.
    public var isExternal: Bool {
        guard kind != .wiki else { return false }
        if target.utf8.starts(with: "//".utf8) { return true }
        guard let colon = target.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = target.utf8[..<colon]
        guard scheme.count >= 2, scheme.count <= 32, let first = scheme.first, first.isASCIILetter else {
            return false
        }
        return scheme.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ".")
        }
    }

    /// Whether the target is a file that is not a note, such as an image.
    public var namesAttachment: Bool {
        guard let dot = target.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return Self.attachmentExtensions.contains(target[target.utf8.index(after: dot)...].lowercased())
    }
}

/// The parts of a wiki link, such as `[[Note#Heading|text]]`.
struct WikiLink {
    var link: DocumentLink
    /// The range of the text that is shown.
    var textRange: Range<Int>
    var hasText: Bool

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

/// The definition of a link reference, such as `[label]: https://…`.
struct LinkDefinition {
    var label: String
    var target: String
    /// The range of the definition without the markers of block quotes before it.
    var range: Range<Int>

    /// Parses a line; `nil` if it is not a definition.
    init?(_ bytes: [UInt8], line: Range<Int>) {
        var index = line.lowerBound
        while index < line.upperBound, bytes[index] == 32 || bytes[index] == UInt8(ascii: ">") { index += 1 }
        let start = index
        guard index < line.upperBound, bytes[index] == UInt8(ascii: "[") else { return nil }
        index += 1
        guard index < line.upperBound, bytes[index] != UInt8(ascii: "^") else { return nil }
        while index < line.upperBound, index - start <= InlineScanner.maximumLabelLength,
            bytes[index] != UInt8(ascii: "]"), bytes[index] != UInt8(ascii: "[")
        {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        let label = (start + 1)..<max(start + 1, min(index, line.upperBound))
        guard index + 1 < line.upperBound, bytes[index] == UInt8(ascii: "]"),
            bytes[index + 1] == UInt8(ascii: ":"), !bytes.trimmed(label).isEmpty
        else { return nil }
        index += 2
        while index < line.upperBound, bytes[index].isMarkdownSpace { index += 1 }
        guard let found = InlineScanner.targetRange(bytes, from: index, to: line.upperBound),
            found.end > index
        else { return nil }
        let title = bytes.trimmed(found.end..<line.upperBound)
        guard title.isEmpty || Self.isTitle(bytes, title, after: found.end) else { return nil }
        self.label = InlineScanner.label(bytes.text(label))
        target = InlineScanner.unescaped(bytes.text(found.target))
        range = start..<line.upperBound
    }

    private static func isTitle(_ bytes: [UInt8], _ range: Range<Int>, after end: Int) -> Bool {
        guard range.count >= 2, range.lowerBound > end else { return false }
        let first = bytes[range.lowerBound]
        let closing = first == UInt8(ascii: "(") ? UInt8(ascii: ")") : first
        return "\"'(".utf8.contains(first) && bytes[range.upperBound - 1] == closing
    }
}

/// Finds bare URLs in a text.
enum AddressScan {
    /// Returns the end of the web address that begins at an offset; `nil` if no address begins there.
    ///
    /// Punctuation at the end and a closing parenthesis without its opening one are not part of the address,
    /// as in GitHub Flavored Markdown.
    static func end(_ bytes: [UInt8], from start: Int, to limit: Int) -> Int? {
        var index = start
        for expected in "http".utf8 {
            guard index < limit, bytes[index] | 0x20 == expected else { return nil }
            index += 1
        }
        if index < limit, bytes[index] | 0x20 == UInt8(ascii: "s") { index += 1 }
        guard index + 3 < limit, bytes.matches("://", at: index) else { return nil }
        index += 3
        let host = index
        var parentheses = 0
        while index < limit, bytes[index] > 32, !"<>[]\"`|".utf8.contains(bytes[index]) {
            if bytes[index] == UInt8(ascii: "(") { parentheses += 1 }
            if bytes[index] == UInt8(ascii: ")") {
                if parentheses == 0 { break }
                parentheses -= 1
            }
            index += 1
        }
        while index > host, ".,;:!?'*_~".utf8.contains(bytes[index - 1]) { index -= 1 }
        return index > host ? index : nil
    }
}
