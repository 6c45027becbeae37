/// Converts the syntax of XHTML that means something else in HTML.
///
/// In HTML, `<script src="a.js"/>` begins a script that the page never ends, `<a id="top"/>` begins a link,
/// and `<![CDATA[text]]>` is a comment. A page in XHTML can therefore lose all of its text.
struct XHTMLSyntax {
    /// The elements that have no end tag in HTML.
    private static let voidElements: Set<String> = [
        "area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param",
        "source", "track", "wbr",
    ]
    /// The elements whose contents are not markup.
    private static let rawElements: Set<String> = ["script", "style"]
    /// The number of bytes at the beginning of a page that contain its declaration.
    private static let declarationLength = 2048

    private let bytes: [UInt8]
    private var position = 0
    private var output: [UInt8] = []
    /// The quotation marks that do not occur again. They bound the time for damaged pages.
    private var missing: Set<UInt8> = []

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns a page in UTF-8 with an end tag for each empty element, and with the text of each CDATA
    /// section, if it declares that it is XHTML. Other pages are unchanged.
    ///
    /// - Complexity: O(length of page).
    static func converted(_ page: [UInt8]) -> [UInt8] {
        let start = String(decoding: page.prefix(declarationLength), as: UTF8.self)
        guard start.drop(while: \.isWhitespace).hasPrefix("<?xml") || start.contains("www.w3.org/1999/xhtml")
        else { return page }
        var syntax = XHTMLSyntax(page)
        syntax.convert()
        return syntax.output
    }

    private mutating func convert() {
        output.reserveCapacity(bytes.count + bytes.count / 16)
        while position < bytes.count {
            let start = position
            position = bytes[start...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            copy(from: start)
            guard position + 1 < bytes.count else { return copyRest() }
            if starts(with: "<!--") {
                copy(through: "-->")
            } else if starts(with: "<![CDATA[") {
                convertSection()
            } else if isLetter(bytes[position + 1]) {
                convertTag()
            } else {
                copy(through: ">")
            }
        }
    }

    private mutating func convertSection() {
        let start = position + 9
        position = end(of: "]]>", from: start)
        let end = bytes[..<position].suffix(3).elementsEqual("]]>".utf8) ? position - 3 : position
        for byte in bytes[min(start, end)..<end] {
            switch byte {
            case UInt8(ascii: "<"): output += "&lt;".utf8
            case UInt8(ascii: "&"): output += "&amp;".utf8
            default: output.append(byte)
            }
        }
    }

    private mutating func convertTag() {
        let start = position
        position += 1
        while position < bytes.count, isNameByte(bytes[position]) { position += 1 }
        let nameEnd = position
        let name = String(decoding: bytes[(start + 1)..<nameEnd], as: UTF8.self)
        while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
            skipAttributePart()
        }
        guard position < bytes.count else { return copyRest(from: start) }
        let slash = position - 1
        position += 1
        // The slash at the end of a value without quotation marks belongs to the value.
        let isEmpty =
            bytes[slash] == UInt8(ascii: "/")
            && (slash == nameEnd || [0x20, 0x09, 0x0A, 0x0D, 0x22, 0x27].contains(bytes[slash - 1]))
        if isEmpty, !Self.voidElements.contains(name.lowercased()) {
            output += bytes[start..<slash]
            output += "></\(name)>".utf8
            return
        }
        copy(from: start)
        if Self.rawElements.contains(name.lowercased()) { copy(before: "</" + name) }
    }

    /// Moves past a byte of a tag, or past a value in quotation marks.
    private mutating func skipAttributePart() {
        let byte = bytes[position]
        position += 1
        guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"), !missing.contains(byte) else { return }
        if let end = bytes[position...].firstIndex(of: byte) {
            position = end + 1
        } else {
            missing.insert(byte)
        }
    }

    // MARK: Bytes

    private mutating func copy(from start: Int) { output += bytes[start..<position] }

    private mutating func copyRest(from start: Int? = nil) {
        output += bytes[(start ?? position)...]
        position = bytes.count
    }

    private mutating func copy(through text: String) {
        let start = position
        position = end(of: text, from: start)
        copy(from: start)
    }

    private mutating func copy(before text: String) {
        let start = position
        let found = end(of: text, from: start)
        position = found == bytes.count ? found : found - text.utf8.count
        copy(from: start)
    }

    /// Returns the index after a text; the end of the page if it does not occur.
    private func end(of text: String, from start: Int) -> Int {
        let pattern = Array(text.utf8)
        var index = start
        while let next = bytes[min(index, bytes.count)...].firstIndex(of: pattern[0]) {
            if bytes[next...].starts(with: pattern) { return next + pattern.count }
            index = next + 1
        }
        return bytes.count
    }

    private func starts(with text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }

    private func isNameByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (byte >= 0x30 && byte <= 0x3A) || byte == 0x2D || byte == 0x5F
    }
}
