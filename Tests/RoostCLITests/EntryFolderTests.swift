import Foundation
import Roost
import TestSupport
import Testing

@testable import RoostCLI

@Suite(.temporaryFolders) struct EntryFolderTests {
    @Test func `a file that appears during an export is kept`() throws {
        let target = try TemporaryFolder().url.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
        let folder = try EntryFolder(target)
        try folder.add(Entry(content: "A wren sings."))
        let draft = target.appendingPathComponent("draft.md")
        try Data("mine".utf8).write(to: draft)
        #expect(throws: CommandError.self) { try folder.finish() }
        #expect(try String(contentsOf: draft, encoding: .utf8) == "mine")
        try FileManager.default.removeItem(at: draft)
        #expect(try folder.finish() == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).count == 1)
    }

    @Test(arguments: [
        ("Dinner with Tom", "Dinner with Tom"), ("  What: \"A/B\\C\"?  ", "What A B C"),
        (".hidden", "hidden"), ("--force -x", "force -x"), ("The end...", "The end"), ("...", ""),
        ("日本のお茶", "日本のお茶"), ("Cafe\u{301}", "Caf\u{E9}"), ("a\u{7}b\u{202E}c\nd", "a b c d"),
    ])
    func `a title becomes a name that file systems permit`(title: String, name: String) {
        #expect(Array(EntryFileNames.stem(of: title).unicodeScalars) == Array(name.unicodeScalars))
    }

    @Test func `names differ on systems that ignore case, and do not depend on later entries`() {
        func entry(_ title: String) -> Entry { Entry(content: "Text.", metadata: ["title": .string(title)]) }
        let entries = ["Tea", "TEA", "Cafe\u{301}", "caf\u{E9}", "..."].map(entry)
        var names = EntryFileNames()
        let all = entries.map { names.name(of: $0) }
        #expect(all[0] == "Tea.md" && all[1] == "TEA (\(entries[1].id.text)).md")
        #expect(all[2] == "Caf\u{E9}.md" && all[3].hasPrefix("caf\u{E9} ("))
        #expect(all[4] == "(\(entries[4].id.text)).md", "\(all)")
    }
}
