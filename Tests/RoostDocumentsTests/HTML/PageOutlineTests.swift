import Foundation
import Testing

@testable import RoostDocuments

/// Tests of the outline of a page, from which features of its blocks are computed.
@Suite struct PageOutlineTests {
    private static let sentence = String(repeating: "One of the words of a long paragraph. ", count: 5)
    private static let markup = """
        <link rel="canonical" href="https://www.example.org/story">
        <div class="text"><h1>Title</h1><p>\(sentence)</p><p>Short.</p><p>\(sentence)</p></div>
        <div class="more"><h2>More</h2><p><a href="https://example.org/a">First</a></p>
        <p><a href="https://example.com/b">Second</a></p></div>
        """

    private func outline() -> (facts: PageFacts, outline: PageOutline) {
        let page = HTMLPage(Data(Self.markup.utf8), encodingName: "utf-8")
        let facts = PageFacts(tree: page.tree, blocks: page.blocks, metadata: page.metadata)
        return (facts, PageOutline(facts))
    }

    @Test func `Headings begin sections`() {
        #expect(outline().outline.sections == [0..<4, 0..<4, 0..<4, 0..<4, 4..<7, 4..<7, 4..<7])
    }

    @Test func `Blocks with the same elements are a group`() {
        let outline = outline().outline
        #expect(outline.styles[1].blocks == 3)
        #expect(outline.styles[5].blocks == 2)
        #expect(outline.paths[1].blocks == 5)
        #expect(outline.styles[5].linkDensity == 1)
    }

    @Test func `The long paragraphs around a block are found`() {
        let outline = outline().outline
        #expect(outline.previousLong == [nil, nil, 1, 1, 3, 3, 3])
        #expect(outline.nextLong == [1, 3, 3, nil, nil, nil, nil])
    }

    @Test func `The distance of two blocks is the number of elements between them`() {
        let facts = outline().facts
        #expect(facts.distance(of: facts.blocks[1], from: facts.blocks[1]) == 0)
        #expect(facts.distance(of: facts.blocks[1], from: facts.blocks[2]) == 2)
        #expect(facts.distance(of: facts.blocks[5], from: facts.blocks[2]) == 4)
    }

    @Test(arguments: [
        ("/page", false), ("#part", false), ("https://news.example.org/page", false),
        ("//example.com", true), ("https://example.com/?u=https://example.org", true),
    ])
    func `Links to other sites are recognized`(link: String, isOutside: Bool) {
        #expect(outline().outline.isOutside(link) == isOutside)
    }

    @Test func `Each feature of a block has a name`() {
        let facts = outline().facts
        let names = BlockFeatures.names(facts)
        #expect(BlockFeatures.all(of: facts).allSatisfy { $0.count == names.count })
    }
}
