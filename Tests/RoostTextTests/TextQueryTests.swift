import Testing

@testable import RoostText

@Suite struct TextQueryTests {
    private func scoring(_ query: String) -> [String] {
        TextQuery(query).scoring.map { clause in
            let count = clause.count
            return switch clause.clause {
            case .phrase(let terms):
                terms.map { String(decoding: $0.word, as: UTF8.self) }.joined(separator: "+") + " \(count)"
            case .prefix(let word): String(decoding: word, as: UTF8.self) + "* \(count)"
            case .anyPhrase: "any"
            }
        }
    }

    @Test func `quotes, minus signs and asterisks are operators`() {
        let query = TextQuery("boats \"paint the roof\" -rain -\"dry dock\" sea* -sto*")
        #expect(
            scoring("boats \"paint the roof\" -rain -\"dry dock\" sea* -sto*") == [
                "boats 1", "paint 1", "the 1", "roof 1", "sea* 1",
            ])
        #expect(query.required.count == 1 && query.excluded.count == 3)
        #expect(query.plainText == "boats paint the roof sea")
        #expect(query.isSelective && query.hasWords)
    }

    @Test func `operators in other positions are punctuation`() {
        for text in [
            "state-of-the-art paint", "say \"unfinished", "a - b", "-- -", "5 * 3", "\"\"", "* **", "?!", "",
            " ",
            "-\"\"", "paint - the roof", "-", "it's",
        ] {
            #expect(!TextQuery(text).isSelective, "\(text)")
        }
        #expect(
            scoring("state-of-the-art paint") == ["state 1", "art 1", "state-of-the-art 1", "paint 1"])
        #expect(!TextQuery("?! *").hasWords)
        #expect(TextQuery("-five").excluded.count == 1 && TextQuery("-500").excluded.isEmpty)
        #expect(TextQuery("paint -roof-top").excluded.count == 1)
        #expect(TextQuery("\u{201C}dry dock\u{201D}").required.count == 1)
    }

    @Test func `quotation marks in prose are punctuation`() {
        let prose =
            "Is there a difference between a \"dry dock\" and a wet dock for the repair of wooden boats?"
        #expect(!TextQuery(prose).isSelective)
        #expect(TextQuery("difference between \"dry dock\" and wet dock").required.count == 1)
    }

    @Test func `stop words count only if the query contains nothing else`() {
        #expect(scoring("who is the one") == ["who 1", "is 1", "the 1", "one 1"])
        #expect(scoring("who is the painter") == ["painter 1"])
        #expect(scoring("boat boats boat") == ["boat 2", "boats 1"])
    }
}
