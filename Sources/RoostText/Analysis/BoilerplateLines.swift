/// The lines that more than 5% of the entries share, such as footers, badges and navigation. They do not
/// distinguish one entry from another.
///
/// A line is compared without the white space around it. A line of one ASCII word is never boilerplate: it can
/// name the language of code, and removing it would hardly change a vector.
package struct BoilerplateLines: Sendable, Equatable {
    /// The lines, without the white space around them.
    package let lines: Set<String>
    private let hashes: Set<UInt64>

    /// The minimum length of a boilerplate line in bytes. Removing shorter lines would hardly change a
    /// vector.
    private static let minimumLength = 5

    /// Creates the set of the given lines, which have no white space around them.
    package init(_ lines: Set<String>) {
        self.lines = lines
        hashes = Set(lines.map { line in Array(line.utf8).withUnsafeBufferPointer { Self.hash(of: $0) } })
    }

    // MARK: Texts

    /// Returns a text without the boilerplate lines; `nil` if it contains none, or if nothing with a letter
    /// or digit remains.
    package func removing(from text: String) -> String? {
        guard !lines.isEmpty else { return nil }
        var (kept, hasContent, isChanged) = ([Substring](), false, false)
        for line in Self.lines(of: text) {
            if contains(line) {
                isChanged = true
            } else {
                kept.append(line)
                hasContent = hasContent || line.utf8.contains(where: \.isWordByte)
            }
        }
        return isChanged && hasContent ? kept.joined(separator: "\n") : nil
    }

    /// Returns the boilerplate lines in a text, in their order; one that occurs twice is listed twice.
    package func found(in text: String) -> [String] {
        lines.isEmpty ? [] : Self.lines(of: text).filter(contains).map { Self.trimmed($0) }
    }

    /// Returns the lines of a text. A carriage return before a line feed is part of the line: Swift treats
    /// the two as one character, so splitting a string at line feed characters would miss these lines.
    private static func lines(of text: String) -> [Substring] {
        text.utf8.split(separator: newline, omittingEmptySubsequences: false).map { Substring($0) }
    }

    private func contains(_ line: Substring) -> Bool {
        var line = String(line)
        let trimmed: String? = line.withUTF8 { bytes in
            guard let bytes = Self.countable(bytes), hashes.contains(Self.hash(of: bytes)) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        return trimmed.map(lines.contains) ?? false
    }

    private static func trimmed(_ line: Substring) -> String {
        var line = String(line)
        return line.withUTF8 { String(decoding: countable($0) ?? $0, as: UTF8.self) }
    }

    /// Calls `body` with each line that can be boilerplate, without the white space around it.
    package static func forEachLine(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            while start < bytes.count {
                let end = bytes[start...].firstIndex(of: newline) ?? bytes.count
                if let line = countable(UnsafeBufferPointer(rebasing: bytes[start..<end])) { body(line) }
                start = end + 1
            }
        }
    }

    private static let newline = UInt8(ascii: "\n")

    /// Returns a line without the white space around it; `nil` if it cannot be boilerplate.
    private static func countable(_ line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
        guard let first = line.firstIndex(where: { !isSpace($0) }),
            let last = line.lastIndex(where: { !isSpace($0) })
        else { return nil }
        let trimmed = UnsafeBufferPointer(rebasing: line[first...last])
        let hasWords = trimmed.contains { $0 == UInt8(ascii: " ") || $0 >= 0x80 }
        return trimmed.count >= minimumLength && hasWords && trimmed.contains(where: \.isWordByte)
            ? trimmed : nil
    }

    /// Returns the 64-bit FNV-1a hash of a line, with its halves mixed. The hashes of the standard library
    /// cannot be used, because they differ between processes.
    package static func hash(of line: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let hash = FNV1a.hash(of: line)
        return hash ^ hash >> 32
    }
}
