import Foundation

/// The names that a reStructuredText defines for addresses and texts, and to which other lines can refer.
struct RestructuredNames {
    /// The addresses by the names of their targets, in lowercase letters.
    private(set) var addresses: [String: String] = [:]
    /// The texts by the names of their substitutions.
    private(set) var texts: [String: String] = [:]

    // A literal in a function would be compiled for each line, which takes longer than its use.
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let target =
        #/\.\. _(?:`([^`]{1,200})`|([^:`]{1,200})): +(\S{1,2000})/#
    nonisolated(unsafe) private static let substitution =
        #/\.\. \|([^|\s][^|]{0,200})\| replace:: +(\S.{0,2000})/#

    /// The maximum number of bytes of all texts that replace names, because a short name can stand for a long
    /// text.
    private static let maximumReplacement = 1 << 20
    /// The maximum number of bytes of a name before an underscore.
    private static let maximumNameLength = 100

    private var remainingReplacement = Self.maximumReplacement

    /// Finds the definitions in lines.
    ///
    /// - Complexity: O(length of lines).
    init(_ lines: [String]) {
        for line in lines where line.contains(".. _") || line.contains(".. |") {
            let text = line.trimmingCharacters(in: .whitespaces)
            guard text.hasPrefix(".. "), text.utf8.count <= ConvertedMarkup.maximumLineLength else {
                continue
            }
            if let match = text.wholeMatch(of: Self.target), let name = match.output.1 ?? match.output.2 {
                // A name that ends with an underscore refers to another target.
                guard !match.output.3.hasSuffix("_") else { continue }
                addresses[Self.key(name)] = String(match.output.3)
            } else if let match = text.wholeMatch(of: Self.substitution) {
                texts[String(match.output.1)] = String(match.output.2)
            }
        }
    }

    /// Returns the address of a target; `nil` if there is no target with this name.
    func address(of name: some StringProtocol) -> Substring? { addresses[Self.key(name)]?[...] }

    /// Names ignore case and the amount of white space.
    private static func key(_ name: some StringProtocol) -> String {
        name.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
    }

    /// Returns a line with the texts of its substitutions, such as `|version|`.
    ///
    /// - Complexity: O(length of line).
    mutating func replacingSubstitutions(in line: String) -> String {
        guard !texts.isEmpty, line.contains("|") else { return line }
        let parts = line.split(separator: "|", omittingEmptySubsequences: false)
        var output = String(parts[0])
        var index = 1
        while index < parts.count {
            // The last part has no bar after it.
            if index + 1 < parts.count, let text = texts[String(parts[index])],
                text.utf8.count <= remainingReplacement
            {
                remainingReplacement -= text.utf8.count
                output += text + parts[index + 1]
                index += 2
            } else {
                output += "|" + parts[index]
                index += 1
            }
        }
        return output
    }

    /// Returns a text in which the names of targets before an underscore, such as `Python_`, are links.
    ///
    /// - Complexity: O(length of text).
    func linking(_ text: Substring, _ result: inout ConvertedMarkup) -> String {
        guard !addresses.isEmpty else { return String(text) }
        let bytes = text.utf8
        var (output, start, search) = ("", text.startIndex, text.startIndex)
        while let mark = bytes[search...].firstIndex(of: UInt8(ascii: "_")) {
            search = bytes.index(after: mark)
            let next = search < bytes.endIndex ? bytes[search] : 0
            guard !Self.isNameByte(next), next != UInt8(ascii: "`"), next < 0x80 else { continue }
            var name = mark
            while name > start, Self.isNameByte(bytes[bytes.index(before: name)]),
                bytes.distance(from: name, to: mark) < Self.maximumNameLength
            {
                name = bytes.index(before: name)
            }
            guard name < mark, let address = address(of: text[name..<mark]) else { continue }
            output += text[start..<name]
            output += result.link(address, text[name..<mark])
            start = search
        }
        return output + text[start...]
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
