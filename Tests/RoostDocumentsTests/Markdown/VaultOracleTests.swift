import Foundation
import TestSupport
import Testing

/// Compares `Fixtures/vault.json`, which contains the expectations of ``VaultTests``, with the output of
/// `Scripts/vault-oracle`.
@Suite(.temporaryFolders) struct VaultOracleTests {
    /// Runs Python until it ends, and returns its exit status.
    private static func python(
        _ arguments: [String], output: FileHandle = .nullDevice, error: FileHandle = .nullDevice
    ) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONUTF8": "1"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = error
        let ended = AsyncStream<Int32> { continuation in
            process.terminationHandler = { process in
                continuation.yield(process.terminationStatus)
                continuation.finish()
            }
        }
        try TestTool.start(process)
        for await status in ended { return status }
        return -1
    }

    /// Returns whether Python is installed with packages, whose names are separated by commas.
    private static func hasPackages(_ names: String) async -> Bool {
        (try? await python(["-c", "import \(names)"])) == 0
    }

    /// Runs the oracle, and returns its output.
    private static func oracle(_ arguments: String...) async throws -> Data {
        let folder = try TemporaryFolder().url
        let files = ["output", "error"].map { folder.appendingPathComponent($0) }
        for file in files { try Data().write(to: file) }
        let script = Fixtures.repository.appendingPathComponent("Scripts/vault-oracle").path
        let status = try await python(
            [script] + arguments, output: try FileHandle(forWritingTo: files[0]),
            error: try FileHandle(forWritingTo: files[1]))
        let error = try String(contentsOf: files[1], encoding: .utf8)
        #expect(status == 0, "\(error.suffix(600))")
        return try Data(contentsOf: files[0])
    }

    @Test(
        .enabled("requires Python with PyYAML, dateutil and markdown-it") {
            await VaultOracleTests.hasPackages("yaml, tomllib, dateutil.parser, markdown_it")
        })
    func `The expectations are those that the oracle finds today`() async throws {
        let output = try await Self.oracle()
        let stored = try Data(contentsOf: VaultExpectation.file)
        #expect(output == stored, "run Scripts/vault-oracle > Fixtures/vault.json")
    }

    @Test(
        .enabled("requires Python 3.11 with PyYAML") {
            await VaultOracleTests.hasPackages("yaml, tomllib")
        })
    func `The expectations contain all values that the front matter of the notes states`() async throws {
        let stated = try JSONDecoder().decode(
            [String: VaultExpectation].self, from: try await Self.oracle("--front-matter"))
        let expectations = try VaultExpectation.all()
        #expect(stated.count >= 200 && stated.keys.sorted() == expectations.keys.sorted())
        for (path, values) in stated {
            let expected = try #require(expectations[path], "\(path)")
            #expect(values.isInvalid == expected.isInvalid, "\(path)")
            #expect(values.title == nil || values.title == expected.title, "\(path)")
            #expect(values.created == nil || values.created == expected.created, "\(path)")
            #expect(values.updated == nil || values.updated == expected.updated, "\(path)")
            // The tags of the body follow those of the front matter.
            #expect((expected.tags ?? []).starts(with: values.tags ?? []), "\(path)")
        }
        #expect(stated.values.count { $0.title != nil } > 100)
        #expect(stated.values.count { $0.tags?.isEmpty == false } > 100)
        #expect(stated.values.count { $0.created != nil } > 50)
    }
}
