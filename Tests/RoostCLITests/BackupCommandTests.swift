import FakeServer
import Foundation
import Roost
import TestSupport
import Testing

/// Tests of the command `backup`.
@Suite(.temporaryFolders) struct BackupCommandTests {
    let cli = CommandLineDriver()

    func prepare(_ count: Int = 300) throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let lines = (0..<count).map { "{\"text\": \"\(SampleTexts.subjects[$0 % 4]) \($0)\"}\n" }.joined()
        try lines.write(to: cli.home.appendingPathComponent("t.jsonl"), atomically: true, encoding: .utf8)
        #expect(try cli.roost("ingest", "--store", "s", "t.jsonl").status == 0)
        #expect(try cli.roost("recluster", "--store", "s", "--clusters=4").status == 0)
    }

    /// Returns the exported entries, the clusters and the results of a query, none of which contain the
    /// store's identity.
    func contents(_ store: String) throws -> [String] {
        let entries = try cli.roost(
            "export", "entries", "--store=\(store)", "--with-embeddings", "--format=jsonl")
        let clusters = try cli.roost("cluster", "list", "--store=\(store)", "--json")
        let found = try cli.roost("query", "--store=\(store)", "bread and flour", "--json")
        #expect(entries.status == 0 && clusters.status == 0 && found.status == 0, "\(entries.error)")
        return [entries.output, clusters.output, found.output]
    }

    @Test func `a lost store is restored from its backup, with either provider`() throws {
        try prepare()
        let before = try contents("s")
        let made = try cli.roost("backup", "create", "--store=s", "--to=b", "--tag=first", "--json")
        #expect(made.status == 0, "\(made.error)")
        let list = try cli.roost("backup", "list", "--to=b", "--format=tsv")
        #expect(list.output.contains("\t300\t4\tfirst"), "\(list.output)")
        let verified = try cli.roost("backup", "verify", "--to=b", "--read-data")
        #expect(verified.status == 0 && verified.output.contains("no damage found"), "\(verified.output)")
        try FileManager.default.removeItem(at: cli.home.appendingPathComponent("s"))
        for target in ["sqlite", "json"] {
            let restored = try cli.roost(
                "backup", "restore", "latest", "--to=b", "--into=r-\(target)", "--provider", target)
            #expect(restored.status == 0, "\(restored.error)")
            #expect(try contents("r-\(target)") == before)
            #expect(try cli.roost("doctor", "--store=r-\(target)").status == 0)
        }
    }

    @Test func `commands name a damaged snapshot, use the others and have status 65`() throws {
        try prepare(40)
        for _ in 0..<2 { #expect(try cli.roost("backup", "create", "--store=s", "--to=b").status == 0) }
        let snapshots = cli.home.appendingPathComponent("b/snapshots")
        let ids = try cli.roost("backup", "list", "--to=b", "--format=tsv").output.split(separator: "\n")
            .dropFirst().compactMap { $0.split(separator: "\t").first.map { String($0.prefix(8)) } }
        let name = try #require(
            FileManager.default.subpaths(atPath: snapshots.path)?.first { $0.hasPrefix(ids[1]) })
        try Data("{".utf8).write(to: snapshots.appendingPathComponent(name))
        let list = try cli.roost("backup", "list", "--to=b")
        #expect(list.status == 65 && list.output.contains(ids[0]) && !list.output.contains(ids[1]))
        #expect(list.error.contains("`roost backup forget \(name.prefix(12))`"), "\(list.error)")
        let restored = try cli.roost("backup", "restore", "latest", "--to=b", "--into=r")
        #expect(restored.status == 65 && restored.error.contains(ids[1]), "\(restored)")
        // These commands remove data, so they do not guess.
        for arguments in [["prune"], ["forget", "latest"]] {
            let refused = try cli.roost(["backup"] + arguments + ["--to=b"])
            #expect(refused.status == 65 && refused.error.contains(ids[1]), "\(refused)")
        }
        #expect(try cli.roost("backup", "forget", "--to=b", ids[1]).status == 0)
        #expect(try cli.roost("backup", "prune", "--to=b").output.hasPrefix("kept 1 snapshot;"))
        let rest = try cli.roost("backup", "list", "--to=b")
        #expect(rest.status == 0 && rest.output.contains(ids[0]) && !rest.error.contains("cannot read"))
    }

    @Test func `a backup is created before many entries are removed`() throws {
        try prepare()
        let removed = try cli.roost("remove", "--yes", "--store=s", "--source", "t.jsonl")
        #expect(removed.status == 0 && removed.error.contains("created the backup"), "\(removed.error)")
        let restored = try cli.roost("backup", "restore", "latest", "--store=s", "--into=r")
        #expect(restored.output.contains("restored 300 entries"), "\(restored.error)")
    }

    @Test func `an encrypted repository requires its passphrase, which can be changed`() throws {
        try prepare(50)
        for (file, text) in [("one", "first word\n"), ("two", "second\nline\n")] {
            try text.write(to: cli.home.appendingPathComponent(file), atomically: true, encoding: .utf8)
        }
        let made = try cli.roost("backup", "create", "--store=s", "--to=b", "--password-file=one")
        #expect(made.status == 0 && !made.error.contains("not encrypted"), "\(made.error)")
        let bare = try cli.roost("backup", "list", "--to=b")
        #expect(bare.status == 78 && bare.error.contains("use --password-file"), "\(bare.error)")
        let wrong = try cli.roost("backup", "list", "--to=b", "--password-file=two")
        #expect(wrong.status == 78 && wrong.error.contains("passphrase is wrong"), "\(wrong.error)")
        let process = try cli.start(
            ["backup", "password", "--to=b", "--new-password-file=two"],
            environment: ["ROOST_BACKUP_PASSWORD": "first word"])
        #expect(try process.outcome().status == 0)
        #expect(try cli.roost("backup", "list", "--to=b", "--password-file=two").status == 0)
        #expect(try cli.roost("backup", "list", "--to=b", "--password-file=one").status == 78)
    }

    @Test func `each mistake is reported with its exit status`() throws {
        try prepare(20)
        #expect(try cli.roost("backup", "create", "--store=s", "--to=b").status == 0)
        try "x".write(to: cli.home.appendingPathComponent("file"), atomically: true, encoding: .utf8)
        for (arguments, status, words) in [
            (["backup", "create", "--store=none"], 66, "roost init"),
            (["backup", "create", "--store=s", "--to=."], 73, "contains other files"),
            (["backup", "list", "--store=none"], 66, "backup create"),
            (["backup", "create", "--store=s", "--to=ftp://x/y"], 64, "unsupported backup location"),
            (["backup", "create", "--store=s", "--to=s3://bucket/p"], 78, "AWS_ACCESS_KEY_ID"),
            (["backup", "restore", "latest", "--to=b", "--into=s"], 73, "a store in"),
            (["backup", "prune", "--to=b", "--keep-last=0"], 64, "no snapshot"),
            (["backup", "list", "--to=b", "--password-file=none"], 66, "cannot read a passphrase from"),
            (["backup", "list", "--password-file=file", "--key-file=file"], 64, "cannot be combined"),
            (["backup", "list", "--to=b", "--password-file=file"], 78, "not encrypted"),
        ] as [([String], Int32, String)] {
            let outcome = try cli.roost(arguments)
            #expect(
                outcome.status == status && outcome.error.contains(words),
                "\(arguments): \(outcome.status) \(outcome.error)")
        }
        #expect(!FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("none").path))
        #expect(!FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("r").path))
    }

    @Test func `backups can be stored in a bucket`() async throws {
        try prepare(40)
        let store = try await FakeObjectStore()
        let environment = [
            "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "ROOST_BACKUP_PASSWORD": "swifts",
        ]
        func run(_ arguments: String...) throws -> CommandLineDriver.Outcome {
            let running = try cli.start(arguments, environment: environment)
            try running.input.close()
            return try running.outcome()
        }
        #expect(try cli.roost("config", "s3-endpoint", store.address).status == 0)
        // Every fifth request is answered with "slow down".
        store.fail { _, number in number % 5 == 0 ? .slowDown : nil }
        let location = "--to=s3://bucket/notes"
        let made = try run("backup", "create", "--store=s", location)
        #expect(made.status == 0, "\(made.error)")
        #expect(!store.names.isEmpty && store.names.allSatisfy { $0.hasPrefix("/bucket/notes/") })
        #expect(try run("backup", "verify", location, "--read-data").status == 0)
        let restored = try run("backup", "restore", "latest", location, "--into=r")
        #expect(restored.status == 0, "\(restored.error)")
        #expect(try contents("r") == contents("s"))
        store.fail { _, _ in .portal }
        let portal = try run("backup", "list", location)
        #expect(
            portal.status == 74 && portal.error.contains("is not an object store"), "\(portal.error)")
        #expect(!portal.error.contains("secret"))
        await store.close()
    }
}
