import CGumbo
import RoostModel

extension InlineScanner {
    private static let maximumTagLength = 8192
    private static let maximumNameLength = 32
    /// The elements that libgumbo does not know.
    private static let otherElements: Set<String> = ["dialog", "g", "path", "picture", "search", "slot"]

    /// Scans the markup that begins with `<` and returns the offset after it.
    mutating func html(_ index: Int, isBlock: Bool) -> Int {
        switch byte(index + 1) {
        case UInt8(ascii: "!"):
            return bytes.matches("<!--", at: index) ? comment(index, isBlock: isBlock) : index + 1
        case UInt8(ascii: "/"): return tag(index, nameStart: index + 2, isBlock: isBlock)
        case let byte where byte.isASCIILetter:
            if !isBlock, let end = bracketedAddress(index) { return end }
            return tag(index, nameStart: index + 1, isBlock: isBlock)
        default: return index + 1
        }
    }

    /// Hides a comment. Without its end, a comment covers the rest of an HTML block.
    private mutating func comment(_ index: Int, isBlock: Bool) -> Int {
        guard !hasNoCommentEnd else { return index + 1 }
        var end = index + 4
        while end < region.upperBound {
            if bytes[end] == UInt8(ascii: "-"), bytes.matches("-->", at: end), end + 3 <= region.upperBound {
                hide(index..<end + 3, .comment)
                return end + 3
            }
            end += 1
        }
        hasNoCommentEnd = true
        guard isBlock else { return index + 1 }
        hide(index..<region.upperBound, .comment)
        return region.upperBound
    }

    /// Scans `<https://…>`. The address remains visible.
    private mutating func bracketedAddress(_ index: Int) -> Int? {
        var end = index + 1
        var hasScheme = false
        while end < region.upperBound, bytes[end] > 32, bytes[end] != UInt8(ascii: "<"),
            bytes[end] != UInt8(ascii: ">")
        {
            hasScheme = hasScheme || bytes[end] == UInt8(ascii: ":")
            end += 1
        }
        guard hasScheme, byte(end) == UInt8(ascii: ">") else { return nil }
        let range = (index + 1)..<end
        let link = DocumentLink(address: bytes.text(range), kind: .address, text: nil)
        guard link.isExternal else { return nil }
        hide(index..<range.lowerBound, .markup)
        hide(end..<end + 1, .markup)
        links.append(
            FoundLink(link: link, range: index..<end + 1, textRange: range, isImage: false, isBare: true))
        return end + 1
    }

    /// Hides the tag of a known element. Other words in angle brackets are text, such as `List<String>`.
    private mutating func tag(_ index: Int, nameStart: Int, isBlock: Bool) -> Int {
        var nameEnd = nameStart
        while byte(nameEnd).isASCIILetter || byte(nameEnd).isASCIIDigit || byte(nameEnd) == UInt8(ascii: "-")
        {
            nameEnd += 1
        }
        guard (1...Self.maximumNameLength).contains(nameEnd - nameStart) else { return index + 1 }
        let name = bytes.text(nameStart..<nameEnd).lowercased()
        let isElement = gumbo_tag_enum(name) != GUMBO_TAG_UNKNOWN || Self.otherElements.contains(name)
        guard isElement, let end = tagEnd(nameEnd) else { return nameEnd }
        let isOpening = nameStart == index + 1
        if isBlock, isOpening, name == "script" || name == "style" {
            let close = elementEnd(name, from: end)
            hide(index..<close, .markup)
            return close
        }
        let attributes = nameEnd..<end
        hide(index..<end, isOpening && name == "img" ? .address : .markup)
        if isOpening, name == "a", let target = attribute("href", in: attributes) {
            let link = DocumentLink(address: Self.unescaped(target), kind: .address, text: nil)
            links.append(FoundLink(link: link, range: index..<end, textRange: end..<end, isImage: false))
        }
        return end
    }

    /// Returns the offset after the `>` of a tag.
    private func tagEnd(_ start: Int) -> Int? {
        var (index, quote) = (start, 0 as UInt8)
        let limit = min(region.upperBound, start + Self.maximumTagLength)
        guard
            byte(index).isMarkdownSpace || byte(index) == UInt8(ascii: ">")
                || byte(index) == UInt8(ascii: "/")
        else { return nil }
        while index < limit {
            let byte = bytes[index]
            if quote != 0 {
                if byte == quote { quote = 0 }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "<") {
                return nil
            } else if byte == UInt8(ascii: ">") {
                return index + 1
            }
            index += 1
        }
        return nil
    }

    /// Returns the offset after the closing tag of an element without nested elements; the end of the region
    /// if the tag is missing.
    private func elementEnd(_ name: String, from start: Int) -> Int {
        let length = name.utf8.count
        var index = start
        while index < region.upperBound {
            if bytes[index] == UInt8(ascii: "<"), byte(index + 1) == UInt8(ascii: "/"),
                index + 2 + length < region.upperBound,
                bytes.text((index + 2)..<(index + 2 + length)).lowercased() == name
            {
                return tagEnd(index + 2 + length) ?? region.upperBound
            }
            index += 1
        }
        return region.upperBound
    }

    private func attribute(_ name: StaticString, in range: Range<Int>) -> String? {
        var index = range.lowerBound
        while index < range.upperBound {
            let start = index + name.utf8CodeUnitCount
            if bytes[index].isMarkdownSpace, bytes.matches(name, at: index + 1),
                byte(start + 1) == UInt8(ascii: "=")
            {
                let value = start + 2
                let quote = byte(value)
                if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                    let end = bytes[(value + 1)..<range.upperBound].firstIndex(of: quote) ?? range.upperBound
                    return bytes.text((value + 1)..<end)
                }
                let end = bytes[value..<range.upperBound].firstIndex {
                    $0.isMarkdownSpace || $0 == UInt8(ascii: ">")
                }
                return bytes.text(value..<(end ?? range.upperBound))
            }
            index += 1
        }
        return nil
    }
}
