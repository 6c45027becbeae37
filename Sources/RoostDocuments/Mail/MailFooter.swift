/// The footer that the program of a mailing list, such as Mailman, adds to each message: a line of
/// underscores, and the name and addresses of the list.
enum MailFooter {
    /// The minimum number of underscores of the line.
    private static let minimumRuleLength = 40
    /// The number that Mailman writes.
    private static let mailmanRuleLength = 47
    /// Texts that only a footer of a list contains. A last article can also follow a line of underscores.
    private static let signs = ["mailing list", "listinfo", "unsubscribe", "@lists."]
    /// The maximum number of lines after it that are not empty, and of bytes of each.
    private static let (maximumLines, maximumLineLength) = (6, 300)

    /// Returns the index of the line with which the footer of a message begins; `nil` if it has none.
    ///
    /// Only the last line of underscores can begin a footer: invitations to meetings are between two of them.
    ///
    /// - Complexity: O(length of message).
    static func start(_ lines: [Substring]) -> Int? {
        var count = 0
        var (hasAddress, hasSign) = (false, false)
        for index in lines.indices.reversed() {
            if isRule(lines[index]) {
                // With an address, the line is not the last one. Outlook writes it before earlier messages.
                hasSign = hasSign || lines[index].utf8.count { $0 == UInt8(ascii: "_") } == mailmanRuleLength
                return hasAddress && hasSign && !OriginalMessageMark.isHeader(lines, at: index + 1)
                    ? index : nil
            }
            guard !lines[index].allSatisfy(\.isWhitespace) else { continue }
            count += 1
            guard count <= maximumLines, lines[index].utf8.count <= maximumLineLength else { return nil }
            let text = lines[index].lowercased()
            hasSign = hasSign || signs.contains { text.contains($0) }
            hasAddress = hasAddress || lines[index].contains("@") || lines[index].contains("://")
        }
        return nil
    }

    private static func isRule(_ line: Substring) -> Bool {
        guard line.utf8.first == UInt8(ascii: "_") else { return false }
        let length = line.utf8.prefix { $0 == UInt8(ascii: "_") }.count
        return length >= minimumRuleLength && line.utf8.dropFirst(length).allSatisfy { $0 <= 0x20 }
    }
}
