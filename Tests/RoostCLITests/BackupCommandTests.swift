import FakeServer
import Foundation
import Roost
import TestSupport
import Testing

/// Tests of the command `backup`.
@Suite(.temporaryFolders) struct BackupCommandTests {
    let cli = CommandLineDriver()

    func prepare(_ count: Int = 300, provider: String = "sqlite") throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical", "--provider", provider).status == 0)
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

    @Test(arguments: ["sqlite", "json"])
    func `a lost store is restored from its backup, with either provider`(provider: String) throws {
        try prepare(provider: provider)
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
            let doctor = try cli.roost("doctor", "--store=r-\(target)")
            #expect(doctor.status == 0, "\(doctor.output)")
            // The restored store is complete.
            #expect(try cli.roost("add", "--store=r-\(target)", "one more").status == 0)
        }
    }

    @Test func `the advice of a verification leads to a sound repository`() throws {
        try prepare()
        #expect(try cli.roost("backup", "create", "--store=s", "--to=b").status == 0)
        let packs = cli.home.appendingPathComponent("b/packs")
        let paths = try #require(FileManager.default.subpaths(atPath: packs.path))
        let pack = packs.appendingPathComponent(try #require(paths.first { $0.contains("/") }))
        var data = try Data(contentsOf: pack)
        // Only a verification that reads the data finds a changed byte.
        data[data.count / 2] ^= 1
        try data.write(to: pack)
        #expect(try cli.roost("backup", "create", "--store=s", "--to=b").status == 0)
        let damaged = try cli.roost("backup", "verify", "--to=b", "--read-data")
        #expect(damaged.status == 65 && damaged.error.contains("`roost backup forget`"), "\(damaged)")
        let ids = try cli.roost("backup", "list", "--to=b", "--format=tsv").output.split(separator: "\n")
            .dropFirst().compactMap { $0.split(separator: "\t").first.map(String.init) }
        #expect(try cli.roost(["backup", "forget", "--to=b"] + ids).status == 0)
        #expect(try cli.roost("backup", "prune", "--to=b").status == 0)
        #expect(try cli.roost("backup", "create", "--store=s", "--to=b").status == 0)
        #expect(try cli.roost("backup", "verify", "--to=b", "--read-data").status == 0)
    }

    @Test(arguments: [true, false])
    func `a plain repository without its configuration is opened with a new one`(
        isMissing: Bool
    ) throws {
        try prepare(40)
        #expect(try cli.roost("backup", "create", "--store=s", "--to=b").status == 0)
        let configuration = cli.home.appendingPathComponent("b/config")
        if isMissing {
            try FileManager.default.removeItem(at: configuration)
        } else {
            try Data("{".utf8).write(to: configuration)
        }
        for arguments in [
            ["list"], ["create", "--store=s"], ["verify", "--read-data"], ["prune"],
            ["restore", "latest", "--into=r"],
        ] {
            let outcome = try cli.roost(["backup"] + arguments + ["--to=b"])
            #expect(
                outcome.status == 65 && outcome.error.contains("copy 'config' from a new repository"),
                "\(arguments), \(outcome)")
        }
        #expect(try cli.roost("backup", "create", "--store=s", "--to=new").status == 0)
        try? FileManager.default.removeItem(at: configuration)
        try FileManager.default.copyItem(
            at: cli.home.appendingPathComponent("new/config"), to: configuration)
        let restored = try cli.roost("backup", "restore", "latest", "--into=r", "--to=b")
        #expect(restored.status == 0, "\(restored)")
        #expect(try cli.roost("backup", "verify", "--read-data", "--to=b").status == 0)
        #expect(try contents("r") == contents("s"))
        #expect(try cli.roost("backup", "list", "--to=b").output.split(separator: "\n").count == 1)
    }

    @Test func `an encrypted repository without its configuration is explained`() throws {
        try prepare(10)
        try Data("a long passphrase".utf8).write(to: cli.home.appendingPathComponent("secret"))
        let options = ["--to=b", "--password-file=secret"]
        #expect(try cli.roost(["backup", "create", "--store=s"] + options).status == 0)
        try FileManager.default.removeItem(at: cli.home.appendingPathComponent("b/config"))
        let before = try TemporaryFolder.files(in: cli.home.appendingPathComponent("b")).count
        for arguments in [["list"], ["create", "--store=s"], ["restore", "latest", "--into=r"]] {
            let outcome = try cli.roost(["backup"] + arguments + options)
            #expect(outcome.status == 65 && outcome.error.contains("restore this file"), "\(outcome)")
        }
        #expect(try TemporaryFolder.files(in: cli.home.appendingPathComponent("b")).count == before)
    }

    @Test func `a backup replaces an emptied pack`() throws {
        try prepare()
        #expect(try cli.roost("backup", "create", "--store=s", "--to=b").status == 0)
        let packs = cli.home.appendingPathComponent("b/packs")
        let paths = try #require(FileManager.default.subpaths(atPath: packs.path))
        try Data().write(to: packs.appendingPathComponent(try #require(paths.first { $0.contains("/") })))
        let damaged = try cli.roost("backup", "verify", "--to=b")
        #expect(damaged.status == 65 && damaged.output.contains("0 bytes instead of"), "\(damaged)")
        #expect(try cli.roost("backup", "create", "--store=s", "--to=b").status == 0)
        #expect(try cli.roost("backup", "verify", "--to=b", "--read-data").status == 0)
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
        #expect(try cli.roost("doctor", "--store=r").status == 0)
        #expect(try cli.roost("backup", "restore", ids[0], "--to=b", "--into=r2").status == 0)
        let verified = try cli.roost("backup", "verify", "--to=b")
        #expect(verified.status == 65 && verified.output.contains(ids[1]), "\(verified)")
        // These commands remove data, so they do not guess.
        for arguments in [["prune"], ["prune", "--keep-last=1"], ["forget", "latest"]] {
            let refused = try cli.roost(["backup"] + arguments + ["--to=b"])
            #expect(refused.status == 65 && refused.error.contains(ids[1]), "\(refused)")
        }
        #expect(try cli.roost("backup", "forget", "--to=b", ids[1]).status == 0)
        #expect(try cli.roost("backup", "prune", "--to=b").status == 0)
        let rest = try cli.roost("backup", "list", "--to=b")
        #expect(rest.status == 0 && rest.output.contains(ids[0]) && !rest.error.contains("cannot read"))
    }

    @Test func `snapshots in the store's own repository can be removed and pruned`() throws {
        try prepare()
        for number in 0..<3 {
            #expect(try cli.roost("add", "--store=s", "note \(number)").status == 0)
            #expect(try cli.roost("backup", "create", "--store=s", "-q").status == 0)
        }
        let names = try cli.roost("backup", "list", "--store=s").output.split(separator: "\n").map {
            String($0.prefix(8))
        }
        #expect(names.count == 3)
        let gone = try cli.roost("backup", "forget", "--store=s", names[0])
        #expect(gone.status == 0 && gone.output.contains("removed \(names[0])"), "\(gone.error)")
        let dry = try cli.roost("backup", "prune", "--store=s", "--keep-last=1", "--dry-run")
        #expect(dry.status == 0 && dry.output.contains("would remove \(names[1])"), "\(dry.output)")
        #expect(
            try cli.roost("backup", "prune", "--store=s", "--keep-last=1").output.contains("kept 1 snapshot;")
        )
        #expect(try cli.roost("backup", "verify", "--store=s", "--read-data").status == 0)
        let last = try cli.roost("backup", "forget", "--store=s", "latest")
        #expect(last.status == 0 && last.output.contains("removed \(names[2])"), "\(last)")
        // The command `doctor` does not report the repository as damage.
        #expect(try cli.roost("doctor", "--store=s").status == 0)
    }

    @Test func `a backup is created before many entries are removed`() throws {
        try prepare()
        // Older versions stored complete copies in the same folder.
        let copies = cli.home.appendingPathComponent("s/backups/before-reembed-1")
        try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
        let removed = try cli.roost("remove", "--yes", "--store=s", "--source", "t.jsonl")
        #expect(removed.status == 0 && removed.error.contains("created the backup"), "\(removed.error)")
        let restored = try cli.roost("backup", "restore", "latest", "--store=s", "--into=r")
        #expect(restored.output.contains("restored 300 entries"), "\(restored.error)")
    }

    @Test func `an encrypted repository requires its passphrase, which can be changed`() throws {
        try prepare(50)
        for (file, text) in [
            ("one", "first word\n"), ("dos", "first word\r\nmore\r\n"), ("two", "second\nline\n"),
            ("empty", "\n"),
        ] {
            try text.write(to: cli.home.appendingPathComponent(file), atomically: true, encoding: .utf8)
        }
        let made = try cli.roost("backup", "create", "--store=s", "--to=b", "--password-file=one")
        #expect(made.status == 0 && !made.error.contains("not encrypted"), "\(made.error)")
        let bare = try cli.roost("backup", "list", "--to=b")
        #expect(bare.status == 78 && bare.error.contains("use --password-file"), "\(bare.error)")
        let wrong = try cli.roost("backup", "list", "--to=b", "--password-file=two")
        #expect(wrong.status == 78 && wrong.error.contains("passphrase is wrong"), "\(wrong.error)")
        #expect(try cli.roost("backup", "list", "--to=b", "--password-file=empty").status == 65)
        #expect(try cli.roost("backup", "list", "--to=b", "--password-file=dos").status == 0)
        let process = try cli.start(
            ["backup", "password", "--to=b", "--new-password-file=two"],
            environment: ["ROOST_BACKUP_PASSWORD": "first word"])
        #expect(try process.outcome().status == 0)
        #expect(try cli.roost("backup", "list", "--to=b", "--password-file=two").status == 0)
        #expect(try cli.roost("backup", "list", "--to=b", "--password-file=one").status == 78)
        let restored = try cli.roost(
            "backup", "restore", "latest", "--to=b", "--into=r", "--password-file=two")
        #expect(restored.status == 0, "\(restored.error)")
    }

    @Test func `each mistake is reported with its exit status`() throws {
        try prepare(20)
        #expect(try cli.roost("backup", "create", "--store=s", "--to=b").status == 0)
        try "x".write(to: cli.home.appendingPathComponent("file"), atomically: true, encoding: .utf8)
        for (arguments, status, words) in [
            (["backup", "create", "--store=none"], 66, "roost init"),
            (["backup", "create", "--store=s", "--to=."], 73, "contains other files"),
            (["backup", "list", "--store=none"], 66, "backup create"),
            (["backup", "create", "--store=s", "--to=s3:/x"], 64, "use a folder"),
            (["backup", "create", "--store=s", "--to=ftp://x/y"], 64, "unsupported backup location"),
            (["backup", "create", "--store=s", "--to=s3://bucket/p"], 78, "AWS_ACCESS_KEY_ID"),
            (["backup", "restore", "zzz", "--to=b", "--into=r"], 66, "snapshot 'zzz' not found"),
            (["backup", "restore", "latest", "--to=b", "--into=s"], 73, "a store in"),
            (["backup", "restore", "latest", "--to=b", "--into=b"], 78, "contains files"),
            (["backup", "restore", "latest", "--to=b", "--into=file"], 74, "file"),
            (
                ["backup", "restore", "latest", "--to=b", "--into=r", "--provider=x"], 64,
                "use sqlite or json"
            ),
            (["backup", "prune", "--to=b", "--keep-last=0"], 64, "no snapshot"),
            (["backup", "prune", "--to=b", "--keep-last=-1"], 64, "at least 0"),
            (["backup", "forget", "--to=b"], 64, "SNAPSHOT"),
            (["backup", "list", "--to=b", "--password-file=none"], 66, "cannot read a passphrase from"),
            (["backup", "list", "--to=b", "--key-file=none"], 66, "No such file"),
            (["backup", "list", "--password-file=file", "--key-file=file"], 64, "cannot be combined"),
            (["backup", "password", "--to=b"], 64, "--new-password-file"),
            (["backup", "list", "--to=b", "--password-file=file"], 78, "not encrypted"),
        ] as [([String], Int32, String)] {
            let running = try cli.start(arguments)
            try running.input.close()
            let outcome = try running.outcome()
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
        #expect(try run("backup", "list", location).status == 66)
        let made = try run("backup", "create", "--store=s", location)
        #expect(made.status == 0, "\(made.error)")
        #expect(!store.names.isEmpty && store.names.allSatisfy { $0.hasPrefix("/bucket/notes/") })
        #expect(try run("backup", "list", location, "--format=tsv").output.contains("\t40\t"))
        #expect(try run("backup", "verify", location, "--read-data").status == 0)
        let restored = try run("backup", "restore", "latest", location, "--into=r")
        #expect(restored.status == 0, "\(restored.error)")
        #expect(try contents("r") == contents("s"))
        #expect(try run("backup", "prune", location, "--keep-last=1").status == 0)
        // A bucket that contains other objects is rejected if no prefix is given.
        #expect(try run("backup", "create", "--store=s", "--to=s3://bucket").status == 73)
        store.fail { _, _ in .portal }
        let portal = try run("backup", "list", location)
        #expect(
            portal.status == 74 && portal.error.contains("is not an object store"), "\(portal.error)")
        #expect(!portal.error.contains("secret"))
        await store.close()
    }
}
