import Testing

@testable import RoostText

@Suite struct HeadingPathTests {
    private static let text = """
        ---
        title: Notes
        ---
        # Install

        Before.

        ## Linux ##
        Run this:
        ```sh
        # not a heading
        apt install x
        ```
        ### Debian
        more
        ## *macOS*
        text
        Windows
        -------
        rest
        #tag is text
        """

    private func headings(above word: String) throws -> [String] {
        let range = try #require(Self.text.firstRange(of: word))
        return HeadingPath.headings(
            above: Self.text.utf8.distance(from: Self.text.startIndex, to: range.lowerBound), in: Self.text)
    }

    @Test(
        arguments: [
            ("title: Notes", []), ("Before.", ["Install"]), ("Run this", ["Install", "Linux"]),
            ("apt install", ["Install", "Linux"]), ("more", ["Install", "Linux", "Debian"]),
            ("text\nWindows", ["Install", "macOS"]), ("rest", ["Install", "Windows"]),
            ("is text", ["Install", "Windows"]), ("Linux ##", ["Install", "Linux"]),
        ])
    func `headings enclose the text after them`(word: String, expected: [String]) throws {
        #expect(try headings(above: word) == expected)
    }

    @Test func `positions outside of the text are accepted`() {
        #expect(HeadingPath.headings(above: 99, in: "").isEmpty)
        #expect(HeadingPath.headings(above: 99, in: "# A\n\n## B") == ["A", "B"])
        #expect(HeadingPath.headings(above: 0, in: "---\nno end").isEmpty)
        // A line at the beginning is front matter only if another one ends it and there are keys.
        #expect(HeadingPath.headings(above: 99, in: "---\n# A\nkey: value") == ["A"])
        #expect(HeadingPath.headings(above: 99, in: "---\n\n# A\n\n---\ntext") == ["A"])
    }
}

@Suite struct CodeBlockTests {
    private static let text = """
        prose

            indented one
            indented two

        ```swift
        let a = 1
        let b = 2
        ```
        end
        ~~~
        unclosed
        """

    private func block(around word: String) throws -> String? {
        let text = Self.text
        let range = try #require(text.firstRange(of: word))
        let byte = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
        return CodeBlock.range(containing: byte, in: text).map {
            String(decoding: Array(text.utf8)[$0], as: UTF8.self)
        }
    }

    @Test(
        arguments: [
            ("prose", nil), ("indented two", "    indented one\n    indented two\n"),
            ("let b", "let a = 1\nlet b = 2"), ("end", nil), ("unclosed", "unclosed"), ("```swift", nil),
        ])
    func `code blocks are fenced or indented`(word: String, expected: String?) throws {
        #expect(try block(around: word) == expected)
    }
}
