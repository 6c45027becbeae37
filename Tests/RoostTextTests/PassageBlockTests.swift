import RoostText
import TestSupport
import Testing

/// Tests of the division of texts with sections and blocks.
struct PassageBlockTests {
    /// Returns the ranges of the words of a text.
    private func tokens(_ text: String) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start: Int?
        for (offset, byte) in Array(text.utf8).enumerated() {
            if byte == 32 || byte == 10 {
                if let first = start { ranges.append(first..<offset) }
                start = nil
            } else if start == nil {
                start = offset
            }
        }
        if let first = start { ranges.append(first..<text.utf8.count) }
        return ranges
    }

    @Test func `no block is cut if it fits into a passage`() {
        var generator = Seeded(state: 7)
        for _ in 0..<300 {
            var text = ""
            var blocks: [Range<Int>] = []
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let count = Int.random(in: 1...30, using: &generator)
                let start = text.utf8.count
                let separator = Bool.random(using: &generator) ? " " : "\n"
                text += (0..<count).map { "w\($0)" }.joined(separator: separator)
                if Bool.random(using: &generator) { blocks.append(start..<text.utf8.count) }
                text += Bool.random(using: &generator) ? "\n\n" : "\n"
            }
            let tokens = tokens(text)
            let splitter = PassageSplitter(maximumTokens: 30, overlap: 8)
            let passages = splitter.split(text, tokens: tokens, blocks: blocks)
            for token in tokens {
                #expect(
                    passages.contains {
                        $0.lowerBound <= token.lowerBound && $0.upperBound >= token.upperBound
                    })
            }
            for block in blocks {
                #expect(
                    passages.contains {
                        $0.lowerBound <= block.lowerBound && $0.upperBound >= block.upperBound
                    },
                    "\(block) of \(text) in \(passages)")
            }
            for passage in passages {
                let bounds = [passage.lowerBound, passage.upperBound]
                #expect(
                    !blocks.contains { block in
                        bounds.contains { block.lowerBound < $0 && $0 < block.upperBound }
                    }, "\(passage) of \(text) with \(blocks)")
                #expect(
                    tokens.count {
                        $0.lowerBound >= passage.lowerBound && $0.upperBound <= passage.upperBound
                    } <= 30)
            }
            #expect(passages.count <= tokens.count)
        }
    }

    @Test func `a block that exceeds the limit is divided`() {
        let text = (0..<100).map { "w\($0)" }.joined(separator: "\n")
        let passages = PassageSplitter(maximumTokens: 30, overlap: 5)
            .split(text, tokens: tokens(text), blocks: [0..<text.utf8.count])
        #expect(passages.count >= 4 && passages.first?.lowerBound == 0)
        #expect(passages.last?.upperBound == text.utf8.count)
    }

    @Test func `a text is divided at sections, not at lines that look like headings`() {
        let words = (0..<20).map { "w\($0)" }.joined(separator: " ")
        let text = "\(words)\n# comment\n\(words)\nfunc b()\n\(words)"
        let start = text.utf8.count - words.utf8.count - "func b()\n".utf8.count
        let passages = PassageSplitter(maximumTokens: 50, overlap: 0)
            .split(text, tokens: tokens(text), sections: [0, start])
        #expect(passages.map(\.lowerBound) == [0, start])
    }
}
