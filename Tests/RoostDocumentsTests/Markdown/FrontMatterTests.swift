import Foundation
import RoostDocuments
import RoostModel
import Testing

/// Tests of front matter: metadata, dates, and text that is not valid.
@Suite struct FrontMatterTests {
    private func read(_ text: String) async throws -> Document {
        let input = DocumentInput(data: Data(text.utf8), path: "/vault/note.md")
        let documents = try await MarkdownReader().read(input, as: MarkdownReader.type).documents
        return try #require(documents.first)
    }

    // MARK: Metadata

    @Test func `Values have their types, or the text that a person wrote`() async throws {
        let document = try await read(
            """
            ---
            rating: 4
            weight: 2.5
            big: 1e3
            done: true
            reviewed: False
            country: NO
            answer: yes
            version: 1.10
            hash: 12345e67
            color: 0x1F
            mode: 0o17
            share: .5
            sum: 2.0
            empty:
            text: 12 boards
            time: 12:30
            zip: 01234
            quoted: "1.0"
            due: 2025-04-01
            list: [1, two, 3.5]
            nested:
              a: {b: [false]}
            ---
            """)
        #expect(
            document.metadata == [
                "rating": 4, "weight": 2.5, "big": "1e3", "done": true, "reviewed": false, "country": "NO",
                "answer": "yes", "version": "1.10", "hash": "12345e67", "color": "0x1F", "mode": "0o17",
                "share": ".5", "sum": "2.0", "empty": nil,
                "text": "12 boards", "time": "12:30", "zip": "01234", "quoted": "1.0", "due": "2025-04-01",
                "list": [1, "two", 3.5], "nested": ["a": ["b": [false]]],
            ])
        #expect(document.unreadParts.isEmpty)
    }

    @Test func `Aliases and merge keys are read`() async throws {
        let document = try await read(
            "---\naliases: [Plan, \"Second plan\"]\nbase: &b {a: 1, c: 2}\nother:\n  <<: *b\n  a: 3\n---\n")
        #expect(document.aliases == ["Plan", "Second plan"])
        #expect(document.metadata["other"] == ["a": 3, "c": 2])
    }

    @Test func `A text between two horizontal lines is not front matter`() async throws {
        for text in [
            "---\n\nOnly prose here\n\n---\n", "---\nkey: value\n", "text\n---\na: 1\n---\n",
            "----\na: 1\n----\n",
        ] {
            let document = try await read(text)
            #expect(document.metadata.isEmpty, "\(text)")
            #expect(
                TextStructure(of: text, format: .markdown).hiddenParts.allSatisfy { $0.kind != .frontMatter })
        }
    }

    @Test func `A second block is metadata, too`() async throws {
        let text =
            "---\nid: 7\n---\n\n---\ntitle: Clay\ntags: [kiln]\ndate: 2025-11-02\nbad: [1\n---\n\nWords\n"
        let document = try await read(text)
        #expect(document.title == "Clay" && document.tags == ["kiln"] && document.createdAt != nil)
        #expect(document.metadata["id"] == 7)
        #expect(document.unreadParts.first?.hasPrefix("front matter, line 9") == true)
        #expect(text.utf8.count - document.structure.bodyStart == 7)
        // Horizontal lines around a text
        let prose = try await read("---\nid: 7\n---\n\n---\n\nNote: keep dry\n\n---\n")
        #expect(prose.metadata == ["id": 7])
        let warning = try await read("---\nid: 7\n---\n\n---\nWarning: never mix them\n---\n")
        #expect(warning.metadata == ["id": 7])
    }

    @Test func `Front matter in TOML is hidden and reported`() async throws {
        let document = try await read("+++\ntitle = \"Clay\"\n+++\nWords\n")
        #expect(document.structure.bodyStart == 23 && document.unreadParts.count == 1)
        #expect(try await read("+++\nWords\n+++\n").unreadParts.isEmpty)
    }

    // MARK: Text that is not valid

    @Test func `An invalid line is reported and the other keys are read`() async throws {
        let document = try await read(
            "---\ntitle: Soup: a guide\ntags: [a, b]\nbad: [1, 2\ndate: 2025-03-14\n---\nText\n")
        #expect(document.title == "Soup: a guide")
        #expect(document.tags == ["a", "b"])
        #expect(document.createdAt == Date(timeIntervalSince1970: 1_741_910_400))
        #expect(document.unreadParts.count == 2)
        #expect(document.unreadParts.allSatisfy { $0.hasPrefix("front matter, line ") })
        #expect(document.unreadParts.first?.hasSuffix("; it was read as text") == true)
        #expect(document.unreadParts.last?.hasSuffix("; it was read as text") == true)
        #expect(document.text.hasSuffix("Text\n"))
    }

    @Test func `The last value of a repeated key counts`() async throws {
        let document = try await read("---\ntitle: First\ntitle: Second\n---\n")
        #expect(document.title == "Second")
    }

    @Test func `Aliases that grow exponentially are refused`() async throws {
        var yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...12 {
            let references = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            yaml += "a\(level): &a\(level) [\(references)]\n"
        }
        let document = try await read("---\n\(yaml)---\nText\n")
        #expect(!document.unreadParts.isEmpty)
        let few = try await read(
            "---\na: &a [x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\n? *c\n: key\ntitle: T\n---\n")
        #expect(few.title == "T")
    }

    @Test func `Deep nesting is reported and not an error`() async throws {
        for depth in [70, 900, 5000] {
            let list = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let document = try await read("---\ntitle: T\ndeep: \(list)\n---\nText\n")
            #expect(document.title == "T")
            #expect(document.metadata["deep"] == nil || document.metadata["deep"]?.string != nil)
            #expect(!document.unreadParts.isEmpty)
        }
    }

    @Test func `A key that is too long is reported`() async throws {
        let document = try await read("---\n? \(String(repeating: "k", count: 5000))\n: 1\ntitle: T\n---\n")
        #expect(document.title == "T")
        #expect(document.metadata.isEmpty)
        #expect(document.unreadParts.count == 1)
    }

    // MARK: Dates

    @Test(arguments: [
        ("created: 2025-03-14", 1_741_910_400.0), ("date: 2025-3-4", 1_741_046_400),
        ("date: 2025-03-14 09:30:00", 1_741_944_600), ("date: 2025-03-14T09:30", 1_741_944_600),
        ("date: 2025-03-14T09:30:00Z", 1_741_944_600), ("date: 2025-03-14 09:30:00 +01:00", 1_741_941_000),
        ("date: 2025-03-14T09:30:00.250-05:00", 1_741_962_600.25), ("created: 2025/03/14", 1_741_910_400),
        ("created_at: \"14.03.2025\"", 1_741_910_400), ("date: 14.3.2025 09:30", 1_741_944_600),
        ("date: 20250314", 1_741_910_400),
        ("date: 14 March 2025", 1_741_910_400), ("date: March 14th, 2025", 1_741_910_400),
        ("date: Fri, 14 Mar 2025 09:30:00 +0100", 1_741_941_000), ("date: 14. März 2025", 1_741_910_400),
        ("created: 1741910400", 1_741_910_400), ("created: 1741910400000", 1_741_910_400),
        ("date: 2024-02-29", 1_709_164_800), ("date: 2025", 1_735_689_600),
        ("date: 2025-03", 1_740_787_200),
        ("date: March 14, 2025 14:05", 1_741_961_100), ("published: 1969-12-31", -86_400),
    ])
    func `Dates are read in many formats`(line: String, seconds: Double) async throws {
        let document = try await read("---\n\(line)\n---\n")
        #expect(document.createdAt == Date(timeIntervalSince1970: seconds))
        #expect(document.metadata.isEmpty)
    }

    @Test(arguments: [
        "someday", "2025-02-30", "2025-13-01", "3/4/2025", "99999999", "2025-03-14 25:00",
        "2025-03-14 and more",
        "12:30", "25/12/2024", "-1", "[]", "2023-02-29", "00000000", "2025-03-14T09:30:00 Mars/Olympus",
    ])
    func `A value that is no clear date stays in the metadata`(value: String) async throws {
        let document = try await read("---\ndate: \(value)\n---\n")
        #expect(document.createdAt == nil)
        #expect(document.metadata["date"] != nil)
    }

    @Test func `The most specific key determines each date`() async throws {
        let document = try await read(
            "---\ndate: 2025-01-01\ncreated: 2024-01-01\nlastmod: 2025-03-14\nModified: someday\n---\n")
        #expect(document.createdAt == Date(timeIntervalSince1970: 1_704_067_200))
        #expect(document.updatedAt == Date(timeIntervalSince1970: 1_741_910_400))
        #expect(document.metadata == ["date": "2025-01-01", "Modified": "someday"])
    }
}
