import RoostDocuments
import RoostModel
import Testing

@testable import Roost

@Suite struct TextTreatmentTests {
    /// A text with hidden parts at the beginning, next to each other, in words and at the end.
    private let treatment = Self.treatment(
        """
        <!-- a --> <!-- b -->
        # Swifts <!-- c -->

        They sl<!-- d -->eep <!-- e --><!-- f --> on the <!-- g -->wing.

        <!-- h -->

        ## Nests

        Under roofs.<!-- i -->

        """)

    private static func treatment(_ text: String) -> TextTreatment {
        TextTreatment(of: Entry(content: text, structure: TextStructure(of: text, format: .markdown)))
    }

    @Test func `every range has the visible text and bounds that its bytes have`() {
        let utf8 = Array(treatment.content.utf8)
        var isHidden = utf8.map { _ in false }
        for part in treatment.structure.hiddenParts { for byte in part.range { isHidden[byte] = true } }
        #expect(isHidden.contains(true))
        for lower in utf8.indices {
            for upper in lower...utf8.count {
                let range = lower..<upper
                let visible = range.filter { !isHidden[$0] }
                let text = String(decoding: visible.map { utf8[$0] }, as: UTF8.self)
                let found = treatment.visibleText(in: range)
                // A space separates words that only a comment separates.
                #expect(found.filter { $0 != " " } == text.filter { $0 != " " }, "\(range)")
                let characters = visible.filter { utf8[$0] != 32 && utf8[$0] != 10 }
                let bounds = characters.first.map { $0..<(characters.last ?? $0) + 1 }
                #expect(treatment.visibleBounds(of: range) == bounds, "\(range)")
            }
        }
    }

    @Test func `a passage has the headings above it, without the one that it contains`() throws {
        func headings(above text: String) throws -> [String] {
            let start = try #require(treatment.content.firstRange(of: text)).lowerBound
            let byte = treatment.content.utf8.distance(from: treatment.content.startIndex, to: start)
            return treatment.headings(above: byte..<treatment.content.utf8.count)
        }
        #expect(try headings(above: "# Swifts").isEmpty)
        #expect(try headings(above: "They") == ["Swifts"])
        #expect(try headings(above: "wing") == ["Swifts"])
        #expect(try headings(above: "## Nests") == ["Swifts"])
        #expect(try headings(above: "Under") == ["Swifts", "Nests"])
    }
}
