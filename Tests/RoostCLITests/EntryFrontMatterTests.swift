import Foundation
import Roost
import Testing

@testable import RoostCLI

struct EntryFrontMatterTests {
    private func text(
        _ content: String, tags: [String] = [], metadata: [String: MetadataValue] = [:],
        source: String? = nil
    ) -> String {
        let key = source.map { _ in "file" }
        let entry = Entry(content: content, source: source, key: key, metadata: metadata, tags: tags)
        return EntryFrontMatter(of: entry).text
    }

    private let note = "file:///notes/wren.md"

    @Test func `the properties are added to the front matter of the content`() {
        let block = "title: Wren # a bird\nnested:\n  created: 1\n- source: x\n#updated: 2\n"
        let text = text(
            "---\n\(block)---\n\nIt sings.", tags: ["song"],
            metadata: ["title": .string("Wren"), "year": .string("2024")])
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.count { $0 == "---" } == 2 && text.hasSuffix(block + "---\n\nIt sings.\n"), "\(text)")
        #expect(lines[0] == "---" && lines[1].hasPrefix("id: \"") && lines[2].hasPrefix("created: \""))
        #expect(lines[3].hasPrefix("updated: \"") && lines[4] == "tags: [\"song\"]", "\(text)")
        #expect(lines[5] == "\"year\": \"2024\"" && lines[6] == "title: Wren # a bird", "\(text)")
    }

    @Test func `tags and values that were changed replace those of the front matter`() {
        let block =
            "\"tags\":\n# birds\n- party\n  # a comment\n- wren\nstatus: |\n  draft\n\nyear: 2024\n"
        let content = "---\n\(block)---\nIt sings.\n"
        let changed = text(
            content, tags: ["party", "art"],
            metadata: ["status": .string("raft"), "year": .integer(2024)], source: note)
        #expect(changed.contains("\ntags: [\"art\", \"party\"]\n\"status\": \"raft\"\n"), "\(changed)")
        #expect(changed.hasSuffix("\"raft\"\n# birds\n\nyear: 2024\n---\nIt sings.\n"), "\(changed)")
        let same = text(
            content, tags: ["Wren", "party"],
            metadata: ["status": .string("draft\n"), "year": .integer(2024)], source: note)
        #expect(same.hasSuffix("\"\n" + block + "---\nIt sings.\n") && !same.contains("tags: ["), "\(same)")
        // The tag in the text does not need to be in the front matter.
        let tagged = "---\nTags: wren\n---\nIt sings a #song.\n"
        #expect(text(tagged, tags: ["wren", "song"]).hasSuffix("\"\nTags: wren\n---\nIt sings a #song.\n"))
    }

    @Test func `the tags of front matter are removed only from a note that was read`() {
        let content = "---\ntags: [birds]\n---\nIt sings.\n"
        #expect(text(content).contains("\ntags: [birds]\n"))
        let note = Entry(content: content, source: "file:///notes/wren.md", key: "file")
        #expect(!EntryFrontMatter(of: note).text.contains("birds"))
    }

    @Test(arguments: [
        // A text that was not read as Markdown, and front matter that cannot be parsed or has an anchor.
        ("tags: [k]\nstatus: done\n", false), ("tags: [k]\n\tstatus: done\n", true),
        ("tags: k\n{{template}}\nstatus: done\n", true), ("tags: &t [k]\nstatus: *t\n", true),
    ])
    func `lines that cannot be replaced safely are kept`(block: String, isNote: Bool) {
        let text = text(
            "---\n\(block)---\nIt sings.\n", tags: ["z"], metadata: ["status": .string("open")],
            source: isNote ? note : nil)
        #expect(text.hasSuffix("\n" + block + "---\nIt sings.\n"), "\(text)")
        #expect(text.contains("\nroost-tags: [\"z\"]\n"), "\(text)")
    }

    @Test func `a value that was removed from a note is removed from its front matter`() {
        let text = text("---\nstatus: done\nyear: 1\n---\n", metadata: ["year": .integer(1)], source: note)
        #expect(text.hasSuffix("\nyear: 1\n---\n") && !text.contains("status"), "\(text)")
    }

    @Test func `another id or source of the front matter is kept`() {
        let content = "---\nid: \"1\"\nsource: a book\nroost-id: \"0\"\n---\nIt sings.\n"
        let entry = Entry(content: content, source: "file:///notes/wren.md", key: "file")
        let text = EntryFrontMatter(of: entry).text
        #expect(text.contains("\nroost-id: \"\(entry.id.text)\"\n"), "\(text)")
        #expect(text.contains("\nid: \"1\"\n"), "\(text)")
        #expect(text.contains("\nroost-source: \"file:///notes/wren.md\"\n"), "\(text)")
        #expect(text.ranges(of: "roost-id:").count == 1, "\(text)")
    }

    @Test(arguments: ["\n", "\r\n"]) func `front matter keeps its line breaks`(lineBreak: String) {
        let rest = ["title: Wren", "...", "It sings.", ""].joined(separator: lineBreak)
        let text = text("\u{FEFF}--- \(lineBreak)\(rest)")
        #expect(text.hasPrefix("\u{FEFF}--- \(lineBreak)id: ") && text.hasSuffix("\"\(lineBreak)\(rest)"))
        #expect(!text.replacing(lineBreak, with: "").contains { $0.isNewline }, "\(text.debugDescription)")
    }

    @Test(arguments: [
        "It sings.", "---\nIt sings.\n---\n", "---\ntitle: Wren\n", "---\n{title: Wren}\n---\n",
        "---\n  title: Wren\n---\n", "+++\ntitle = 1\n+++\n", "",
    ])
    func `another text gets front matter of its own`(content: String) {
        let text = text(content)
        #expect(text.hasPrefix("---\nid: \""))
        #expect(text.hasSuffix("\n---\n\n" + content + (content.hasSuffix("\n") ? "" : "\n")), "\(text)")
    }

    @Test func `metadata with the name of a property is kept under another name`() {
        let metadata: [String: MetadataValue] = [
            "created": .string("someday"), "tags": .string("energy"), "original-tags": .string("old"),
        ]
        let plain = text("A row.", tags: ["new"], metadata: metadata)
        for line in [
            "\"original-created\": \"someday\"", "tags: [\"new\"]", "\"original-tags\": \"old\"",
            "\"original-original-tags\": \"energy\"",
        ] { #expect(plain.contains("\n\(line)\n"), "\(plain)") }
        // The front matter has the value under its own name.
        let block = text("---\ncreated: someday\n---\n", metadata: ["created": .string("someday")])
        #expect(block.ranges(of: "created").count == 1, "\(block)")
    }
}
