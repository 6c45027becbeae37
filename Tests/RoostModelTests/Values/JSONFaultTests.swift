import RoostModel
import Testing

/// Tests of the reasons why a JSON text cannot be read.
struct JSONFaultTests {
    private func fault(_ text: String) -> String { JSONFault.description(of: text.utf8, fallback: "none") }

    @Test(arguments: [
        (#"{"a": NaN}"#, "NaN"), (#"{"a": [1, Infinity]}"#, "Infinity"), (#"{"a": -Infinity}"#, "Infinity"),
    ])
    func `a word in the place of a number is named`(text: String, word: String) {
        #expect(fault(text) == "it contains \(word), which JSON does not have; write null instead")
    }

    @Test(arguments: [
        (#"{"a": "NaN", "Infinity": 1}"#, "none"), (#"{"a": None}"#, "its syntax is invalid"),
        (#"{"a": "\"NaN"}"#, "none"), (#"["NaN"]"#, "it is an array, not an object"),
    ])
    func `the same word in a string is no fault`(text: String, expected: String) {
        #expect(fault(text) == expected)
        #expect(JSONFault.notANumber(in: text.utf8) == nil)
    }

    @Test func `the line of the word is counted in the whole text`() {
        let text = "\n[\n  {\"a\": 1,\n   \"b\": NaN}]"
        #expect(JSONFault.notANumber(in: text.utf8)?.hasPrefix("line 4: it contains NaN") == true)
        #expect(JSONFault.notANumber(in: "a list of NaN".utf8) == nil)
        #expect(JSONFault.notANumber(in: "[1e999, NaN]".utf8) == nil)
    }
}
