import Foundation
import Testing

/// The command as people run it, in a home of its own without a model.
struct CommandLineTests {
    struct Outcome {
        var status: Int32
        var output: String
        var error: String
    }

    static let binary: URL = {
        // The tests' bundle lies beside the products.
        let folders = [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()]
            .compactMap { $0 }
        let places =
            folders + folders.map { $0.deletingLastPathComponent() }
            + CommandLine.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        let binaries = places.map { $0.appendingPathComponent("roost") }
        guard let binary = binaries.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
        else {
            preconditionFailure("the product roost lies beside the tests")
        }
        return binary
    }()

    let home = FileManager.default.temporaryDirectory.appendingPathComponent(
        "roost-home-\(UUID().uuidString)")

    func roost(_ arguments: String..., input: String = "") throws -> Outcome {
        try roost(arguments, input: input)
    }

    func roost(_ arguments: [String], input: String = "") throws -> Outcome {
        let process = try start(arguments)
        try process.input.write(contentsOf: Data(input.utf8))
        try process.input.close()
        return try process.outcome()
    }

    /// A command that is running.
    struct Running {
        let process: Process
        let input: FileHandle
        let output: FileHandle
        let error: FileHandle

        func outcome() throws -> Outcome {
            let out = try output.readToEnd() ?? Data()
            let err = try error.readToEnd() ?? Data()
            process.waitUntilExit()
            return Outcome(
                status: process.terminationStatus, output: String(decoding: out, as: UTF8.self),
                error: String(decoding: err, as: UTF8.self))
        }
    }

    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> Running {
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = Self.binary
        process.arguments = arguments
        process.currentDirectoryURL = home
        process.environment = ["HOME": home.path, "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        let (output, error, stdin) = (Pipe(), Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        process.standardInput = stdin
        try process.run()
        return Running(
            process: process, input: stdin.fileHandleForWriting, output: output.fileHandleForReading,
            error: error.fileHandleForReading)
    }

    static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures")

    @Test(arguments: ["sqlite", "json"]) func `the whole job`(provider: String) throws {
        defer { try? FileManager.default.removeItem(at: home) }
        #expect(try roost("init", "--provider", provider).status == 0)
        let notes = Self.fixtures.appendingPathComponent("notes").path
        #expect(
            try roost("ingest", notes, "-q").output
                == "311 new, 0 updated, 0 removed, 0 unchanged, 0 skipped\n")
        #expect(
            try roost("ingest", notes, "-q").output
                == "0 new, 0 updated, 0 removed, 311 unchanged, 0 skipped\n")
        let query = try roost("query", "kestrel hovered over the verge", "-n", "2", "--json")
        let hits = try #require(
            try JSONSerialization.jsonObject(with: Data(query.output.utf8)) as? [[String: Any]])
        #expect(hits.count == 2)
        for key in ["id", "score", "content", "metadata"] { #expect(hits[0][key] != nil) }
        #expect((hits[0]["content"] as? String)?.contains("kestrel") == true)
        #expect(try roost("recluster", "--clusters", "11", "--seed", "1").status == 0)
        let file = home.appendingPathComponent("clusters.json")
        #expect(try roost("export", "clusters", "-o", file.path).status == 0)
        try validate(file)
        #expect(try roost("recluster", "--clusters", "11", "--seed", "1", "--levels", "2").status == 0)
        #expect(try roost("export", "clusters", "-o", file.path).status == 0)
        try validate(file)
        let backup = home.appendingPathComponent("entries.jsonl").path
        #expect(
            try roost("export", "entries", "--format", "jsonl", "--with-embeddings", "-o", backup).status == 0
        )
        #expect(try roost("import", backup, "--store", "copy").output == "311 new, 0 updated, 0 unchanged\n")
        let again = try roost(
            "export", "entries", "--format", "jsonl", "--with-embeddings", "--store", "copy")
        #expect(try again.output == String(contentsOfFile: backup, encoding: .utf8))
    }

    /// Against `Documentation/Schemas/clusters.schema.json`, by Debian's python3-jsonschema.
    func validate(_ file: URL) throws {
        let python = URL(fileURLWithPath: "/usr/bin/python3")
        let schema = Self.fixtures.deletingLastPathComponent().appendingPathComponent(
            "Documentation/Schemas/clusters.schema.json")
        let process = Process()
        process.executableURL = python
        process.arguments = [
            "-c",
            "import json, sys, jsonschema; jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))",
            schema.path, file.path,
        ]
        let error = Pipe()
        process.standardError = error
        try process.run()
        let text = String(decoding: try error.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text.suffix(600))")
    }

    @Test func `bad input is told in one line`() throws {
        defer { try? FileManager.default.removeItem(at: home) }
        let odd = Self.fixtures.appendingPathComponent("odd").path
        #expect(try roost("query", "x").status == 66)
        #expect(try roost("add", "  ").status == 65)
        #expect(try roost("add", "a swift").status == 0)
        for (arguments, status, words) in [
            (["ingest", "nowhere"], 66, "nowhere"), (["ingest", odd + "/latin1.txt"], 65, "UTF-8"),
            (["ingest", odd + "/binary.txt"], 65, "binary"),
            (["ingest", odd + "/broken.jsonl"], 65, "line 2"),
            (["similar", "none.txt"], 66, "none.txt"), (["cluster", "diff"], 66, "recluster"),
            (["cluster", "drift"], 66, "recluster"), (["cluster", "label", "x", "y"], 66, "recluster"),
            (["recluster", "--levels", "0"], 64, "--levels"), (["recluster", "--dense", "1"], 64, "--dense"),
            (["recluster", "--dense=5", "--clusters=3"], 64, "--dense"),
            (["recluster", "--dense", "99999"], 65, "no cluster was found"),
            (["ingest", odd + "/ragged.csv"], 65, "row 3"),
            (["ingest", odd + "/table.csv", "--text-column", "no"], 65, "'no'"),
            (["recluster", "--clusters", "9"], 64, "9 clusters"), (["query", " "], 65, "empty"),
            (["show", "zz"], 64, "no id"),
            (["show", UUID().uuidString], 66, "no entry"), (["remove", UUID().uuidString], 66, "no entry"),
            (["query", "x", "--cluster", "c"], 66, "no clusters"), (["import", "nowhere"], 66, "nowhere"),
            (["import", odd + "/crlf.md"], 65, "line 1"), (["config", "colour", "blue"], 64, "colour"),
            (["init", "--model", "none"], 69, "none"), (["model", "add", odd], 69, "config.json"),
        ] as [([String], Int32, String)] {
            let outcome = try run(arguments)
            #expect(outcome.status == status, "\(arguments): \(outcome.error)")
            #expect(outcome.error.contains(words), "\(arguments): \(outcome.error)")
            #expect(outcome.error.split(separator: "\n").count == 1, "\(arguments): \(outcome.error)")
        }
        #expect(try roost("list").output.split(separator: "\n").count == 1)
    }

    func run(_ arguments: [String]) throws -> Outcome {
        switch arguments.count {
        case 2: try roost(arguments[0], arguments[1])
        case 3: try roost(arguments[0], arguments[1], arguments[2])
        default: try roost(arguments[0], arguments[1], arguments[2], arguments[3])
        }
    }

    @Test func `a damaged or newer store is refused`() throws {
        defer { try? FileManager.default.removeItem(at: home) }
        #expect(try roost("init", "s").status == 0)
        let manifest = home.appendingPathComponent("s/store.json")
        for (text, words) in [("{\"format\": 99}", "update Roost"), ("{", "damaged"), ("", "damaged")] {
            try Data(text.utf8).write(to: manifest)
            let outcome = try roost("list", "--store", "s")
            #expect(outcome.status == 65)
            #expect(outcome.error.contains(words))
        }
    }

    @Test func `lines from standard input`() throws {
        defer { try? FileManager.default.removeItem(at: home) }
        #expect(try roost("ingest", "-", "-q", input: "one\ntwo\n\n").output.hasPrefix("2 new"))
        #expect(
            try roost("ingest", "-", "-q", input: "two\nthree\n").output.hasPrefix(
                "1 new, 0 updated, 0 removed, 1 unchanged"))
        #expect(try roost("ingest", "-", input: "").status == 66)
        #expect(try roost("list").output.split(separator: "\n").count == 3)
    }

    @Test func `two commands that make the same store share it`() throws {
        defer { try? FileManager.default.removeItem(at: home) }
        let commands = try (0..<4).map { try start(["add", "text number \($0)"]) }
        for command in commands { #expect(try command.outcome().status == 0) }
        #expect(try roost("list").output.split(separator: "\n").count == 4)
    }

    @Test(.enabled(if: getuid() == 0, "only root may give a folder away"))
    func `a store of another user is not opened by walking upward`() throws {
        defer { try? FileManager.default.removeItem(at: home) }
        #expect(try roost("add", "a swift", "--store", ".roost").status == 0)
        #expect(chown(home.appendingPathComponent(".roost/store.json").path, 12_345, 12_345) == 0)
        let outcome = try roost("list")
        #expect(outcome.status == 78)
        #expect(outcome.error.contains("belongs to another user"))
        #expect(try roost("list", "--store", ".roost").status == 0)
    }

    @Test func `a number too large for anything is taken for all`() throws {
        defer { try? FileManager.default.removeItem(at: home) }
        for text in ["one swift", "two swifts"] { #expect(try roost("add", text).status == 0) }
        let all = try roost("query", "swift", "-n", "9223372036854775807")
        #expect(all.status == 0)
        #expect(try roost("list", "-n", "9223372036854775807").status == 0)
        let id = try roost("list").output.prefix(8)
        #expect(try roost("similar", String(id), "-n", "9223372036854775807").status == 0)
    }
}
