import Foundation
import RoostFiles
import TestSupport
import Testing

@testable import RoostCLI

/// Tests of exports as tables, and of imports.
@Suite(.temporaryFolders) struct ExportedTableTests {
    private let cli = CommandLineDriver()

    private func file(_ name: String) -> URL { cli.home.appendingPathComponent(name) }

    private func write(_ text: String, _ name: String) throws {
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file(name))
    }

    @discardableResult
    private func run(_ arguments: String...) throws -> CommandLineDriver.Outcome {
        let outcome = try cli.roost(arguments)
        #expect(outcome.status == 0, "\(arguments): \(outcome.error)")
        return outcome
    }

    /// Creates the store `s` with texts that are difficult to write as tables, and the empty store `t`.
    private func prepare() throws {
        for store in ["s", "t"] { try run("init", store, "--model=lexical") }
        let long = String(repeating: "A sentence about swifts above the roof. ", count: 200)
        try write("# Tab\tand \\n backslash\n\n\(long)", "a.md")
        for text in ["=SUM(1) is\na formula", "'=quoted", "green tea, \"steeped\""] {
            try run("add", "--store=s", "--tag=garden;b", "--tag=c", "--meta=n=1", text)
        }
        try run("ingest", "--store=s", "a.md", "--tag=file")
    }

    @Test func `the extension of the file chooses the format`() throws {
        try prepare()
        for (name, start) in [("x.csv", "id,source,"), ("x.ndjson", "{\"content\""), ("x", "{\"content\"")] {
            try run("export", "entries", "--store=s", "-o", name)
            let text = try String(contentsOf: file(name), encoding: .utf8)
            #expect(text.hasPrefix(start), "\(name): \(text.prefix(40))")
        }
        #expect(try cli.roost("export", "entries", "--store=s", "-o", "x.parquet").status == 64)
    }

    @Test func `an export of vectors replaces no other table`() throws {
        try prepare()
        try write("precious,data\n", "v.csv")
        let refused = try cli.roost("export", "entries", "--store=s", "-o", "v.npy")
        #expect(refused.status == 73 && refused.error.contains("v.csv"), "\(refused)")
        #expect(try String(contentsOf: file("v.csv"), encoding: .utf8) == "precious,data\n")
        #expect(!FileManager.default.fileExists(atPath: file("v.npy").path))
        for _ in 0..<2 { try run("export", "entries", "--store=s", "--format=npy", "-o", "w.npy") }
        let array = try Data(contentsOf: file("w.npy"))
        #expect(String(decoding: array.prefix(128), as: UTF8.self).contains("(4, 512)"))
    }
}

@Suite(.temporaryFolders) struct OutputFileTests {
    @Test func `A file is replaced only when the output is complete`() throws {
        let folder = try TemporaryFolder()
        let target = folder.url.appendingPathComponent("target.csv")
        let link = folder.url.appendingPathComponent("link.csv")
        try Data("old".utf8).write(to: target)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target.path)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let piece = Data(repeating: UInt8(ascii: "x"), count: 700_000)

        var file: OutputFile? = try OutputFile(link.path)
        for _ in 0..<3 { try file?.write(piece) }
        #expect(try Data(contentsOf: target) == Data("old".utf8))
        let unfinished = try #require(AtomicFile.leftovers(in: folder.url).first)
        let written = try Data(contentsOf: folder.url.appendingPathComponent(unfinished))
        #expect(written.count >= 1_400_000, "the first pieces are not only in memory")
        file = nil
        #expect(AtomicFile.leftovers(in: folder.url).isEmpty)
        #expect(try Data(contentsOf: target) == Data("old".utf8))

        let complete = try OutputFile(link.path)
        for _ in 0..<3 { try complete.write(piece) }
        try complete.finish()
        #expect(try Data(contentsOf: target).count == 2_100_000)
        let attributes = try FileManager.default.attributesOfItem(atPath: target.path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path).hasSuffix("target.csv"))
    }

    @Test func `A target that cannot be created is reported before anything is written`() throws {
        let folder = try TemporaryFolder()
        let missing = folder.url.appendingPathComponent("missing/target.csv").path
        let error = #expect(throws: CommandError.self) { try OutputFile(missing) }
        #expect(error?.status == .cannotCreate)
    }

    @Test func `The name of a folder does not become the name of a file`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("missing").path
        let error = #expect(throws: CommandError.self) { try OutputFile(path + "/") }
        #expect(error?.status == .cannotCreate && error?.message.contains("name a file") == true)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `A standard output that does not block gets all bytes`() throws {
        let cli = CommandLineDriver()
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        let text = String(repeating: "a swift above the roof. ", count: 20_000)
        try Data(text.utf8).write(to: cli.home.appendingPathComponent("a.md"))
        #expect(try cli.roost("ingest", "a.md", "--store=s").status == 0)
        let output = Pipe()
        let writing = output.fileHandleForWriting.fileDescriptor
        #expect(fcntl(writing, F_SETFL, fcntl(writing, F_GETFL) | O_NONBLOCK) == 0)
        let process = Process()
        process.executableURL = CommandLineDriver.binary
        process.arguments = ["export", "entries", "--store=s"]
        process.currentDirectoryURL = cli.home
        process.environment = ["HOME": cli.home.path, "PATH": "/usr/bin:/bin"]
        process.standardOutput = output
        try TestTool.start(process)
        // The output fills the pipe before the first byte is read.
        Thread.sleep(forTimeInterval: 1)
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(bytes.count > text.utf8.count)
    }
}
