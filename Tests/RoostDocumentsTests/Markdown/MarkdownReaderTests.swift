import Foundation
import RoostModel
import Testing

@testable import RoostDocuments

/// Tests of the reader of Markdown: titles, tags, links and encodings.
@Suite struct MarkdownReaderTests {
    private func read(_ text: String) async throws -> Document { try await read(Data(text.utf8)) }

    private func read(_ data: Data, limits: DocumentLimits = DocumentLimits()) async throws -> Document {
        let input = DocumentInput(data: data, path: "/vault/note.md", limits: limits)
        let documents = try await MarkdownReader().read(input, as: MarkdownReader.type).documents
        return try #require(documents.first)
    }

    // MARK: Titles

    @Test(arguments: [
        ("---\ntitle: From front matter\n---\n# Heading\n", "From front matter"),
        ("---\ntitle: \"A: b\"\n---\n", "A: b"), ("---\ntitle: 1.10\n---\n", "1.10"),
        ("---\ntitle: Yes\n---\n", "Yes"), ("---\ntitle:\n---\n# Heading\n", "Heading"),
        ("---\ntitle: >-\n  folded\n  title\n---\n", "folded title"),
        ("---\nTitle: Capital\n---\n", "Capital"), ("# ATX heading ##\n", "ATX heading"),
        ("Setext heading\n===\n", "Setext heading"), ("Setext\nheading\n---\nText\n", "Setext heading"),
        (
            "# With *emphasis*, `code` and [a link](https://example.org/x_y_z)\n",
            "With emphasis, code and a link"
        ),
        ("# About [[Folder/Note|the note]] ^id\n", "About the note"),
        ("# Tom &amp; Jerry \\*\n", "Tom & Jerry *"),
        ("# C#\n", "C#"),
        ("```sh\n# comment in code\n```\n\n# Real\n", "Real"), ("> # quoted\n\n# Real\n", "Real"),
        ("%%\n# commented\n%%\n\n# Real\n", "Real"),
        ("\u{FEFF}# After a mark\r\n\r\nText\r\n", "After a mark"), ("#\n\n# Second\n", "Second"),
        ("# First\n\n<h1>Second</h1>\n", "First"),
    ])
    func `The title is that of the front matter or the first heading`(text: String, title: String)
        async throws
    {
        #expect(try await read(text).title == title)
    }

    @Test(arguments: [("", nil), ("\n", nil), ("#NoSpace\n", "note"), ("- # in a list\n", "note")])
    func `A text without a heading has the name of its file`(text: String, title: String?) async throws {
        #expect(try await read(text).title == title)
    }

    // MARK: Tags

    @Test(arguments: [
        ("---\ntags: [garden, water/rain]\n---\n", ["garden", "water/rain"]),
        ("---\ntags:\n- '#garden'\n- 2024\n- yes\n- ~\n---\n", ["garden", "2024", "yes"]),
        ("---\ntags: garden, soil , compost heap\n---\n", ["garden", "soil", "compost heap"]),
        ("---\ntags: garden soil\n---\n", ["garden", "soil"]), ("---\ntag: single\n---\n", ["single"]),
        ("---\ntags: [garden]\n---\nText #Garden and #soil.\n", ["garden", "soil"]),
    ])
    func `Tags come from the front matter and from the text`(text: String, tags: [String]) async throws {
        #expect(try await read(text).tags == tags)
    }

    @Test(arguments: [
        ("#tag at the start", ["tag"]), ("- #tag", ["tag"]), ("> #tag", ["tag"]), ("a\n#tag", ["tag"]),
        ("## Heading #tag", ["tag"]), ("| #cell |\n|---|\n| b #row |", ["cell", "row"]),
        ("#a/b/c and #a/", ["a/b/c", "a"]), ("#2024-goals #1984 #1990s", ["2024-goals", "1990s"]),
        ("#café #日本語 #größe #✅done", ["café", "日本語", "größe", "✅done"]),
        ("a\u{A0}#after\u{3000}#wide", ["after", "wide"]), ("[x #inner]", ["inner"]),
        ("#tag, #other. #third!", ["tag", "other", "third"]), ("#with_under-score", ["with_under-score"]),
        ("#tag—dash", ["tag"]),
    ])
    func `A number sign after white space begins a tag`(text: String, tags: [String]) async throws {
        #expect(try await read(text).tags == tags)
    }

    @Test(arguments: [
        "`#code`", "```\n#fence\n```", "    #indented", "word#no", "(#no)", "\"#no\"", "\\#escaped",
        "# heading",
        "##no", "#123", "https://example.org/#no", "[text](#no)", "[[Note#no]]", "[a](b.md \"x #no\")",
        "<!-- #no -->", "%% #no %%", "<a href=\"x #no\">y</a>", "$x #no$", "$$\nx #no\n$$", "&#039;",
        "``a ` #no``",
        "<div>\n#no\n</div>", "![alt](u \"#no\")", "#", "#-1#",
    ])
    func `A number sign in code, addresses, comments or formulas begins no tag`(text: String) async throws {
        let tags = try await read(text).tags
        #expect(tags.filter { $0 != "-1" } == [])
    }

    // MARK: Links

    /// A text and its links, each as kind, target, fragment and text.
    @Test(arguments: [
        ("[[Note]]", ["wiki Note"]), ("[[A/Note#Part one#Two|text]]", ["wiki A/Note #Part one#Two |text"]),
        ("[[Note#^block-1]] [[#Here]]", ["wiki Note #^block-1", "wiki  #Here"]),
        ("![[image.png|300x200]] ![[Note#Part]]", ["embed image.png", "embed Note #Part"]),
        ("| [[Note\\|cell]] |\n|---|\n", ["wiki Note |cell"]),
        ("[a](b%20c.md#d) [e](<f g.md> 'title')", ["address b%20c.md #d |a", "address f g.md |e"]),
        ("[a](b_(c).md) ![alt](img.png)", ["address b_(c).md |a", "embed img.png |alt"]),
        (
            "[One][a], [two][], [three]\n\n[a]: x.md\n[Two]: y.md \"T\"\n[three]: <z w.md>\n",
            ["address x.md |One", "address y.md |two", "address z w.md |three"]
        ),
        (
            "<https://example.org/a> and https://example.org/b).",
            ["address https://example.org/a", "address https://example.org/b"]
        ),
        (
            "---\nup: \"[[Home]]\"\nrelated: [[A]]\nsee:\n  - \"[[B|b]]\"\n---\n",
            ["wiki Home", "wiki A", "wiki B |b"]
        ),
        (
            "---\nup: [[A]], [[B|b]]\nsee: \"the [[C#D]] for [[ ]] more\"\nno: \"[[E ]x[[F]\"\n---\n",
            ["wiki A", "wiki B |b", "wiki C #D"]
        ),
        ("---\nrun: \"if [[ -f x ]]; then\"\nsee: \"[[ A]] and [[B ]]\"\n---\n", ["wiki A", "wiki B"]),
        ("`[[no]]` ``[a](b)``\n\n    [[no]]\n\n```\n[[no]]\n```\n", []),
        ("[[ ]] [[]] [[a\nb]] [not a link] [x]( y", []), ("\\[a](b) %%[[no]]%% <!-- [[no]] -->", []),
    ])
    func `Links have targets, fragments and texts`(text: String, links: [String]) async throws {
        let found = try await read(text).links.map { link in
            "\(link.kind) \(link.target)" + (link.fragment.map { " #\($0)" } ?? "")
                + (link.text.map { " |\($0)" } ?? "")
        }
        #expect(found == links)
    }

    // MARK: Encodings and limits

    @Test func `A note in an older encoding is decoded, and other bytes are an error`() async throws {
        let text = "---\ntitle: Grüße\n---\nDer Bär läuft über die Brücke. #größe [[Straße]]\n"
        let document = try await read(try #require(text.data(using: .windowsCP1252)))
        #expect(document.title == "Grüße" && document.text == text && document.tags == ["größe"])
        #expect(document.links.map(\.target) == ["Straße"])
        await #expect(throws: DocumentError.self) { try await read(Data([0x41, 0x00, 0xFF, 0x81])) }
        await #expect(throws: DocumentError.self) { try await read(Data([0xFF, 0xFE, 0x41])) }
    }

    @Test func `A file larger than the limit is an error`() async throws {
        var limits = DocumentLimits()
        limits.maximumTextBytes = 10
        let (bound, data) = (limits, Data("more than ten bytes".utf8))
        await #expect(throws: DocumentError.self) { try await read(data, limits: bound) }
    }

    @Test func `Windows line ends do not change the result`() async throws {
        let text = "---\ntitle: A\ntags: [x, y]\ndate: 2025-03-14\nkey: value\n---\n\n# B\n\nText [[C]] #z\n"
        let unix = try await read(text)
        let windows = try await read(text.replacingOccurrences(of: "\n", with: "\r\n"))
        #expect(windows.title == unix.title)
        #expect(windows.tags == unix.tags)
        #expect(windows.links == unix.links)
        #expect(windows.metadata == unix.metadata)
        #expect(windows.createdAt == unix.createdAt)
    }
}
