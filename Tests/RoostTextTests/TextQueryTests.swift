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
            }
        }
    }

    @Test func `the words outside of exclusions contribute to the score`() {
        #expect(
            scoring("boats \"paint the roof\" -rain -\"dry dock\" sea* -sto*") == [
                "boats 1", "paint 1", "the 1", "roof 1", "sea* 1",
            ])
        #expect(
            scoring("state-of-the-art paint") == ["state 1", "art 1", "state-of-the-art 1", "paint 1"])
        #expect(!TextQuery("?! *").hasWords)
    }

    @Test func `stop words count only if the query contains nothing else`() {
        #expect(scoring("who is the one") == ["who 1", "is 1", "the 1", "one 1"])
        #expect(scoring("who is the painter") == ["painter 1"])
        #expect(scoring("boat boats boat") == ["boat 2", "boats 1"])
    }
}
