/// Text in the format `flowed` (RFC 3676): lines that end with a space continue on the next line.
enum FlowedText {
    /// Returns the text with its lines joined into paragraphs. A quoted paragraph keeps one `>` per level.
    static func joined(_ text: String, removesSpace: Bool) -> String {
        var lines: [String] = []
        var (depth, isContinued) = (0, false)
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let marks = line.prefix { $0 == ">" }
            var content = line.dropFirst(marks.count)
            // A space protects lines that begin with a space, `>` or `From`.
            if content.first == " " { content = content.dropFirst() }
            let isSignature = content == "-- "
            let continuesLine = content.last == " " && !isSignature
            if continuesLine && removesSpace { content = content.dropLast() }
            if isContinued && marks.count == depth && !isSignature {
                lines[lines.count - 1] += content
            } else {
                let separator = marks.isEmpty || content.isEmpty ? "" : " "
                lines.append(marks + separator + content)
            }
            (depth, isContinued) = (marks.count, continuesLine)
        }
        return lines.joined(separator: "\n")
    }
}
