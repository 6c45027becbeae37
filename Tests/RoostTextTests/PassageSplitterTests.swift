import TestSupport
import Testing

@testable import RoostText

struct PassageSplitterTests {
    /// Returns the ranges of words and punctuation characters, like a WordPiece tokenizer.
    func tokens(_ text: String) -> [Range<Int>] {
        let utf8 = Array(text.utf8)
        let words = Words(text).map(\.utf8Range)
        let covered = Set(words.flatMap(\.self))
        let others = utf8.indices.filter { !covered.contains($0) && !" \n".utf8.contains(utf8[$0]) }
        return (words + others.map { $0..<$0 + 1 }).sorted { $0.lowerBound < $1.lowerBound }
    }

    func passages(_ text: String, _ splitter: PassageSplitter, sections: [Int] = []) -> [String] {
        let utf8 = Array(text.utf8)
        return splitter.split(text, tokens: tokens(text), sections: sections).map {
            String(decoding: utf8[$0], as: UTF8.self)
        }
    }

    @Test func `a short text is a single passage`() {
        #expect(passages("One. Two.", PassageSplitter()) == ["One. Two."])
        #expect(passages("", PassageSplitter()) == [""])
    }

    @Test func `texts are split at sections first, then at paragraphs, sentences and words`() {
        let splitter = PassageSplitter(maximumTokens: 9, overlap: 0)
        #expect(
            passages(
                "one two three\n\nfour five\n## six\nseven eight. nine ten eleven", splitter,
                sections: [0, 25]) == [
                    "one two three\n\nfour five", "## six\nseven eight. nine ten eleven",
                ])
        #expect(
            passages("one two. three\n\nfour five. six seven eight nine ten", splitter) == [
                "one two. three", "four five. six seven eight nine ten",
            ])
        #expect(
            passages("one two three four. five six seven eight nine ten", splitter) == [
                "one two three four.", "five six seven eight nine ten",
            ])
        #expect(
            passages("one two three four five six seven eight nine ten", splitter) == [
                "one two three four five six seven eight nine", "ten",
            ])
    }

    @Test func `passages cover all tokens, respect the maximum and overlap`() {
        let text = (0..<900).map { "word\($0)\($0 % 13 == 0 ? "." : "")" }.joined(separator: " ")
        let all = tokens(text)
        let ranges = PassageSplitter(maximumTokens: 100, overlap: 20).split(text, tokens: all)
        #expect(
            all.allSatisfy { token in
                ranges.contains { $0.lowerBound <= token.lowerBound && token.upperBound <= $0.upperBound }
            })
        for range in ranges { #expect(all.count { range.contains($0.lowerBound) } <= 100) }
        for (a, b) in zip(ranges, ranges.dropFirst()) {
            #expect(b.lowerBound < a.upperBound && b.lowerBound > a.lowerBound)
        }
    }

    @Test func `ranges of tokens that are out of order or beyond the text are ignored`() {
        let text = "one two three four five six"
        let valid = tokens(text)
        let faulty = [valid[0], valid[2], valid[1]] + [0..<3, -4..<9, 24..<99] + valid[3...]
        let splitter = PassageSplitter(maximumTokens: 2, overlap: 0)
        let ranges = splitter.split(text, tokens: faulty)
        #expect(ranges == splitter.split(text, tokens: [valid[0]] + valid[2...]))
        #expect(ranges.count == 3)
        #expect(splitter.split(text, tokens: [9..<99, 10..<99, -1..<4]) == [0..<text.utf8.count])
    }

    @Test func `a text of closing signs between short tokens is split in linear time`() {
        let text = String(repeating: "_", count: 400_000)
        // Quadratic time would be minutes.
        let tokens = stride(from: 0, to: 400_000, by: 8).map { $0..<$0 + 7 }
        #expect(PassageSplitter().split(text, tokens: tokens).last?.upperBound == 400_000)
        let splitter = PassageSplitter(maximumTokens: 10, overlap: 0)
        #expect(passages("one two.**\"')] three four five six", splitter).first == "one two.**\"')]")
    }

    @Test func `no boundary is inside a grapheme cluster`() {
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
        let text = String(repeating: "e\u{301}" + family + "日本\r\n", count: 60)
        // Each scalar is a token, so most tokens start inside a grapheme cluster.
        var (offset, tokens) = (0, [Range<Int>]())
        for scalar in text.unicodeScalars {
            tokens.append(offset..<offset + UTF8.width(scalar))
            offset += UTF8.width(scalar)
        }
        var boundaries: Set<Int> = [0]
        offset = 0
        for character in text {
            offset += character.utf8.count
            boundaries.insert(offset)
        }
        let ranges = PassageSplitter(maximumTokens: 25, overlap: 5).split(text, tokens: tokens)
        #expect(ranges.count > 5)
        for range in ranges { #expect(boundaries.contains(range.lowerBound)) }
    }
}

/// Tests of the division of texts with sections and blocks.
struct PassageBlockTests {
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
