import Foundation
import TestSupport
import Testing

@testable import RoostCLI

/// Tests of the files that contain secrets, and of the file of the settings.
@Suite(.temporaryFolders) struct SecretAndSettingsTests {
    private let folder = TemporaryFolder.unusedURL()

    private func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let file = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file.path
    }

    // MARK: Secrets

    @Test func `every byte of a key file is significant, and it equals no passphrase`() throws {
        let bytes = (0...255).map(UInt8.init)
        let files = [bytes, bytes.dropLast() + [254], bytes + [10], [0xFF, 0xFE], [0]]
        var secrets = Set(["first word"])
        for (number, bytes) in files.enumerated() {
            let secret = try BackupSecret.keyFile(try write(bytes, "\(number)"))
            #expect(secrets.insert(secret.passphrase).inserted && secret.lengthWarning == nil)
        }
        let empty = #expect(throws: CommandError.self) { try BackupSecret.keyFile(try write([], "empty")) }
        #expect(empty?.status == .badData)
    }

    @Test(arguments: [
        ("first word\n", "first word"), ("first word\r\nmore\r\n", "first word"),
        ("a long passphrase\u{2028}more\n", "a long passphrase\u{2028}more"),
    ])
    func `the first line of a password file is the passphrase`(text: String, passphrase: String) throws {
        let secret = try BackupSecret.passwordFile(try write(Array(text.utf8), "secret"))
        #expect(secret.passphrase == passphrase)
        #expect((secret.lengthWarning == nil) == (passphrase.count >= 12))
    }

    @Test(arguments: [
        (Array("stra".utf8) + [0xDF, 0x65, 10], "empty or not UTF-8"),
        (Array("a\0b\n".utf8), "empty or not UTF-8"), ([10, 97], "empty or not UTF-8"),
        ([UInt8](repeating: 97, count: 70_000), "larger than"),
    ])
    func `a password file that is not valid text is refused`(bytes: [UInt8], cause: String) throws {
        let path = try write(bytes, "secret")
        let error = #expect(throws: CommandError.self) { try BackupSecret.passwordFile(path) }
        #expect(error?.status == .badData && error?.message.contains(cause) == true)
    }

    // MARK: Settings

    private func values(_ file: URL) throws -> [String: String] { try UserConfiguration(file).values }

    @Test func `the file of the settings becomes private, and a link stays a link`() throws {
        let target = URL(fileURLWithPath: try write(Array("{\"limit\": \"3\"}".utf8), "dotfile.json"))
        #expect(chmod(target.path, 0o644) == 0)
        let link = folder.appendingPathComponent("config.json")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        var settings = try UserConfiguration(link)
        try settings.set("provider", "json")
        let attributes = try FileManager.default.attributesOfItem(atPath: target.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target.path)
        #expect(try values(target) == ["limit": "3", "provider": "json"])
    }

    @Test func `changes of settings at the same time lose no change`() async throws {
        let changes = [
            "limit": "7", "provider": "json", "label-model": "a", "s3-region": "eu-north-1",
            "remote-endpoint": "http://localhost:1/v1", "remote-key-file": "/a", "label-key-file": "/b",
        ]
        let file = folder.appendingPathComponent("config.json")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (key, value) in changes {
                group.addTask {
                    var settings = try UserConfiguration(file)
                    try settings.set(key, value)
                }
            }
            try await group.waitForAll()
        }
        #expect(try values(file) == changes)
    }

    @Test(arguments: [
        ("{\"limit\": \"\\ud800\"}", "unpaired surrogate at byte 17"),
        ("{\"limit\": 5}", "one of its values is not a string"), ("[]", "it is an array, not an object"),
        ("{", "it is not valid JSON: expected a string at byte 1"), ("", "it is empty"),
    ])
    func `damaged settings are reported with the cause`(text: String, cause: String) throws {
        let file = URL(fileURLWithPath: try write(Array(text.utf8), "config.json"))
        let error = #expect(throws: CommandError.self) { try UserConfiguration(file) }
        #expect(error?.status == .configuration && error?.message.contains(cause) == true)
    }

    @Test func `an invalid setting affects only the commands that use it`() throws {
        let file = URL(fileURLWithPath: try write(Array("{\"limit\": \"many\"}".utf8), "config.json"))
        var settings = try UserConfiguration(file)
        #expect(try settings.value(of: "model") == nil)
        for (key, value) in [
            ("limit", "0"), ("provider", "postgres"), ("search-in", "everywhere"), ("remote-key-file", "key"),
            ("remote-endpoint", "no address"), ("converter.CSV", "x"), ("converter.org", " "),
        ] { #expect(throws: (any Error).self, "\(key)") { try settings.set(key, value) } }
        let error = #expect(throws: CommandError.self) { try settings.value(of: "limit") }
        #expect(error?.message.contains("config.json") == true)
    }
}
