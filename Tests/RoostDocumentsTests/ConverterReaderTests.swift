import Foundation
import TestSupport
import Testing

@testable import RoostDocuments

/// Tests of programs that convert files to Markdown.
@Suite(.temporaryFolders) struct ConverterReaderTests {
    private static func script(_ body: String, in folder: URL) throws -> String {
        let file = folder.appendingPathComponent("convert")
        try writeScript(body, to: file)
        return file.path
    }

    private static func read(
        _ text: String, with body: String, name: String = "/notes/a.org",
        limits: DocumentLimits = DocumentLimits()
    ) async throws -> Document {
        let program = try script(body, in: try TemporaryFolder().url)
        let readers = DocumentReaders.standard.adding(converters: ["org": program + " --to  markdown"])
        let input = DocumentInput(data: Data(text.utf8), path: name, limits: limits)
        let match = try #require(readers.match(input))
        return try #require(try await match.reader.read(input, as: match.type).documents.first)
    }

    @Test func `The output of the program is read as Markdown`() async throws {
        let document = try await Self.read(
            "* Water", with: "echo '# Title'; echo; echo \"$1 $2\"; cat \"$3\"")
        #expect(document.title == "Title" && document.format == .markdown)
        #expect(document.text == "# Title\n\n--to markdown\n* Water")
    }

    @Test(arguments: ["/notes/-rf.org", "/notes/$(touch x).org", "/notes/a b;c.org"])
    func `The program never sees the name of the file`(name: String) async throws {
        let document = try await Self.read("Text", with: "basename \"$3\"", name: name)
        #expect(document.text == "document.org\n")
    }

    @Test func `The program sees no variables of the environment but a few`() async throws {
        let document = try await Self.read("Text", with: "env")
        let names = document.text.split(separator: "\n").compactMap { $0.split(separator: "=").first }
        #expect(
            Set(names.map(String.init)).isSubset(of: ["PATH", "LC_ALL", "HOME", "TZ", "PWD", "_", "SHLVL"]))
    }

    @Test func `A failure is reported with the status and the message of the program`() async throws {
        await #expect(
            throws: DocumentError.damaged("its converter convert failed with exit status 65: bad file")
        ) { try await Self.read("Text", with: "echo bad file >&2; exit 65") }
        await #expect(throws: DocumentError.noText("its converter convert wrote no text")) {
            try await Self.read("Text", with: "exit 0")
        }
        let missing = DocumentReaders.standard.adding(converters: ["org": "no-such-program -x"])
        let input = DocumentInput(data: Data("Text".utf8), path: "a.org")
        let match = try #require(missing.match(input))
        await #expect(
            throws: DocumentError.missingProgram(
                "the program no-such-program of its converter is not installed")
        ) { try await match.reader.read(input, as: match.type) }
    }

    @Test func `The time and the output of the program are limited`() async throws {
        var limits = DocumentLimits()
        limits.maximumTime = .seconds(1)
        let start = ContinuousClock.now
        await #expect(throws: DocumentError.programLimitExceeded("convert needed more than 1 seconds")) {
            try await Self.read("Text", with: "sleep 100", limits: limits)
        }
        #expect(ContinuousClock.now - start < .seconds(30))
        limits = DocumentLimits()
        limits.maximumTextBytes = 1000
        await #expect(throws: DocumentError.limitExceeded("convert wrote more than 1000 bytes of text")) {
            try await Self.read("Text", with: "while :; do echo many words; done", limits: limits)
        }
    }

    @Test func `Another command or version of the program reads the files again`() throws {
        let folder = try TemporaryFolder().url
        let path = try Self.script("cat \"$1\"", in: folder)
        func name(_ command: String) -> String {
            ConverterReader(fileExtension: "org", command: command).types[0].name
        }
        let first = name(path)
        #expect(name(path) == first && name(path + " -x") != first)
        _ = try Self.script("cat \"$1\" # new", in: folder)
        #expect(name(path) != first)
    }
}

#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    @testable import RoostDocuments

    struct ProgramRunnerTests {
        @Test func `the folder of a process that was killed is removed by the next one`() throws {
            let left = FileManager.default.temporaryDirectory.appendingPathComponent(
                "roost-document-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: left, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            for name in ["lock", "input.pdf"] {
                try Data("x".utf8).write(to: left.appendingPathComponent(name))
            }
            let folder = try PrivateFolder()
            #expect(!FileManager.default.fileExists(atPath: left.path))
            #expect(FileManager.default.fileExists(atPath: folder.path))
        }

        @Test func `a program inherits no open file`() throws {
            let file = open("/dev/null", O_RDONLY)  // without `O_CLOEXEC`, as libraries open files
            let number = fcntl(file, F_DUPFD, 30)
            defer {
                close(file)
                close(number)
            }
            let runner = ProgramRunner(
                folder: try PrivateFolder(), limits: DocumentLimits(), isCancelled: { false })
            let list = try #require(ProgramRunner.path(of: "ls"))
            let result = try runner.run(
                list, ["/proc/self/fd"], deadline: .now + .seconds(10), maximumOutput: 10_000)
            let names = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
            // `ls` itself reads the folder through one more file.
            #expect(names.starts(with: ["0", "1", "2"]) && names.count <= 4, "\(names)")
            #expect(result.status == 0)
        }
    }
#endif
