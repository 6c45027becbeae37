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

    @Test func `skipped files are counted by reason, and listed with -v`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        try write("# Swifts\n", to: "notes/a.md")
        for number in 0..<3 { try write("x", to: "notes/\(number).xyz") }
        try write("y", to: "notes/one.abc")
        let first = try cli.roost("ingest", "notes", "--store=s", "--dry-run")
        #expect(first.error.contains("skipped 4 inputs: unknown file type") && !first.error.contains("1.xyz"))
        let listed = try cli.roost("ingest", "notes", "--store=s", "-v")
        for name in ["0.xyz", "1.xyz", "2.xyz", "one.abc"] { #expect(listed.error.contains(name)) }
        #expect(listed.output.contains("1 new") && listed.output.contains("4 skipped"))
        // A file that is named is read, or reported.
        try Data([0, 1, 2]).write(to: cli.home.appendingPathComponent("notes/bin.xyz"))
        let named = try cli.roost("ingest", "notes/bin.xyz", "notes/a.md", "--store=s")
        #expect(named.error.contains("it is a binary file"))
    }

    @Test func `the supported types are listed`() throws {
        let list = try cli.roost("ingest", "--types")
        #expect(list.status == 0 && list.output.contains("Markdown") && list.output.contains(".jsonl"))
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
        let links = try cli.roost("show", "--links", try id("hedge.md"), "--store=s", "--json")
        let found = try #require(
            try JSONSerialization.jsonObject(with: Data(links.output.utf8)) as? [[String: Any]])
        #expect(
            found.map { $0["destination"] as? String } == ["entry", "missing", "external", "entry", "entry"])
        #expect(
            found[0]["entry"] as? String == (try id("Birds.md")) && found[0]["fragment"] as? String == "Nests"
        )
        let backlinks = try cli.roost("show", "--links", try id("Birds.md"), "--store=s")
        #expect(backlinks.output.contains("Hedge") && backlinks.output.contains("[[Aves]]"))
        let doctor = try cli.roost("doctor", "--links", "--store=s")
        #expect(doctor.status == 0 && doctor.output.contains("[[Missing]]"))
        #expect(
            !doctor.output.contains("[[/hedge]]") && !doctor.output.contains("Birds#")
                && !doctor.output.contains("example.org"))
        let filtered = try cli.roost("list", "--store=s", "--where", "links = \"Missing\"")
        #expect(filtered.output.contains("Hedge") && filtered.output.split(separator: "\n").count == 1)
        #expect(
            try cli.roost("edit", try id("hedge.md"), "--text=Now see [[list]].", "--store=s").status == 0)
        let changed = try cli.roost("show", "--links", try id("list.md"), "--store=s")
        #expect(changed.output.contains("[[list]]"), "\(changed)")
        #expect(try cli.roost("list", "--store=s", "--where", "links = Missing").output.isEmpty)
    }

    @Test func `a hit in a PDF file names its page`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let fixture = Fixtures.folder.appendingPathComponent("Documents/files/long.pdf")
        let file = cli.home.appendingPathComponent("long.pdf")
        try FileManager.default.copyItem(at: fixture, to: file)
        #expect(try cli.roost("ingest", "long.pdf", "--store=s").status == 0)
        struct Hit: Decodable { var page: Int }
        let query = ["query", "\"Note 17\"", "--store=s"]
        let output = try cli.roost(query + ["--json"]).output
        let hits = try JSONDecoder().decode([Hit].self, from: Data(output.utf8))
        #expect(hits.map(\.page) == [7])
        #expect(try cli.roost(query).output.contains("long.pdf, page 7"))
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
            "frontMatter on line 1", "comment on line ", "author = Ann",
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
            "section   Pump > Parts", "[[Valve]]", "hidden    comment on line 5",
            "unread    1 output that is not a short text",
        ] { #expect(shown.contains(part), "\(part): \(shown)") }
        let json = try cli.roost("show", "v/pump.ipynb", "--store=s", "--json")
        let entry = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(entry["unreadParts"] as? [String] == ["1 output that is not a short text"])
        #expect((entry["createdAt"] as? String)?.hasPrefix("2") == true)
    }
}
