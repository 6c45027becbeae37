import Foundation
import RoostModel
import TestSupport
import Testing

struct TextStructureTests {
    private let structure = TextStructure(
        format: .markdown, title: "Swifts",
        sections: [
            .init(headings: [], range: 0..<7), .init(headings: ["Swifts"], range: 7..<200),
            .init(headings: ["Swifts", "Nests", ""], range: 200..<400),
            .init(headings: ["Swifts", "Food"], range: 400..<500),
        ],
        hiddenParts: [.init(kind: .frontMatter, range: 0..<7), .init(kind: .markup, range: 300..<301)],
        blocks: [7..<150, 150..<499],
        links: [
            DocumentLink(kind: .wiki, target: "Roof", fragment: "Tiles"),
            DocumentLink(kind: .address, target: "https://example.org", text: ""),
        ])

    @Test func `the stored form is compact and complete`() {
        #expect(TextStructure(coded: structure.coded, length: 500) == structure)
        let text = String(repeating: "a", count: 500)
        #expect(TextStructure(base64: structure.base64(of: text), of: text) == structure)
        #expect(TextStructure(base64: structure.base64(of: text), of: "b" + text.dropFirst()) == nil)
        #expect(structure.coded.count < 110)
        #expect(TextStructure().coded.count == 7)
        #expect(structure.bodyStart == 7 && TextStructure().bodyStart == 0)
    }

    @Test func `a structure of another text is refused`() {
        #expect(!structure.isValid(forLength: 499) && !structure.isValid(forLength: 501))
        #expect(TextStructure(coded: structure.coded, length: 499) == nil)
        for ranges in [[3..<4, 2..<9], [4..<4], [0..<501], [-1..<2]] {
            var changed = structure
            changed.blocks = ranges
            #expect(!changed.isValid(forLength: 500), "\(ranges)")
        }
        var gap = structure
        gap.sections.remove(at: 1)
        #expect(!gap.isValid(forLength: 500))
    }

    @Test func `damaged bytes are refused or are another valid structure`() {
        let bytes = structure.coded
        for count in 0..<bytes.count {
            #expect(TextStructure(coded: Array(bytes[..<count]), length: 500) == nil)
        }
        #expect(TextStructure(coded: bytes + [0], length: 500) == nil)
        var generator = Seeded(state: 3)
        for _ in 0..<20_000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                damaged[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
                    in: 0...255, using: &generator)
            }
            let read = TextStructure(coded: damaged, length: 500)
            #expect(read?.isValid(forLength: 500) ?? true)
        }
    }

    @Test func `a new text of an entry has no structure`() {
        var entry = Entry(content: "text", structure: TextStructure(format: .markdown))
        entry.content = "other"
        #expect(entry.structure == nil)
    }

    @Test func `the JSON of an entry contains the structure, which must be that of its text`() throws {
        let text = String(repeating: "a", count: 500)
        let entry = Entry(content: text, structure: structure)
        let json = try JSONEncoder().encode(entry)
        #expect(try JSONDecoder().decode(Entry.self, from: json) == entry)
        let shorter = String(decoding: json, as: UTF8.self).replacing(text, with: "a")
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Entry.self, from: Data(shorter.utf8)) }
    }
}
