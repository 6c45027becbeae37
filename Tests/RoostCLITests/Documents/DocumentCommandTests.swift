import Foundation
import TestSupport
import Testing

/// Tests of the commands that ingest and show documents.
@Suite(.temporaryFolders) struct DocumentCommandTests {
    private let cli = CommandLineDriver()

    private func write(_ text: String, to name: String) throws {
        let file = cli.home.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    @Test func `skipped files are counted by type, listed with -v, and reported once`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        try write("# Swifts\n", to: "notes/a.md")
        for number in 0..<3 { try write("x", to: "notes/\(number).xyz") }
        try write("y", to: "notes/one.abc")
        let first = try cli.roost("ingest", "notes", "--store=s", "--dry-run")
        #expect(first.error.contains("skipped 3 .xyz files: unknown file type"))
        #expect(first.error.contains("one.abc: unknown file type") && !first.error.contains("1.xyz"))
        let listed = try cli.roost("ingest", "notes", "--store=s", "-v")
        for name in ["0.xyz", "1.xyz", "2.xyz", "one.abc"] { #expect(listed.error.contains(name)) }
        #expect(listed.output.contains("1 new") && listed.output.contains("4 skipped"))
        let second = try cli.roost("ingest", "notes", "--store=s")
        #expect(!second.error.contains("skipped"))
        #expect(second.output == "0 new, 0 updated, 0 removed, 1 unchanged, 4 skipped (4 reported before)\n")
        try write("changed", to: "notes/1.xyz")
        let third = try cli.roost("ingest", "notes", "--store=s")
        #expect(third.error.contains("notes/1.xyz: unknown file type") && !third.error.contains("0.xyz"))
        #expect(third.output.hasSuffix(" 4 skipped (3 reported before)\n"), "\(third.output)")
        // A file that is named is read, or reported each time.
        try Data([0, 1, 2]).write(to: cli.home.appendingPathComponent("notes/bin.xyz"))
        for _ in 0..<2 {
            let named = try cli.roost("ingest", "notes/bin.xyz", "notes/a.md", "--store=s")
            #expect(named.error.contains("it is a binary file"))
        }
    }

    @Test func `the supported types are listed`() throws {
        let list = try cli.roost("ingest", "--types")
        #expect(list.status == 0 && list.output.contains("Markdown") && list.output.contains(".jsonl"))
        let json = try cli.roost("ingest", "--types", "--json")
        let types = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]])
        #expect(types.contains { $0["name"] as? String == "markdown" })
        #expect(types.allSatisfy { $0["isReadInFolders"] is Bool && $0["extensions"] is [String] })
    }

    @Test func `links, backlinks and broken links are listed`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        try write(
            "# Hedge\n\nSee [[Birds#Nests|the birds]], [[Missing]] and [web](https://example.org).\n",
            to: "v/hedge.md")
        try write("---\naliases: [Aves]\n---\n# Birds\n\nBack to [the hedge](hedge.md).\n", to: "v/Birds.md")
        try write("An [[Aves]] list, see [[/hedge]].\n", to: "v/list.md")
        #expect(try cli.roost("ingest", "v", "--store=s").status == 0)
        func id(_ name: String) throws -> String {
            let list = try cli.roost("list", "--store=s", "--json", "--source=v/\(name)")
            let entries = try #require(
                try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [[String: Any]])
            return try #require(entries.first?["id"] as? String)
        }
        let links = try cli.roost("links", try id("hedge.md"), "--store=s", "--json")
        let found = try #require(
            try JSONSerialization.jsonObject(with: Data(links.output.utf8)) as? [[String: Any]])
        #expect(found.map { $0["destination"] as? String } == ["entry", "missing", "external"])
        #expect(
            found[0]["entry"] as? String == (try id("Birds.md")) && found[0]["fragment"] as? String == "Nests"
        )
        let backlinks = try cli.roost("backlinks", try id("Birds.md"), "--store=s")
        #expect(backlinks.output.contains("Hedge") && backlinks.output.contains("[[Aves]]"))
        let none = try cli.roost("backlinks", try id("list.md"), "--store=s")
        #expect(none.status == 0 && none.error == "no entry links to this entry\n", "\(none)")
        let doctor = try cli.roost("doctor", "--links", "--store=s")
        #expect(doctor.status == 0 && doctor.output.contains("[[Missing]]"))
        #expect(
            !doctor.output.contains("[[/hedge]]") && !doctor.output.contains("Birds#")
                && !doctor.output.contains("example.org"))
        let filtered = try cli.roost("list", "--store=s", "--where", "links = \"Missing\"")
        #expect(filtered.output.contains("Hedge") && filtered.output.split(separator: "\n").count == 1)
        #expect(try cli.roost("edit", try id("hedge.md"), "Now see [[list]].", "--store=s").status == 0)
        let changed = try cli.roost("backlinks", try id("list.md"), "--store=s")
        #expect(changed.output.contains("[[list]]"), "\(changed)")
        #expect(try cli.roost("list", "--store=s", "--where", "links = Missing").output.isEmpty)
    }

    @Test func `files of every type have backlinks`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        try write(
            "[[b.canvas]] [t](t.txt) [q](sub/q%20r.html) [x](x.mdx) [[x]] [[Version 1.2]]\n", to: "v/note.md")
        try write(
            #"{"nodes":[{"id":"1","type":"text","text":"A canvas","x":0,"y":0}],"edges":[]}"#,
            to: "v/b.canvas")
        try write("A text.\n", to: "v/t.txt")
        try write("<html><body><p>A page about herons.</p></body></html>\n", to: "v/sub/q r.html")
        try write("# A component\n", to: "v/x.mdx")
        try write("# The second version\n", to: "v/Version 1.2.md")
        #expect(try cli.roost("ingest", "v", "--store=s").status == 0)
        for file in ["b.canvas", "t.txt", "sub/q r.html", "x.mdx", "Version 1.2.md"] {
            let found = try cli.roost("backlinks", "v/\(file)", "--store=s")
            // A component is named with and without its extension.
            let count = file == "x.mdx" ? 2 : 1
            #expect(found.output.split(separator: "\n").count == count, "\(file): \(found)")
        }
    }

    /// Returns the destinations of the links of a file by their targets.
    private func destinations(_ file: String) throws -> [String: String] {
        let links = try cli.roost("links", file, "--store=s", "--json")
        let found = try #require(
            try JSONSerialization.jsonObject(with: Data(links.output.utf8)) as? [[String: Any]])
        return Dictionary(
            found.map { ($0["target"] as? String ?? "", $0["destination"] as? String ?? "") }
        ) { first, _ in first }
    }

    @Test func `links of notes to files that are not notes are checked`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let home = cli.home.resolvingSymlinksInPath().path
        try write("a", to: "v/real.bin")
        try write("# B\n", to: "v/b c.md")
        try write(
            """
            [a](missing.pdf) [b](sub/gone.png) [c](gone.html) ![[att.png]] [d](b%20c.md?x=1) [e](real.bin)
            [f](\(home)/v/real.bin) [g](\(home)/v/none.bin) [h](file://\(home)/v/b%20c.md)
            [i](file://\(home)/v/none.md) [j](file:///C:/x.md) [k](/assets/x.png) [l](/b%20c)

            """, to: "v/note.md")
        #expect(try cli.roost("ingest", "v", "--store=s").status == 0)
        let expected = [
            "missing.pdf": "missing", "sub/gone.png": "missing", "gone.html": "missing", "att.png": "file",
            "b%20c.md?x=1": "entry", "real.bin": "file", "\(home)/v/real.bin": "file",
            "\(home)/v/none.bin": "missing", "file://\(home)/v/b%20c.md": "entry",
            "file://\(home)/v/none.md": "missing", "file:///C:/x.md": "external", "/assets/x.png": "file",
            "/b%20c": "entry",
        ]
        #expect(try destinations("v/note.md") == expected)
        let backlinks = try cli.roost("backlinks", "v/b c.md", "--store=s")
        #expect(backlinks.output.split(separator: "\n").count == 3, "\(backlinks)")
        let doctor = try cli.roost("doctor", "--links", "--store=s")
        #expect(doctor.output.contains("missing.pdf") && !doctor.output.contains("b%20c"), "\(doctor)")
        // Obsidian finds attachments by their names in the whole vault.
        try write("{}", to: "v/.obsidian/app.json")
        try write("x", to: "v/sub/gone.png")
        let inVault = try destinations("v/note.md")
        #expect(inVault["missing.pdf"] == "file" && inVault["sub/gone.png"] == "file", "\(inVault)")
    }

    @Test func `a hit in a PDF file names its page`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let fixture = Fixtures.folder.appendingPathComponent("Documents/files/long.pdf")
        let file = cli.home.appendingPathComponent("long.pdf")
        try FileManager.default.copyItem(at: fixture, to: file)
        #expect(try cli.roost("ingest", "long.pdf", "--store=s").status == 0)
        struct Hit: Decodable {
            struct Location: Decodable { var page: Int }
            var location: Location
        }
        let query = ["query", "\"Note 17\"", "--store=s"]
        let output = try cli.roost(query + ["--json"]).output
        let hits = try JSONDecoder().decode([Hit].self, from: Data(output.utf8))
        #expect(hits.map(\.location.page) == [7])
        #expect(try cli.roost(query).output.contains("long.pdf, page 7"))
    }

    @Test func `links of pages lead to their sites, or to files in their folder`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let body = #"""
            <p>Herons nest in tall trees near <a href="/a/hm">ponds</a>, <a href="rel.html">in colonies</a>
            with <a href="b.md">others</a>. See https://example.org/text for more.</p>
            """#
        try write("<html><head><title>A</title></head><body>\(body)</body></html>", to: "v/plain.html")
        let head = "<title>B</title><link rel=\"canonical\" href=\"https://example.org/x/y\">"
        try write("<html><head>\(head)</head><body>\(body)</body></html>", to: "v/saved.html")
        try write("# B\n", to: "v/b.md")
        #expect(try cli.roost("ingest", "v", "--store=s").status == 0)
        #expect(
            try destinations("v/plain.html") == ["/a/hm": "external", "rel.html": "missing", "b.md": "entry"])
        #expect(
            try destinations("v/saved.html") == [
                "https://example.org/a/hm": "external", "https://example.org/x/rel.html": "external",
                "b.md": "entry",
            ])
    }

    @Test func `links to generated pages lead to the notes from which they are made`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        try write("# Guide\n", to: "v/docs/guide.md")
        try write("Usage\n=====\n\nText.\n", to: "v/docs/usage.rst")
        try write("# Elsewhere\n", to: "v/other/only.md")
        try write("# Both\n", to: "v/docs/both.md")
        try write("<p>Both</p>", to: "v/docs/both.html")
        try write(
            "[a](guide.html) [b](./usage.html#top) [c](/docs/guide.html?x=1) [d](only.html) [e](both.html) "
                + "[f](guide.htm) [g](https://e.org/guide.html)\n", to: "v/docs/index.md")
        #expect(try cli.roost("ingest", "v", "--glob=*.md", "--glob=*.rst", "--store=s").status == 0)
        #expect(
            try destinations("v/docs/index.md") == [
                "guide.html": "entry", "./usage.html": "entry", "/docs/guide.html?x=1": "entry",
                "only.html": "missing", "both.html": "file", "guide.htm": "entry",
                "https://e.org/guide.html": "external",
            ])
        let backlinks = try cli.roost("backlinks", "v/docs/guide.md", "--store=s")
        #expect(backlinks.output.split(separator: "\n").count == 3, "\(backlinks)")
    }

    @Test func `an id leads to the Org file that contains it`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        try write(":PROPERTIES:\n:ID: 4f0c-12\n:END:\n#+TITLE: Well\nWater.\n", to: "v/well.org")
        try write("* Pump\nSee [[id:4f0c-12][the well]] and [[id:none][nothing]].\n", to: "v/pump.org")
        #expect(try cli.roost("ingest", "v", "--store=s").status == 0)
        #expect(try destinations("v/pump.org") == ["4f0c-12": "entry", "none": "missing"])
        #expect(try cli.roost("backlinks", "v/well.org", "--store=s").output.contains("Pump"))
    }

    @Test func `links within a file are not broken`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        try write("* Head\nSome text.\n", to: "v/b.org")
        try write(
            "* Local\nSee [[./b.org::*Head][b]], [[*Local]], [[#id]], [[file:b.org::12]], [[./gone.org]].\n",
            to: "v/a.org")
        #expect(try cli.roost("ingest", "v", "--store=s").status == 0)
        #expect(
            try destinations("v/a.org") == ["./b.org": "entry", "b.org": "entry", "./gone.org": "missing"])
        let doctor = try cli.roost("doctor", "--links", "--store=s")
        #expect(doctor.output.contains("./gone.org") && !doctor.output.contains("Head"), "\(doctor)")
    }

    @Test func `show lists the treatment of a document`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        try write(
            "---\ntitle: The hedge\nauthor: Ann\n---\n# Cutting\n\n## Tools\n\nSee [[Birds]]. %% secret %%\n",
            to: "v/hedge.md")
        #expect(try cli.roost("ingest", "v", "--store=s").status == 0)
        let list = try cli.roost("list", "--store=s", "--json")
        let entries = try #require(
            try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [[String: Any]])
        let id = try #require(entries.first?["id"] as? String)
        let shown = try cli.roost("show", id, "--store=s").output
        for part in [
            "reader    Markdown", "title     The hedge", "Cutting > Tools", "[[Birds]]",
            "front matter: 1 part", "comment: 1 part", "author = Ann",
        ] { #expect(shown.contains(part), "\(part)") }
        let json = try cli.roost("show", id, "--store=s", "--json")
        let entry = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(entry["reader"] as? String == "markdown" && entry["title"] as? String == "The hedge")
        let hidden = try #require(entry["hiddenParts"] as? [[String: Any]])
        #expect(Set(hidden.compactMap { $0["kind"] as? String }).isSuperset(of: ["comment", "frontMatter"]))
        #expect(hidden.allSatisfy { ($0["range"] as? [Int])?.count == 2 && $0["line"] is Int })
        #expect((entry["unreadParts"] as? [String])?.isEmpty == true)
    }

    @Test func `show lists the parts of a document that could not be read`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let image = #"{"output_type": "display_data", "data": {"image/png": "AAAA"}}"#
        try write(
            ##"{"cells": [{"cell_type": "markdown", "source": "# Pump\n\n## Parts\n\n[[Valve]] %% a %%"}, "##
                + #"{"cell_type": "code", "source": "plot()", "outputs": [\#(image)]}]}"#, to: "v/pump.ipynb")
        #expect(try cli.roost("ingest", "v", "--store=s").status == 0)
        let shown = try cli.roost("show", "v/pump.ipynb", "--store=s").output
        for part in [
            "reader    Jupyter notebook", "title     Pump", "created   2", "updated   2",
            "section   Pump > Parts", "[[Valve]]", "hidden    comment: 1 part",
            "unread    1 output that is not a short text",
        ] { #expect(shown.contains(part), "\(part): \(shown)") }
        let json = try cli.roost("show", "v/pump.ipynb", "--store=s", "--json")
        let entry = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(entry["unreadParts"] as? [String] == ["1 output that is not a short text"])
        #expect((entry["createdAt"] as? String)?.hasPrefix("2") == true)
    }
}
