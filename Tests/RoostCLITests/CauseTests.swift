import Foundation
import Roost
import TestSupport
import Testing

/// Tests that messages report the actual cause of a failure, and tests of the settings file.
@Suite(.temporaryFolders) struct CauseTests {
    private let cli = CommandLineDriver()

    private var settings: URL { cli.home.appendingPathComponent(".config/roost/config.json") }

    private func write(_ text: String) throws {
        try FileManager.default.createDirectory(
            at: settings.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: settings, atomically: true, encoding: .utf8)
    }

    private func values() throws -> [String: String] {
        try JSONDecoder().decode([String: String].self, from: Data(contentsOf: settings))
    }

    // MARK: Settings

    @Test func `the file of the settings is readable only by its owner`() throws {
        try write("{\"limit\": \"3\"}")
        #expect(chmod(settings.path, 0o644) == 0)
        #expect(try cli.roost("config", "provider", "json").status == 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: settings.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try values() == ["limit": "3", "provider": "json"])
    }

    @Test func `processes that change settings at the same time lose no change`() throws {
        let changes = [
            ["limit", "7"], ["provider", "json"], ["label-model", "a"], ["s3-region", "eu-north-1"],
            ["remote-endpoint", "http://localhost:1/v1"], ["label-endpoint", "http://localhost:2/v1"],
            ["remote-key-file", "/a"], ["label-key-file", "/b"],
        ]
        let running = try changes.map { try cli.start(["config"] + $0) }
        for command in running {
            try command.input.close()
            #expect(try command.outcome().status == 0)
        }
        #expect(try values() == Dictionary(uniqueKeysWithValues: changes.map { ($0[0], $0[1]) }))
    }

    @Test func `a symbolic link in place of the settings stays a link`() throws {
        try write("{}")
        let target = cli.home.appendingPathComponent("dotfile.json")
        try FileManager.default.moveItem(at: settings, to: target)
        try FileManager.default.createSymbolicLink(at: settings, withDestinationURL: target)
        #expect(try cli.roost("config", "limit", "4").status == 0)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: settings.path) == target.path)
        #expect(try values() == ["limit": "4"])
    }

    @Test(arguments: [
        ("{\"limit\": \"\\ud800\"}", "unpaired surrogate at byte 17"),
        ("{\"limit\": 5}", "one of its values is not a string"), ("[]", "it is an array, not an object"),
        ("{", "it is not valid JSON: expected a string at byte 1"), ("", "it is empty"),
    ])
    func `damaged settings are reported with the cause`(text: String, cause: String) throws {
        try write(text)
        let outcome = try cli.roost("config", "limit")
        #expect(outcome.status == 78 && outcome.error.contains(cause), "\(outcome.error)")
    }

    // MARK: Other causes

    @Test(arguments: ["sqlite", "json"])
    func `a limit of the file size is not reported as an I/O error`(provider: String) throws {
        #expect(try cli.roost("init", "--store=s", "--provider", provider).status == 0)
        let rows = (0..<400).map {
            "{\"id\":\($0),\"text\":\"\(String(repeating: "swift \($0) ", count: 40))\"}"
        }
        try rows.joined(separator: "\n").write(
            to: cli.home.appendingPathComponent("t.jsonl"), atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [
            "-c",
            "trap '' XFSZ; ulimit -f 300; exec \(CommandLineDriver.binary.path) ingest t.jsonl --store=s",
        ]
        process.currentDirectoryURL = cli.home
        process.environment = ["HOME": cli.home.path, "PATH": "/usr/bin:/bin"]
        let error = Pipe()
        process.standardError = error
        process.standardOutput = FileHandle.nullDevice
        try TestTool.start(process)
        let text = String(decoding: try error.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 74, "\(text)")
        #expect(text.contains("maximum file size") || text.contains("File too large"), "\(text)")
        #expect(!text.contains("disk I/O error"))
    }
}
