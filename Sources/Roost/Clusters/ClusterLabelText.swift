import Foundation

/// Extracts a label from the answer of a language model.
enum ClusterLabelText {
    /// The maximum length of a label in characters. A longer answer is prose, not a label.
    static let maximumLength = 80
    static let maximumWords = 8

    /// Words with which models introduce a label, such as "Label: Birds".
    private static let introductions = ["label", "name", "topic", "title"]

    /// Returns the label in an answer: its first line, without the reasoning that some models print, and
    /// without quotation marks, markup and an introduction. Returns `nil` if what remains is not a usable
    /// label.
    static func label(in answer: String) -> String? {
        var text = answer
        while let start = text.range(of: "<think>") {
            let end = text.range(of: "</think>", range: start.upperBound..<text.endIndex)
            text.removeSubrange(start.lowerBound..<(end?.upperBound ?? text.endIndex))
        }
        // Some servers omit the opening tag.
        if let end = text.range(of: "</think>") { text.removeSubrange(text.startIndex..<end.upperBound) }
        let lines = text.split(whereSeparator: \.isNewline).map { trimmed(String($0)) }
        guard var label = lines.first(where: { !$0.isEmpty }) else { return nil }
        for word in introductions where label.lowercased().hasPrefix(word + ":") {
            label = trimmed(String(label.dropFirst(word.count + 1)))
        }
        let isPrintable = label.unicodeScalars.allSatisfy { scalar in
            ![.control, .format, .surrogate, .privateUse, .unassigned].contains(
                scalar.properties.generalCategory)
        }
        guard isPrintable, label.contains(where: { $0.isLetter || $0.isNumber }),
            label.count <= maximumLength, label.utf8.count <= ClusterEditor.maximumLabelLength,
            label.split(whereSeparator: \.isWhitespace).count <= maximumWords
        else { return nil }
        return label
    }

    private static func trimmed(_ text: String) -> String {
        let edges = CharacterSet.whitespaces.union(CharacterSet(charactersIn: "\"'`*_#“”„‘’«»."))
        return text.trimmingCharacters(in: edges).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
