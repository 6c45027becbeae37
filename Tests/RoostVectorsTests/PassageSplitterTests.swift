import RoostText
import Testing

struct PassageSplitterTests {
    func tokens(_ text: String) -> [Range<Int>] { Words(text).map(\.utf8Range) }

    func pieces(_ text: String, _ splitter: PassageSplitter) -> [String] {
        let utf8 = Array(text.utf8)
        return splitter.split(text, tokens: tokens(text)).map { String(decoding: utf8[$0], as: UTF8.self) }
    }

    @Test func `a short text stays whole`() {
        #expect(pieces("One. Two.", PassageSplitter()) == ["One. Two."])
        #expect(pieces("", PassageSplitter()) == [""])
    }

    @Test func `headings, then paragraphs, then sentences`() {
        let splitter = PassageSplitter(maximumTokens: 8, overlap: 0)
        let text =
            "one two three. four five\n\nsix seven\n## eight\nnine ten eleven twelve. thirteen fourteen fifteen"
        let found = pieces(text, splitter)
        #expect(found[0].hasSuffix("seven\n##") || found[0].hasSuffix("seven"))
        #expect(found[1].hasPrefix("eight"))
    }

    @Test func `every token is in a passage, none has too many, and passages overlap`() {
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

    @Test func `no boundary is inside a grapheme`() {
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
        let text = String(repeating: "e\u{301}" + family + "日本\r\n", count: 60)
        // A token for each scalar: most of them begin inside a grapheme.
        var (place, tokens) = (0, [Range<Int>]())
        for scalar in text.unicodeScalars {
            tokens.append(place..<place + UTF8.width(scalar))
            place += UTF8.width(scalar)
        }
        var boundaries: Set<Int> = [0]
        place = 0
        for character in text {
            place += character.utf8.count
            boundaries.insert(place)
        }
        let ranges = PassageSplitter(maximumTokens: 25, overlap: 5).split(text, tokens: tokens)
        #expect(ranges.count > 5)
        for range in ranges { #expect(boundaries.contains(range.lowerBound)) }
    }
}
