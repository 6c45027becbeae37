import Foundation
import RoostFiles
import RoostModel
import Testing

/// `JSONEncoder` is the oracle.
@Suite struct JSONTextEncoderTests {
    private struct Part: Encodable, Sendable {
        var zeta = "ä\u{1F600} \"quoted\" \\ / \u{7}\n\t"
        var alpha: Int?
        var flags = [true, false]
        var numbers: [String: Double] = ["whole": 3, "small": 1.5e-9, "large": 1e300]
        var floats: [Float] = [0, -1.25, 3e-8]
        var big = UInt64.max
        var small = Int8.min
        var identifier = UUID(uuidString: "00000000-0000-4000-8000-0000000000FF")!
        var address = URL(string: "https://example.org/a?b=c")!
        var metadata: [String: MetadataValue] = ["list": .array([.null, .integer(2), .string("x")])]
        var nested: [[Int]] = [[], [1, 2]]
        var date = Date(milliseconds: 1_700_000_000_123)
        var kind = ChangeKind.second
        var empty = Empty()
    }

    private struct Empty: Encodable {}

    private enum ChangeKind: String, Encodable { case first, second }

    /// Writes its members with nested containers, and those of a base into the same object.
    private struct Nesting: Encodable {
        private enum Key: String, CodingKey { case list, object, after }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            for number in 0..<2 {
                var object = list.nestedContainer(keyedBy: Key.self)
                try object.encode(number, forKey: .object)
                try object.encodeNil(forKey: .after)
            }
            try container.encode(Part(), forKey: .object)
            try container.encode("last", forKey: .after)
            try Part().encode(to: encoder)
        }
    }

    @Test func matchesJSONEncoder() throws {
        let values: [any Encodable] = [
            Part(), Nesting(), [Part(), Part()], "text", 7, [Part?.none, Part(alpha: 1)], [String: Int](),
            Entry(
                content: "a text", embeddings: [0.5, 0.25],
                passages: [
                    Passage(ordinal: 0, utf8Range: 0..<6, tokenCount: 2, vector: [0.5, 0.25]),
                    Passage(ordinal: 1, utf8Range: 2..<6, tokenCount: 1, vector: [1, 0]),
                ], metadata: ["year": .integer(2020)], tags: ["tag"],
                createdAt: Date(milliseconds: 1_700_000_000_000)),
        ]
        for value in values {
            let expected = try JSONEncoder.canonical.encode(value)
            let text = try JSONTextEncoder().encode(value)
            #expect(String(decoding: text, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
            let pretty = try JSONTextEncoder(isPretty: true).encode(value)
            let read = try JSONSerialization.jsonObject(with: pretty, options: .fragmentsAllowed)
            let original = try JSONSerialization.jsonObject(with: expected, options: .fragmentsAllowed)
            #expect((read as? NSObject) == (original as? NSObject))
        }
    }

    @Test func writesEachMemberOnALine() throws {
        let text = try JSONTextEncoder(isPretty: true, writesDatesAsText: true)
            .encode(["b": ["x"], "a": []] as [String: [String]])
        #expect(String(decoding: text, as: UTF8.self) == "{\n  \"a\" : [],\n  \"b\" : [\n    \"x\"\n  ]\n}")
        let dates = try JSONTextEncoder(writesDatesAsText: true).encode([Date(milliseconds: -1)])
        #expect(String(decoding: dates, as: UTF8.self) == "[\"1969-12-31T23:59:59.999Z\"]")
    }

    @Test func writesTheStoredFormsOfIDsAndDates() throws {
        let id = try #require(UUID(uuidString: "00000000-0000-4000-8000-0000000000FF"))
        let entry = Entry(id: id, content: "a", createdAt: Date(milliseconds: 0))
        let text = String(decoding: try JSONTextEncoder().encode(entry), as: UTF8.self)
        #expect(text.contains(#""id":"00000000-0000-4000-8000-0000000000ff""#))
        #expect(text.contains(#""createdAt":"1970-01-01T00:00:00.000Z""#))
    }

    @Test func refusesNumbersThatJSONCannotExpress() {
        #expect(throws: EncodingError.self) { try JSONTextEncoder().encode([Float.infinity]) }
        #expect(throws: EncodingError.self) { try JSONTextEncoder().encode(["x": Double.nan]) }
    }
}
