import RoostModel
import Testing

/// Tests of the reasons why a JSON text cannot be read.
struct JSONFaultTests {
    @Test(arguments: [
        (#"{"a": "NaN"}"#, "none"), ("[1]", "it is an array, not an object"),
        ("7", "it is a single value, not an object"), (" ", "it is empty"),
        (#"{"a": NaN}"#, "it is not valid JSON: not a JSON value at byte 6"),
        (#"{"a": 1e999}"#, "it is not valid JSON: number out of range at byte 11"),
        (#"{"a": "\ud800"}"#, "it is not valid JSON: unpaired surrogate at byte 13"),
        (#"{"a": 1"#, "it is not valid JSON: expected '}' at byte 7"),
    ])
    func `the reason names the fault and its offset`(text: String, expected: String) {
        #expect(JSONFault.description(of: text.utf8, fallback: "none") == expected)
    }
}
