import Foundation
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

struct JSONPartsTests {
    private func elements(_ text: String) -> [String]? {
        let parts = JSONParts(Data(text.utf8))
        return parts.elements(in: parts.all)?.map { String(decoding: parts.data($0), as: UTF8.self) }
    }

    @Test func `the elements of an array are found without being decoded`() {
        #expect(elements(" [ ] ") == [])
        let found = elements(#"[1,"a ] \" ,",[2,[3]],{"b":[4]}]"#)
        #expect(found == ["1", #""a ] \" ,""#, "[2,[3]]", #"{"b":[4]}"#])
        for text in ["", "[", "[1", "[1,", "[\"a]", "[,]", "[1,,2]", "[1],", "[1] 2", "{}", "1", "[[1] [2]]"]
        {
            #expect(elements(text) == nil, "\(text)")
        }
    }

    @Test func `the members of an object are found without being decoded`() throws {
        let text = #" {"a" : {"b": "}"}, "c\"":[1,{}] ,"d":null} "#
        let parts = JSONParts(Data(text.utf8))
        let members = try #require(parts.members(in: parts.all))
        let values = members.mapValues { String(decoding: parts.data($0), as: UTF8.self) }
        #expect(values == ["a": #"{"b": "}"}"#, "c\"": "[1,{}]", "d": "null"])
        for text in ["{", "{\"a\"}", "{\"a\":}", "{1:2}", "{\"a\":1}\n{}", "[]"] {
            let parts = JSONParts(Data(text.utf8))
            #expect(parts.members(in: parts.all) == nil, "\(text)")
        }
    }
}
