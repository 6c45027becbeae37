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
    }

    @Test func `links, backlinks and broken links are listed`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        try write(
            "# Hedge\n\nSee [[Birds#Nests|the birds]], [[Missing]] and [web](https://example.org).\n",
            to: "v/hedge.md")
        try write("---\naliases: [Aves]\n---\n# Birds\n\nBack to [the hedge](hedge.md).\n", to: "v/Birds.md")
        try write("An [[Aves]] list, see [[/hedge]].\n", to: "v/list.md")
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
    }
}

/// Tests of folders that contain notes and files that cannot be read.
@Suite(.temporaryFolders) struct HostileFolderTests {
    private let cli = CommandLineDriver()

    /// A shell command that limits the memory of a process, so that it cannot read or map 2 GB.
    private static let launcher = ["/bin/sh", "-c", #"ulimit -v 2000000; exec "$0" "$@""#]

    /// Creates a folder with two notes, and returns the reasons for which its other files are skipped.
    private func prepare() throws -> [String: String] {
        let manager = FileManager.default
        let folder = cli.home.appendingPathComponent("notes")
        try manager.createDirectory(
            at: folder.appendingPathComponent("sub"), withIntermediateDirectories: true)
        let path = folder.path
        func write(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        try write("# Swifts are back", to: "a.md")
        try write("Herons wait.", to: "sub/b.txt")
        var reasons: [String: String] = [:]
        for (name, start) in [("sparse.txt", ""), ("table.csv", "id,text\n"), ("scan.pdf", "%PDF-1.4\n")] {
            try write(start, to: name)
            #expect(truncate("\(path)/\(name)", 2 << 30) == 0)
            reasons[name] = "it is larger than 1024 MB"
        }
        #expect(mkfifo(path + "/pipe.md", 0o600) == 0)
        for (name, target) in [("device.md", "/dev/zero"), ("self.md", "self.md"), ("sub/loop", "..")] {
            try manager.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
        }
        (reasons["pipe.md"], reasons["device.md"]) = ("it is not a regular file", "it is not a regular file")
        reasons["self.md"] = "Too many levels of symbolic links"
        reasons["sub/loop"] = "a symbolic link to one of its parent folders"
        #if os(Linux)
            #expect(mknod(path + "/socket.md", S_IFSOCK | 0o600, 0) == 0)
            reasons["socket.md"] = "it is not a regular file"
            let name = Array((path + "/").utf8) + [0xFF] + Array(".md".utf8) + [0]
            let file = name.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_CREAT | O_WRONLY, 0o600) }
            }
            #expect(file >= 0)
            close(file)
            reasons["\u{FFFD}.md"] = "its name is not valid UTF-8"
        #endif
        return reasons
    }

    @Test(arguments: [["ingest", "notes", "--follow"], ["sync"]])
    func `files that cannot be read are skipped, and the others are ingested`(
        arguments: [String]
    ) throws {
        let reasons = try prepare()
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        #expect(try cli.roost("folder", "add", "notes", "--follow", "--store=s").status == 0)
        let running = try cli.start(
            arguments + ["-v", "--store=s"],
            // Each arena of malloc reserves 64 MB, and their number grows with that of the processors.
            environment: ["OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"], launcher: Self.launcher)
        try running.input.close()
        let outcome = try running.outcome()
        #expect(outcome.status == 0 && outcome.output.hasPrefix("2 new"), "\(outcome)")
        #expect(outcome.output.contains(", \(reasons.count) skipped"), "\(outcome.output)")
        for (name, reason) in reasons {
            #expect(outcome.error.contains("notes/\(name): \(reason)"), "\(name): \(outcome.error)")
        }
    }
}
