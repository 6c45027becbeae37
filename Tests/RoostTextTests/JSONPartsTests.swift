import Foundation
import RoostText
import Testing

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
