import Foundation

/// The quotations and the signature of a message.
///
/// A message that consists of nothing else has no hidden parts, so that its text can be found.
struct MailQuotations {
    /// The quotations and signatures, in order.
    private(set) var parts: [TextStructure.HiddenPart] = []
    /// The length of the text in bytes.
    let length: Int

    private static let attributionStarts = ["on ", "am ", "le ", "el ", "il ", "em ", "op ", "den ", "dnia "]
    private static let attributionEnds = [
        "wrote:", "schrieb:", "a écrit :", "a écrit:", "escribió:", "ha scritto:", "escreveu:", "schreef:",
        "skrev:", "napisał(a):", "napisał:", "writes:", "geschrieben:",
    ]
    private static let originalMarks = [
        "original message", "ursprüngliche nachricht", "message d'origine", "mensaje original",
        "messaggio originale", "oorspronkelijk bericht",
    ]

    /// The line before a signature in a converted HTML part, which has lost the space, and has a backslash.
    private static let convertedMark = "\\--"
    /// The maximum number of lines of a signature after ``convertedMark`` that are not empty.
    private static let maximumSignatureLines = 15

    /// Finds the quotations and the signature of a text.
    ///
    /// - Complexity: O(length of text).
    init(_ text: String) {
        length = text.utf8.count
        var found: [TextStructure.HiddenPart] = []
        var hasVisibleText = false
        var offset = 0
        var attribution: Range<Int>?
        var rest: TextStructure.HiddenPart.Kind?
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let range = offset..<min(offset + line.utf8.count + 1, length)
            offset = range.upperBound
            let content = line.trimmingCharacters(in: .whitespacesAndNewlines)
            if rest == nil, line == "-- " || line == "-- \r" { rest = .signature }
            if rest == nil, line == Self.convertedMark, Self.isSignature(lines[(index + 1)...]) {
                rest = .signature
            }
            if rest == nil, Self.isOriginalMark(content) { rest = .quotation }
            if let kind = rest {
                Self.append(range, kind, to: &found)
            } else if content.hasPrefix(">") {
                if let line = attribution { Self.append(line, .quotation, to: &found) }
                attribution = nil
                Self.append(range, .quotation, to: &found)
            } else if content.isEmpty {
                continue
            } else {
                if attribution != nil { hasVisibleText = true }
                attribution = Self.isAttribution(content) ? range : nil
                if attribution == nil { hasVisibleText = true }
            }
        }
        if attribution != nil { hasVisibleText = true }
        parts = hasVisibleText ? found : []
    }

    private static func append(
        _ range: Range<Int>, _ kind: TextStructure.HiddenPart.Kind, to parts: inout [TextStructure.HiddenPart]
    ) {
        guard !range.isEmpty else { return }
        if let last = parts.last, last.kind == kind, last.range.upperBound == range.lowerBound {
            parts[parts.count - 1].range = last.range.lowerBound..<range.upperBound
        } else {
            parts.append(TextStructure.HiddenPart(kind: kind, range: range))
        }
    }

    /// Returns whether a line introduces a quotation, such as `On Monday, Mara wrote:`.
    private static func isAttribution(_ line: String) -> Bool {
        guard line.count <= 200, line.hasSuffix(":") else { return false }
        let lowercased = line.lowercased()
        if attributionEnds.contains(where: lowercased.hasSuffix) { return true }
        return attributionStarts.contains(where: lowercased.hasPrefix) && line.contains { $0.isNumber }
    }

    /// Returns whether the lines after ``convertedMark`` begin with a signature: only a few lines, and no
    /// other mark, precede the end or a quotation. A longer text follows a line that divides the message.
    private static func isSignature(_ lines: ArraySlice<Substring>) -> Bool {
        var count = 0
        for line in lines {
            if line == convertedMark { return false }
            let content = line.trimmingCharacters(in: .whitespacesAndNewlines)
            if content.hasPrefix(">") || isOriginalMark(content) { return true }
            if !content.isEmpty { count += 1 }
            if count > maximumSignatureLines { return false }
        }
        return true
    }

    private static func isOriginalMark(_ line: String) -> Bool {
        guard line.hasPrefix("---"), line.hasSuffix("---"), line.count <= 80 else { return false }
        let text = line.lowercased()
        return originalMarks.contains(where: text.contains)
    }
}

extension TextStructure {
    /// Creates the structure of a message.
    init(_ quotations: MailQuotations) {
        self.init(
            sections: [Section(headings: [], range: 0..<quotations.length)], hiddenParts: quotations.parts)
    }
}
