import CXML
import Foundation

/// Converts pages to trees in one pass over their bytes, without the error correction of HTML5.
///
/// It reads the pages that exceed the limits of ``GumboParser``, such as pages with a million open elements.
/// Its time is linear in the size of the page.
struct HTMLScanner {
    private static let voidElements: Set<String> = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    ]
    /// The elements whose contents are not markup.
    private static let rawElements: Set<String> = [
        "script", "style", "textarea", "title", "xmp", "noframes", "iframe",
    ]
    /// The maximum number of open elements that are searched for the start tag of an end tag. It bounds the
    /// time.
    private static let maximumSearchDepth = 64

    private let bytes: [UInt8]
    private var position = 0
    private var builder: HTMLTreeBuilder
    private var open: [String] = []

    private init(_ bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        builder = HTMLTreeBuilder(maximumDepth: maximumDepth)
    }

    /// Parses a page in UTF-8.
    static func parse(_ page: [UInt8], maximumDepth: Int) -> HTMLTree {
        var scanner = HTMLScanner(page, maximumDepth: maximumDepth)
        scanner.scan()
        return scanner.builder.finish()
    }

    private mutating func scan() {
        builder.open("html", [])
        while position < bytes.count, !builder.isFull {
            let start = position
            position = index(of: 0x3C, from: position) ?? bytes.count
            if position > start { builder.addText(decoded(start..<position)) }
            guard position < bytes.count else { break }
            readMarkup()
        }
        if builder.isFull { builder.addText(" ") }
    }

    private func index(of byte: UInt8, from start: Int) -> Int? {
        bytes[start...].firstIndex(of: byte)
    }

    private mutating func readMarkup() {
        let next = position + 1 < bytes.count ? bytes[position + 1] : 0
        if next == 0x21, matches("<!--", at: position) {
            position = end(of: "-->", from: position + 4) ?? bytes.count
        } else if next == 0x21 || next == 0x3F {
            position = index(of: 0x3E, from: position).map { $0 + 1 } ?? bytes.count
        } else if next == 0x2F {
            position += 2
            let name = readName()
            position = index(of: 0x3E, from: min(position, bytes.count)).map { $0 + 1 } ?? bytes.count
            close(name)
        } else if isLetter(next) {
            position += 1
            readStartTag()
        } else {
            builder.addText("<")
            position += 1
        }
    }

    private mutating func readStartTag() {
        let name = readName()
        let (attributes, isClosed) = readAttributes()
        builder.open(name, attributes)
        if isClosed || Self.voidElements.contains(name) { return builder.close() }
        guard Self.rawElements.contains(name) else { return open.append(name) }
        let start = position
        let end = endOfRawText(name)
        if end > start { builder.addText(decoded(start..<end)) }
        builder.close()
        position = index(of: 0x3E, from: end).map { $0 + 1 } ?? bytes.count
    }

    private func endOfRawText(_ name: String) -> Int {
        var candidate = position
        while let next = index(of: 0x3C, from: candidate) {
            if matches("</" + name, at: next) { return next }
            candidate = next + 1
        }
        return bytes.count
    }

    private mutating func close(_ name: String) {
        guard let index = open.suffix(Self.maximumSearchDepth).lastIndex(of: name) else { return }
        while open.count > index {
            open.removeLast()
            builder.close()
        }
    }

    private mutating func readName() -> String {
        let start = position
        while position < bytes.count, !isSpace(bytes[position]), bytes[position] != 0x3E,
            bytes[position] != 0x2F
        { position += 1 }
        return String(decoding: bytes[start..<min(position, start + 64)], as: UTF8.self).lowercased()
    }

    private mutating func readAttributes() -> (attributes: [HTMLTree.Attribute], isClosed: Bool) {
        var attributes: [HTMLTree.Attribute] = []
        var isClosed = false
        while position < bytes.count, bytes[position] != 0x3E {
            if isSpace(bytes[position]) || bytes[position] == 0x2F {
                isClosed = bytes[position] == 0x2F
                position += 1
                continue
            }
            isClosed = false
            let start = position
            position += 1
            while position < bytes.count, !isSpace(bytes[position]), bytes[position] != 0x3E,
                bytes[position] != 0x3D, bytes[position] != 0x2F
            { position += 1 }
            let name = String(decoding: bytes[start..<min(position, start + 64)], as: UTF8.self).lowercased()
            let value = readValue()
            if let maximum = HTMLTreeBuilder.maximumLength(ofAttribute: name), attributes.count < 32 {
                let range = value.lowerBound..<min(value.upperBound, value.lowerBound + maximum)
                attributes.append(.init(name: name, value: decoded(range)))
            }
        }
        position = min(position + 1, bytes.count)
        return (attributes, isClosed)
    }

    private mutating func readValue() -> Range<Int> {
        while position < bytes.count, isSpace(bytes[position]) { position += 1 }
        guard position < bytes.count, bytes[position] == 0x3D else { return position..<position }
        position += 1
        while position < bytes.count, isSpace(bytes[position]) { position += 1 }
        guard position < bytes.count else { return position..<position }
        let quote = bytes[position]
        if quote == 0x22 || quote == 0x27 {
            let start = position + 1
            let end = index(of: quote, from: start) ?? bytes.count
            position = min(end + 1, bytes.count)
            return start..<end
        }
        let start = position
        while position < bytes.count, !isSpace(bytes[position]), bytes[position] != 0x3E { position += 1 }
        return start..<position
    }

    // MARK: Bytes

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }

    private func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }

    private func matches(_ text: String, at start: Int) -> Bool {
        guard start + text.utf8.count <= bytes.count else { return false }
        return zip(text.utf8, bytes[start...]).allSatisfy { $0 == (isLetter($1) ? $1 | 0x20 : $1) }
    }

    private func end(of text: String, from start: Int) -> Int? {
        guard let first = text.utf8.first else { return nil }
        var candidate = min(start, bytes.count)
        while let next = index(of: first, from: candidate) {
            if matches(text, at: next) { return next + text.utf8.count }
            candidate = next + 1
        }
        return nil
    }

    /// Returns the text of a range, with character references replaced.
    private func decoded(_ range: Range<Int>) -> String {
        guard bytes[range].contains(0x26) else { return String(decoding: bytes[range], as: UTF8.self) }
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            if bytes[index] == 0x26, let (scalar, end) = reference(at: index, before: range.upperBound) {
                result.append(contentsOf: Array(String(Character(scalar)).utf8))
                index = end
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private func reference(at start: Int, before limit: Int) -> (Unicode.Scalar, Int)? {
        guard let end = bytes[start..<min(limit, start + 32)].firstIndex(of: 0x3B) else { return nil }
        let name = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
        let code: UInt32?
        if name.hasPrefix("#x") || name.hasPrefix("#X") {
            code = UInt32(name.dropFirst(2), radix: 16)
        } else if name.hasPrefix("#") {
            code = UInt32(name.dropFirst())
        } else {
            code = htmlEntityLookup(name).map { $0.pointee.value }
        }
        return code.flatMap(Unicode.Scalar.init).map { ($0, end + 1) }
    }
}
