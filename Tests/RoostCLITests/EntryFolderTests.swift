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
        ("Dinner with Tom", "Dinner with Tom"), ("  What: \"A/B\\C\"?  ", "What A-B-C"),
        (".hidden", "hidden"), ("--force -x", "force -x"), ("The end...", "The end"),
        ("a\u{7}b\u{202E}c\nd", "a bc d"),
        ("con", "con_"), ("Aux.old notes", "Aux_.old notes"), ("COM1", "COM1_"), ("console", "console"),
        ("...", ""), ("日本のお茶", "日本のお茶"), ("Cafe\u{301}", "Caf\u{E9}"),
    ])
    func `a title becomes a name that all systems permit`(title: String, name: String) {
        #expect(Array(EntryFileNames.stem(of: title).unicodeScalars) == Array(name.unicodeScalars))
    }

    @Test func `long titles end with a word or a character`() {
        let words = EntryFileNames.stem(of: String(repeating: "barrel ", count: 40))
        #expect(words.hasSuffix("barrel") && words.utf8.count <= 100 && words.utf8.count > 80)
        let signs = EntryFileNames.stem(of: String(repeating: "茶", count: 80))
        #expect(signs == String(repeating: "茶", count: 33))
        let family = "👨‍👩‍👧‍👦"
        #expect(
            EntryFileNames.stem(of: String(repeating: family, count: 9))
                == String(repeating: family, count: 4))
    }

    @Test func `names differ on systems that ignore case, and do not depend on later entries`() {
        func entry(_ title: String) -> Entry { Entry(content: "Text.", metadata: ["title": .string(title)]) }
        let titles = ["Straße", "STRASSE", "Cafe\u{301}", "caf\u{E9}", "con", "Con", "", ""]
        let entries = titles.map(entry)
        var names = EntryFileNames()
        let all = entries.map { names.name(of: $0) }
        #expect(all[0] == "Straße.md" && all[1] == "STRASSE (\(entries[1].id.text.prefix(8))).md")
        #expect(all[2] == "Caf\u{E9}.md" && all[3].hasPrefix("caf\u{E9} ("))
        #expect(all[4] == "con_.md" && all[5].hasPrefix("Con_ ("))
        #expect(Set(all.map { $0.lowercased() }).count == all.count)
        #expect(all.allSatisfy { $0.utf8.count <= 143 && !$0.hasPrefix(".") })
        var again = EntryFileNames()
        #expect(entries.prefix(5).map { again.name(of: $0) } == Array(all.prefix(5)))
    }

    @Test func `a title that contains the id of another entry does not take its name`() {
        let first = Entry(content: "Text.", metadata: ["title": "Tea"])
        let second = Entry(content: "Text.", metadata: ["title": "Tea"])
        let third = Entry(
            content: "Text.", metadata: ["title": .string("Tea (\(second.id.text.prefix(8)))")])
        var names = EntryFileNames()
        let all = [first, third, second, second].map { names.name(of: $0) }
        #expect(Set(all).count == 4, "\(all)")
    }
}
