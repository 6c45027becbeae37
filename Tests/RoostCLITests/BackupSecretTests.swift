import Foundation
import TestSupport
import Testing

/// Tests of the files that contain the secret of an encrypted backup repository.
@Suite(.temporaryFolders) struct BackupSecretTests {
    private let cli = CommandLineDriver()

    /// Creates a store, and writes files with the given bytes.
    private func prepare(_ files: [String: [UInt8]]) throws {
        #expect(try cli.roost("add", "The swift is back above the roof.", "--store=s").status == 0)
        for (name, bytes) in files { try Data(bytes).write(to: cli.home.appendingPathComponent(name)) }
    }

    @Test func `different key files open different repositories, and every byte is significant`() throws {
        let bytes = (0...255).map(UInt8.init)
        try prepare([
            "key": bytes, "end": bytes.dropLast() + [254], "longer": bytes + [10],
            "invalid": [0xFF, 0xFE], "zero": [0], "empty": [],
        ])
        let made = try cli.roost("backup", "create", "--store=s", "--to=b", "--key-file=key")
        #expect(made.status == 0 && !made.error.contains("warning"), "\(made.error)")
        #expect(try cli.roost("backup", "list", "--to=b", "--key-file=key").status == 0)
        for other in ["end", "longer", "invalid", "zero"] {
            let outcome = try cli.roost("backup", "list", "--to=b", "--key-file=\(other)")
            #expect(outcome.status == 78 && outcome.error.contains("wrong"), "\(other): \(outcome.error)")
        }
        #expect(try cli.roost("backup", "list", "--to=b", "--key-file=empty").status == 65)
        let environment = try cli.start(
            ["backup", "list", "--to=b"], environment: ["ROOST_BACKUP_KEY_FILE": "key"])
        #expect(try environment.outcome().status == 0)
    }

    @Test func `a password file that is not valid text creates no repository`() throws {
        let files: [String: [UInt8]] = [
            "latin1": Array("stra".utf8) + [0xDF, 0x65, 10], "zero": Array("a\0b\n".utf8),
            "empty": [10, 97], "separator": Array("a long passphrase\u{2028}more\n".utf8),
            "large": [UInt8](repeating: 97, count: 70_000),
        ]
        try prepare(files)
        let fault = "empty or not UTF-8"
        for (name, cause) in [
            ("latin1", fault), ("zero", fault), ("empty", fault), ("large", "larger than"),
        ] {
            let outcome = try cli.roost(
                "backup", "create", "--store=s", "--to=\(name)-b",
                "--password-file=\(name)")
            #expect(outcome.status == 65 && outcome.error.contains(cause), "\(name): \(outcome.error)")
            #expect(
                !FileManager.default.fileExists(
                    atPath: cli.home.appendingPathComponent("\(name)-b/config").path))
        }
        // Only a line feed ends the first line.
        #expect(
            try cli.roost("backup", "create", "--store=s", "--to=b", "--password-file=separator").status == 0)
        try Data("a long passphrase\n".utf8).write(to: cli.home.appendingPathComponent("prefix"))
        #expect(try cli.roost("backup", "list", "--to=b", "--password-file=prefix").status == 78)
    }
}
