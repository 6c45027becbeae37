import Foundation
import TestSupport
import Testing

@Suite(.temporaryFolders) struct DocumentCommandTests {
    private let cli = CommandLineDriver()

    @Test func `skipped files are counted by reason, and listed with -v`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        try cli.write("# Swifts\n", to: "notes/a.md")
        for number in 0..<3 { try cli.write("x", to: "notes/\(number).xyz") }
        try cli.write("y", to: "notes/one.abc")
        let first = try cli.roost("ingest", "notes", "--store=s", "--dry-run")
        #expect(first.error.contains("skipped 4 inputs: unknown file type") && !first.error.contains("1.xyz"))
        let listed = try cli.roost("ingest", "notes", "--store=s", "-v")
        for name in ["0.xyz", "1.xyz", "2.xyz", "one.abc"] { #expect(listed.error.contains(name)) }
        #expect(listed.output.contains("1 new") && listed.output.contains("4 skipped"))
    }

    @Test func `links, backlinks and broken links are listed`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        try cli.write(
            "# Hedge\n\nSee [[Birds#Nests|the birds]], [[Missing]] and [web](https://example.org).\n",
            to: "v/hedge.md")
        try cli.write(
            "---\naliases: [Aves]\n---\n# Birds\n\nBack to [the hedge](hedge.md).\n", to: "v/Birds.md")
        try cli.write("An [[Aves]] list, see [[/hedge]].\n", to: "v/list.md")
        #expect(try cli.roost("ingest", "v", "--store=s").status == 0)
        let links = try cli.roost("show", "--links", "v/hedge.md", "--store=s", "--json")
        let found = try #require(
            try JSONSerialization.jsonObject(with: Data(links.output.utf8)) as? [[String: Any]])
        #expect(
            found.map { $0["destination"] as? String } == ["entry", "missing", "external", "entry", "entry"])
        #expect(found[0]["fragment"] as? String == "Nests")
        let backlinks = try cli.roost("show", "--links", "v/Birds.md", "--store=s")
        #expect(backlinks.output.contains("Hedge") && backlinks.output.contains("[[Aves]]"))
        let doctor = try cli.roost("doctor", "--links", "--store=s")
        #expect(doctor.status == 0 && doctor.output.contains("[[Missing]]"))
        #expect(!doctor.output.contains("[[/hedge]]") && !doctor.output.contains("example.org"))
    }

    @Test func `show lists the parts of a document that could not be read`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let image = #"{"output_type": "display_data", "data": {"image/png": "AAAA"}}"#
        try cli.write(
            ##"{"cells": [{"cell_type": "markdown", "source": "# Pump\n\n## Parts\n\n[[Valve]] %% a %%"}, "##
                + #"{"cell_type": "code", "source": "plot()", "outputs": [\#(image)]}]}"#, to: "v/pump.ipynb")
        #expect(try cli.roost("ingest", "v", "--store=s").status == 0)
        let shown = try cli.roost("show", "v/pump.ipynb", "--store=s").output
        for part in [
            "reader    Jupyter notebook", "title     Pump", "created   2", "updated   2",
            "section   Pump > Parts", "[[Valve]]", "hidden    comment on line 5",
            "unread    1 output that is not a short text",
        ] { #expect(shown.contains(part), "\(part): \(shown)") }
    }
}
