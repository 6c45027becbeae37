import RoostModel

extension InlineScanner {
    /// The maximum number of bytes of a label of a link reference, as in CommonMark.
    static let maximumLabelLength = 999
    /// The maximum number of nested parentheses in the target of a link, as in cmark.
    private static let maximumParentheses = 32

    // MARK: Brackets

    mutating func image(_ index: Int) -> Int {
        guard byte(index + 1) == UInt8(ascii: "[") else { return index + 1 }
        if byte(index + 2) == UInt8(ascii: "["), let end = wikiLink(index + 1, isEmbed: true) { return end }
        brackets.append(Bracket(offset: index + 1, isImage: true, linkCount: links.count))
        return index + 2
    }

    /// Scans `[`, which begins a link, a wiki link or the type of a callout.
    mutating func openBracket(_ index: Int) -> Int {
        if byte(index + 1) == UInt8(ascii: "["), let end = wikiLink(index, isEmbed: false) { return end }
        if byte(index + 1) == UInt8(ascii: "!"), let end = callout(index) { return end }
        if !brackets.isEmpty { brackets[brackets.count - 1].hasBrackets = true }
        brackets.append(Bracket(offset: index, isImage: false, linkCount: links.count))
        activeCount += 1
        return index + 1
    }

    /// Hides the type of a callout, such as `[!tip]-`, at the beginning of a block quote.
    private mutating func callout(_ index: Int) -> Int? {
        var start = index
        while start > 0, bytes[start - 1] != 0x0A {
            guard bytes[start - 1] == UInt8(ascii: ">") || bytes[start - 1].isMarkdownSpace else {
                return nil
            }
            start -= 1
        }
        guard bytes[start..<index].contains(UInt8(ascii: ">")) else { return nil }
        var end = index + 2
        while end < region.upperBound, end - index < 40, bytes[end] != UInt8(ascii: "]"), bytes[end] != 0x0A {
            end += 1
        }
        guard byte(end) == UInt8(ascii: "]"), end > index + 2 else { return nil }
        end += 1
        if byte(end) == UInt8(ascii: "-") || byte(end) == UInt8(ascii: "+") { end += 1 }
        hide(index..<end, .markup)
        return end
    }

    /// Scans `]`, which may end the text of a link or image.
    mutating func closeBracket(_ index: Int) -> Int {
        guard let opener = brackets.popLast() else { return index + 1 }
        if !opener.isImage, opener.isActive { activeCount -= 1 }
        let text = (opener.offset + 1)..<index
        if opener.hasBrackets, !brackets.isEmpty { brackets[brackets.count - 1].hasBrackets = true }
        if !opener.isImage, byte(text.lowerBound) == UInt8(ascii: "^"), text.count > 1, !opener.hasBrackets {
            let isDefinition = byte(index + 1) == UInt8(ascii: ":") && isLineStart(opener.offset)
            let end = isDefinition ? index + 2 : index + 1
            hide(opener.offset..<end, .markup)
            return end
        }
        guard opener.isActive, let (target, end) = target(after: index, text: text, opener) else {
            return index + 1
        }
        if opener.isImage {
            addImage(target, opener: opener, text: text, end: end)
        } else {
            addLink(target, opener: opener, text: text, end: end)
        }
        return end
    }

    private func isLineStart(_ offset: Int) -> Bool {
        var start = offset
        while start > region.lowerBound, bytes[start - 1] == 32 || bytes[start - 1] == UInt8(ascii: ">") {
            start -= 1
        }
        return start == region.lowerBound || bytes[start - 1] == 0x0A
    }

    /// Returns the target of a link whose text ends at a bracket, and the offset after the link.
    private func target(after index: Int, text: Range<Int>, _ opener: Bracket) -> (String, Int)? {
        if byte(index + 1) == UInt8(ascii: "("), let result = inlineTarget(index + 2) { return result }
        guard !definitions.isEmpty else { return nil }
        if byte(index + 1) == UInt8(ascii: "[") {
            var end = index + 2
            while end < region.upperBound, end - index <= Self.maximumLabelLength,
                bytes[end] != UInt8(ascii: "]"), bytes[end] != UInt8(ascii: "[")
            {
                end += 1
            }
            guard byte(end) == UInt8(ascii: "]") else { return nil }
            let range = end == index + 2 ? text : (index + 2)..<end
            guard range.count <= Self.maximumLabelLength else { return nil }
            return definitions[Self.label(bytes.text(range))].map { ($0, end + 1) }
        }
        guard !opener.hasBrackets, text.count <= Self.maximumLabelLength else { return nil }
        return definitions[Self.label(bytes.text(text))].map { ($0, index + 1) }
    }

    /// Returns the normalized form of a label, by which definitions are looked up.
    static func label(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
    }

    /// Returns the target in parentheses from an offset, and the offset after the closing parenthesis.
    private func inlineTarget(_ start: Int) -> (String, Int)? {
        var index = start
        while byte(index).isMarkdownSpace { index += 1 }
        guard let range = Self.targetRange(bytes, from: index, to: region.upperBound) else { return nil }
        index = range.end
        while byte(index).isMarkdownSpace { index += 1 }
        if let end = titleEnd(index), index > range.end { index = end }
        while byte(index).isMarkdownSpace { index += 1 }
        guard byte(index) == UInt8(ascii: ")") else { return nil }
        return (Self.unescaped(bytes.text(range.target)), index + 1)
    }

    /// Returns the range of a target without angle brackets, and the offset after it.
    static func targetRange(_ bytes: [UInt8], from start: Int, to limit: Int) -> (
        target: Range<Int>, end: Int
    )? {
        var index = start
        if index < limit, bytes[index] == UInt8(ascii: "<") {
            index += 1
            while index < limit, bytes[index] != UInt8(ascii: ">") {
                guard bytes[index] != 0x0A, bytes[index] != UInt8(ascii: "<") else { return nil }
                index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
            }
            return index < limit ? ((start + 1)..<index, index + 1) : nil
        }
        var depth = 0
        while index < limit, bytes[index] > 32 {
            switch bytes[index] {
            case UInt8(ascii: "\\") where index + 1 < limit && bytes[index + 1].isASCIIPunctuation: index += 1
            case UInt8(ascii: "("):
                depth += 1
                if depth > maximumParentheses { return nil }
            case UInt8(ascii: ")"):
                if depth == 0 { return (start..<index, index) }
                depth -= 1
            default: break
            }
            index += 1
        }
        return depth == 0 && index <= limit ? (start..<index, index) : nil
    }

    /// Returns the offset after a title in quotation marks or parentheses.
    private func titleEnd(_ start: Int) -> Int? {
        let quote = byte(start)
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") || quote == UInt8(ascii: "(") else {
            return nil
        }
        let closing = quote == UInt8(ascii: "(") ? UInt8(ascii: ")") : quote
        var index = start + 1
        while index < region.upperBound, bytes[index] != closing {
            if quote == UInt8(ascii: "("), bytes[index] == quote { return nil }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index < region.upperBound ? index + 1 : nil
    }

    /// Returns a target without backslashes before punctuation and without the entity of the ampersand.
    static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "&") }) else {
            return text
        }
        var result: [UInt8] = []
        let bytes = Array(text.utf8)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count,
                bytes[index + 1].isASCIIPunctuation
            {
                index += 1
            }
            result.append(bytes[index])
            index += bytes.matches("&amp;", at: index) ? 5 : 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    // MARK: Results

    private mutating func addLink(_ target: String, opener: Bracket, text: Range<Int>, end: Int) {
        let range = opener.offset..<end
        // Links do not contain links, except for images. A slice would share the storage of all links, and
        // each change of the list would copy it.
        let inner = Array(links[opener.linkCount...])
        let image = inner.first { $0.isImage }
        let containsOnlyImages =
            image != nil && bytes.trimmed(text).lowerBound == image?.range.lowerBound
            && inner.allSatisfy { $0.isImage || $0.isBare }
        let innerImages = inner.filter { !$0.isBare }
        links.removeLast(links.count - opener.linkCount)
        links += innerImages
        hide(opener.offset..<text.lowerBound, .markup)
        hide(text.upperBound..<end, .address)
        deactivateBrackets()
        let shown = image == nil ? bytes.text(bytes.trimmed(text)) : nil
        let link = DocumentLink(address: target, kind: .address, text: shown)
        links.append(
            FoundLink(link: link, range: range, textRange: text, isImage: containsOnlyImages))
    }

    /// Marks the open brackets of links, because links do not contain links.
    private mutating func deactivateBrackets() {
        guard activeCount > 0 else { return }
        for index in brackets.indices.reversed() where !brackets[index].isImage {
            // All brackets before an inactive one are inactive.
            if !brackets[index].isActive { break }
            brackets[index].isActive = false
        }
        activeCount = 0
    }

    private mutating func addImage(_ target: String, opener: Bracket, text: Range<Int>, end: Int) {
        let range = (opener.offset - 1)..<end
        let link = DocumentLink(address: target, kind: .embed, text: bytes.text(bytes.trimmed(text)))
        hide((opener.offset - 1)..<text.lowerBound, .markup)
        hide(text.upperBound..<end, .address)
        links.append(
            FoundLink(
                link: link.isExternal ? nil : link, range: range, textRange: text, isImage: true))
    }

    // MARK: Wiki links and addresses

    /// Scans a wiki link from its first bracket; `nil` if the brackets are not a wiki link.
    private mutating func wikiLink(_ start: Int, isEmbed: Bool) -> Int? {
        var end = start + 2
        while end < region.upperBound {
            let byte = bytes[end]
            if byte == 0x0A || byte == UInt8(ascii: "[") && self.byte(end + 1) == UInt8(ascii: "[") {
                return nil
            }
            if byte == UInt8(ascii: "]"), self.byte(end + 1) == UInt8(ascii: "]") { break }
            end += 1
        }
        let content = (start + 2)..<min(end, region.upperBound)
        guard end < region.upperBound, let parsed = WikiLink(bytes, content, isEmbed: isEmbed) else {
            return nil
        }
        let range = (isEmbed ? start - 1 : start)..<end + 2
        if isEmbed, parsed.link.namesAttachment {
            hide(range, .address)
        } else {
            hide(range.lowerBound..<parsed.textRange.lowerBound, parsed.hasText ? .address : .markup)
            hide(parsed.textRange.upperBound..<range.upperBound, .markup)
        }
        links.append(
            FoundLink(
                link: parsed.link, range: range, textRange: parsed.textRange,
                isImage: isEmbed && parsed.link.namesAttachment))
        return range.upperBound
    }

    /// Scans a bare URL. Its text remains visible.
    mutating func address(_ index: Int) -> Int {
        guard
            index == region.lowerBound || !(bytes[index - 1].isASCIILetter || bytes[index - 1].isASCIIDigit),
            let end = AddressScan.end(bytes, from: index, to: region.upperBound)
        else { return index + 1 }
        let link = DocumentLink(address: bytes.text(index..<end), kind: .address, text: nil)
        links.append(
            FoundLink(link: link, range: index..<end, textRange: index..<end, isImage: false, isBare: true))
        return end
    }
}
