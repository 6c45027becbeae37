@testable import RoostDocuments

/// The rules for structures of texts.
enum FuzzRules {
    /// Returns the first rule that the structure of a text violates.
    static func defect(of text: String, format: TextFormat) -> String? {
        let structure = TextStructure(of: text, format: format)
        return defect(structure, of: text)
    }

    /// Returns the first rule that a structure of a text violates.
    static func defect(_ structure: TextStructure, of text: String) -> String? {
        var text = text
        return text.withUTF8 { utf8 in
            func isBoundary(_ offset: Int) -> Bool { offset == utf8.count || utf8[offset] & 0xC0 != 0x80 }
            guard structure.isValid(forLength: utf8.count) else { return "ranges are not in order" }
            let ranges =
                structure.sections.map(\.range) + structure.hiddenParts.map(\.range) + structure.blocks
            for range in ranges where !isBoundary(range.lowerBound) || !isBoundary(range.upperBound) {
                return "\(range) begins or ends within a character"
            }
            if structure.sections.contains(where: { $0.headings.contains(where: \.isEmpty) }) {
                return "empty heading"
            }
            let stored = TextStructure(coded: structure.coded, length: utf8.count)
            return stored == structure ? nil : "the stored form differs"
        }
    }
}
