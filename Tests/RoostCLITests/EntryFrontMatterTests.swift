import Foundation
import Roost
import Testing

@testable import RoostCLI

struct EntryFrontMatterTests {
    private func text(
        _ content: String, tags: [String] = [], metadata: [String: MetadataValue] = [:]
    ) -> String {
        EntryFrontMatter(of: Entry(content: content, metadata: metadata, tags: tags)).text
    }

    @Test func `the properties are added to the front matter of the content`() {
        let block =
            "title: Wren # a bird\n\"tags\": [birds]\nnested:\n  created: 1\n- source: x\n#updated: 2\n"
        let text = text(
            "---\n\(block)---\n\nIt sings.", tags: ["song"],
            metadata: ["title": .string("Wren"), "year": .string("2024")])
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.count { $0 == "---" } == 2 && text.hasSuffix(block + "---\n\nIt sings.\n"), "\(text)")
        #expect(lines[0] == "---" && lines[1].hasPrefix("id: \"") && lines[2].hasPrefix("created: \""))
        #expect(lines[3].hasPrefix("updated: \"") && lines[4] == "\"year\": \"2024\"", "\(text)")
        #expect(lines[5] == "roost-tags: [\"song\"]" && lines[6] == "title: Wren # a bird", "\(text)")
        let changed = self.text(
            "---\ntags: [birds]\nstatus: draft\n---\nIt sings.\n", tags: ["birds"],
            metadata: ["status": .string("done")])
        #expect(changed.contains("\"roost-status\": \"done\""), "\(changed)")
        #expect(!changed.contains("roost-tags"), "\(changed)")
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
