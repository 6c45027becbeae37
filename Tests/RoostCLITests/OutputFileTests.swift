import Foundation
import RoostFiles
import TestSupport
import Testing

@testable import RoostCLI

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
