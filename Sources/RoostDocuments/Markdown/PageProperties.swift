import Foundation
import RoostModel

/// The properties at the beginning of a page of Logseq: lines such as `tags:: garden, water` before the first
/// other line.
enum PageProperties {
    /// The maximum number of bytes of a key.
    private static let maximumKeyLength = 64
    /// The keys whose values are lists with commas, as in Logseq.
    private static let listKeys: Set = ["tags", "tag", "alias", "aliases"]

    /// Returns the number of lines with properties at the beginning of a text; `nil` if there are none.
    ///
    /// The lines are not indented, one of them has a value, and an empty line, a bullet or the end of the
    /// text follows. Other lines with two colons are ordinary text.
    static func lineCount(_ lines: MarkdownLines) -> Int? {
        var (count, hasValue) = (0, false)
        while count < lines.count, lines.starts[count] <= FrontMatterRange.maximumLength {
            let start = count == 0 && lines.bytes.matches("\u{FEFF}", at: 0) ? 3 : lines.starts[count]
            let line = lines.bytes[start..<max(start, lines.trimmedRange(count).upperBound)]
            guard let length = keyLength(line) else { break }
            if line.count > length + 2 { hasValue = true }
            count += 1
        }
        guard hasValue else { return nil }
        let next = count < lines.count ? lines.bytes[lines.trimmedRange(count)] : []
        let isBullet = [[0x2D], [0x2A], [0x2B]].contains(next.prefix { $0 != 0x20 })
        return next.isEmpty || isBullet ? count : nil
    }

    /// Parses lines with properties.
    static func parse(_ text: String) -> FrontMatter {
        var entries: [FrontMatterMember] = []
        for line in text.split(whereSeparator: \.isNewline).prefix(FrontMatter.maximumValues) {
            let bytes = Array(line.utf8)
            let trimmed = bytes.trimmed(bytes.matches("\u{FEFF}", at: 0) ? 3..<bytes.count : 0..<bytes.count)
            guard let length = keyLength(bytes[trimmed]) else { continue }
            let key = bytes.text(trimmed.lowerBound..<trimmed.lowerBound + length)
            let value = bytes.text(trimmed.lowerBound + length + 2..<trimmed.upperBound).trimmed
            guard !value.isEmpty else { continue }
            entries.append(FrontMatterMember(key: key, value: self.value(of: key, value)))
        }
        return FrontMatter(entries: entries)
    }

    /// Returns the length of the key of a property in bytes; `nil` if the line is not a property.
    private static func keyLength(_ line: ArraySlice<UInt8>) -> Int? {
        let key = line.prefix(while: isKeyByte)
        let rest = line.dropFirst(key.count)
        guard (1...maximumKeyLength).contains(key.count), rest.starts(with: [0x3A, 0x3A]) else { return nil }
        // Names such as `std::vector` have no space.
        return rest.count == 2 || rest.dropFirst(2).first == 0x20 ? key.count : nil
    }

    /// Letters, digits, hyphens and underscores.
    private static func isKeyByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F || byte >= 0x80
    }

    private static func value(of key: String, _ text: String) -> FrontMatterValue {
        func scalar(_ text: String) -> FrontMatterValue { .scalar(.string(text), text: text) }
        let parts = text.split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
        if listKeys.contains(key.lowercased()) {
            // The names can be links to pages.
            return .array(parts.map { scalar($0.trimmingCharacters(in: CharacterSet(charactersIn: "#[]"))) })
        }
        let isListOfLinks = parts.count > 1 && parts.allSatisfy { $0.hasPrefix("[[") && $0.hasSuffix("]]") }
        return isListOfLinks ? .array(parts.map(scalar)) : scalar(text)
    }
}
