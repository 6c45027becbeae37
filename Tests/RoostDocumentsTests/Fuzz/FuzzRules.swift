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
            /// Whether ranges are in order, disjoint, not empty, and end at boundaries of characters.
            func areValid(_ ranges: [Range<Int>]) -> Bool {
                var end = 0
                for range in ranges {
                    if range.isEmpty || range.lowerBound < end || range.upperBound > utf8.count {
                        return false
                    }
                    if !isBoundary(range.lowerBound) || !isBoundary(range.upperBound) { return false }
                    end = range.upperBound
                }
                return true
            }
            var end = 0
            for section in structure.sections {
                if section.range.lowerBound != end { return "sections do not cover the text" }
                end = section.range.upperBound
                if end > utf8.count || !isBoundary(end) { return "section ends within a character" }
                if section.headings.contains(where: \.isEmpty) { return "empty heading" }
            }
            if end != utf8.count { return "sections do not reach the end" }
            if !areValid(structure.hiddenParts.map(\.range)) { return "hidden parts are not in order" }
            return areValid(structure.blocks) ? nil : "blocks are not in order"
        }
    }
}
