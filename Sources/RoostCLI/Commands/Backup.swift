import ArgumentParser
import Foundation
import Roost

/// `roost backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Snapshots of the store that can be had back.",
        discussion: """
            A snapshot is of one state of the store, while others go on writing to it. Snapshots share what \
            they have in common, so that the next one is small.
            """,
        subcommands: [
            CreateBackup.self, ListBackups.self, ShowBackup.self, VerifyBackups.self, RestoreBackup.self,
            ForgetBackups.self, PruneBackups.self, ChangePassword.self,
        ])

    struct CreateBackup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Make a snapshot of the store as it is now.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @Option(
            name: .long,
            help: ArgumentHelp("A word to find it by; may be given several times.", valueName: "T"))
        var tag: [String] = []

        @Flag(name: .long, help: "As JSON.")
        var json = false

        func validate() throws {
            guard tag.allSatisfy({ !$0.allSatisfy(\.isWhitespace) && $0.utf8.count <= 200 }) else {
                throw ValidationError("A --tag is a word of at most 200 bytes.")
            }
        }

        func run() async throws {
            let location = try options.location()
            // First, so that no repository is made for a store that is none.
            _ = try StoreManifest.read(in: location)
            let repository = try await backups.open(options, isToBeMade: true)
            let start = Date()
            let progress = Progress(isQuiet: options.quiet)
            let report = try await StoreBackup(location).create(in: repository, tags: tag) { done, total in
                progress.update(done, fraction: Double(done) / Double(max(1, total)))
            }
            progress.finish()
            options.detail(String(format: "backed up in %.2f s", Date().timeIntervalSince(start)))
            for digest in report.damagedDocuments {
                options.note(
                    "a kept document is damaged and not in the backup: \(digest.prefix(12)) "
                        + "(`roost doctor` says more)")
            }
            if json {
                return try Terminal.json(BackupDocument(report.snapshot, written: report.writtenBytes))
            }
            Terminal.write(BackupDocument(report.snapshot).line)
            options.note(
                "\(ByteCount.text(report.writtenBytes)) written; \(report.newSegments) of "
                    + "\(report.segments) parts are new" + (repository.isEncrypted ? "" : "; not encrypted"))
            if !repository.isEncrypted, try backups.place(options).isOverheard {
                options.note("it went over the network by http, where others can read it")
            }
        }
    }

    struct ListBackups: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the snapshots.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @Flag(name: .long, help: "As JSON.")
        var json = false

        func run() async throws {
            let snapshots = try await backups.open(options).snapshots()
            if json { return try Terminal.json(snapshots.map { BackupDocument($0) }) }
            for snapshot in snapshots { Terminal.write(BackupDocument(snapshot).line) }
            if snapshots.isEmpty { throw ExitCode(ExitStatus.nothingFound.rawValue) }
        }
    }

    struct ShowBackup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what a snapshot is of.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @Argument(
            help: ArgumentHelp("A snapshot's name, the beginning of one, or latest.", valueName: "SNAPSHOT"))
        var snapshot = "latest"

        func run() async throws {
            try Terminal.json(BackupDocument(try await backups.open(options).snapshot(snapshot)))
        }
    }

    struct VerifyBackups: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Look whether every snapshot can be restored.",
            discussion: "Exits with 0 where all can, and with 65 where something is damaged.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @Flag(name: .long, help: "Read everything and compare it; else only what leads to it.")
        var readData = false

        @Flag(name: .long, help: "As JSON.")
        var json = false

        private struct Document: Encodable {
            struct Finding: Encodable {
                var object: String
                var problem: String
                var snapshots: [String]
                var entryCount: Int
                var entries: [String]
                var clusters: [String]
                var documentCount: Int
            }
            var isSound: Bool
            var snapshots: Int
            var packs: Int
            var segments: Int
            var hasReadData: Bool
            var strayPacks: Int
            var findings: [Finding]
        }

        func run() async throws {
            let repository = try await backups.open(options)
            let progress = Progress(isQuiet: options.quiet, unit: "packs")
            let result = try await repository.verify(readingData: readData) {
                progress.update($0, fraction: Double($0) / Double(max(1, $1)))
            }
            progress.finish()
            if json {
                try Terminal.json(
                    Document(
                        isSound: result.isSound, snapshots: result.snapshotCount, packs: result.packCount,
                        segments: result.segmentCount, hasReadData: result.hasReadData,
                        strayPacks: result.strayPacks.count,
                        findings: result.findings.map {
                            .init(
                                object: $0.object, problem: $0.problem, snapshots: $0.snapshots,
                                entryCount: $0.entryCount, entries: $0.entries.map(\.text),
                                clusters: $0.clusters.map(\.text), documentCount: $0.documentCount)
                        }))
            } else {
                show(result)
            }
            if !result.isSound { throw ExitCode(ExitStatus.badData.rawValue) }
        }

        private func show(_ result: BackupVerification) {
            for finding in result.findings {
                Terminal.write("\(finding.object): \(finding.problem)")
                let names = finding.snapshots.map { String($0.prefix(8)) }.joined(separator: ", ")
                if !names.isEmpty {
                    let documents =
                        finding.documentCount > 0 ? " and \(finding.documentCount) kept documents" : ""
                    Terminal.write(
                        "  touches \(finding.entryCount) entries\(documents) in snapshots \(names)")
                }
                let ids = finding.entries.prefix(10).map { String($0.text.prefix(8)) }.joined(separator: ", ")
                if !ids.isEmpty {
                    Terminal.write("  entries \(ids)" + (finding.entries.count > 10 ? ", …" : ""))
                }
                let clusters = finding.clusters.map { String($0.text.prefix(8)) }.joined(separator: ", ")
                if !clusters.isEmpty { Terminal.write("  clusters \(clusters)") }
            }
            Terminal.write(
                "\(result.snapshotCount) snapshots, \(result.packCount) packs, \(result.segmentCount) parts: "
                    + (result.isSound ? "sound" : "\(result.findings.count) damaged"))
            if result.isSound, !result.hasReadData {
                options.note("the packs were looked for, not read; --read-data reads and compares them")
            }
            if !result.strayPacks.isEmpty {
                options.note(
                    "\(result.strayPacks.count) packs belong to no snapshot; `roost backup prune` "
                        + "removes them"
                )
            }
        }
    }

    struct RestoreBackup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore", abstract: "Make a store of a snapshot, in a new folder.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @Argument(
            help: ArgumentHelp("A snapshot's name, the beginning of one, or latest.", valueName: "SNAPSHOT"))
        var snapshot: String

        @Option(name: .long, help: ArgumentHelp("The folder, new or empty.", valueName: "DIR"))
        var into: String

        @Option(name: .long, help: "sqlite or json; that of the store where it is not given.")
        var provider: String?

        func run() async throws {
            let chosen = try provider.map { name in
                guard let provider = StoreManifest.Provider(rawValue: name) else {
                    throw CommandError(
                        .usage, "there is no provider '\(Terminal.line(name))'; there are sqlite and json")
                }
                return provider
            }
            let repository = try await backups.open(options)
            let found = try await repository.snapshot(snapshot)
            let target = URL(fileURLWithPath: into)
            let progress = Progress(isQuiet: options.quiet)
            let options = options
            let stamp = try await StoreBackup(target).restore(
                found, from: repository, provider: chosen
            ) {
                progress.update($0, fraction: Double($0) / Double(max(1, $1)))
            } onDamagedDocument: {
                options.note("a kept document is damaged in the backup and was left out: \($0.prefix(12))")
            }
            progress.finish()
            Terminal.write(
                "restored \(stamp.entryCount) entries and \(stamp.clusterCount) clusters into \(target.path)")
        }
    }

    struct ForgetBackups: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "Remove snapshots; `prune` gives back their space.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @Argument(help: ArgumentHelp("Snapshots' names, or the beginnings of some.", valueName: "SNAPSHOT"))
        var snapshots: [String]

        func run() async throws {
            let repository = try await backups.open(options)
            var names: [String] = []
            // Also one that cannot be read any more.
            for name in snapshots { names.append(try await repository.name(beginning: name)) }
            try await repository.forget(names)
            for name in names { Terminal.write("forgot \(name.prefix(8))") }
        }
    }

    struct PruneBackups: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune",
            abstract: "Remove what no snapshot needs, and snapshots that no rule keeps.",
            discussion: "Without a rule all snapshots stay. Days, weeks and months are those of UTC.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @Option(
            name: .long, parsing: .unconditional, help: ArgumentHelp("Keep the last ones.", valueName: "N"))
        var keepLast: Int?

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("Keep the last of each of so many days.", valueName: "N"))
        var keepDaily: Int?

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("Keep the last of each of so many weeks.", valueName: "N"))
        var keepWeekly: Int?

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("Keep the last of each of so many months.", valueName: "N"))
        var keepMonthly: Int?

        @Option(name: .long, help: ArgumentHelp("Keep those with this tag.", valueName: "T"))
        var keepTag: [String] = []

        @Flag(name: .long, help: "Say what would be removed, and remove nothing.")
        var dryRun = false

        private var numbers: [Int?] { [keepLast, keepDaily, keepWeekly, keepMonthly] }

        func validate() throws {
            guard numbers.allSatisfy({ ($0 ?? 0) >= 0 }) else {
                throw ValidationError("--keep-last and its like take a number from 0.")
            }
            let isRule = numbers.contains { $0 != nil }
            guard !isRule || numbers.contains(where: { ($0 ?? 0) > 0 }) || !keepTag.isEmpty else {
                throw ValidationError(
                    "These rules would keep no snapshot; use `backup forget` for single ones.")
            }
        }

        func run() async throws {
            let repository = try await backups.open(options)
            let hasRule = numbers.contains { $0 != nil } || !keepTag.isEmpty
            let retention = BackupRetention(
                last: keepLast ?? 0, daily: keepDaily ?? 0, weekly: keepWeekly ?? 0,
                monthly: keepMonthly ?? 0,
                tags: Set(keepTag))
            let report = try await repository.prune(keeping: hasRule ? retention : nil, isDryRun: dryRun)
            for snapshot in report.forgotten {
                Terminal.write("\(dryRun ? "would forget" : "forgot") \(BackupDocument(snapshot).line)")
            }
            Terminal.write(
                "\(report.kept.count) snapshots kept; \(ByteCount.text(report.bytesBefore)) before, "
                    + "\(ByteCount.text(report.bytesAfter)) \(dryRun ? "then" : "now")")
        }
    }

    struct ChangePassword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "password", abstract: "Give an encrypted repository another passphrase.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @Option(
            name: .long,
            help: ArgumentHelp("A file whose first line is the new passphrase.", valueName: "FILE"))
        var newPasswordFile: String

        func run() async throws {
            let new = try BackupOptions.passphrase(inFile: newPasswordFile)
            guard let old = try backups.passphrase() else {
                throw CommandError(
                    .usage, "give the present passphrase with --password-file or $ROOST_BACKUP_PASSWORD")
            }
            try await BackupRepository.changePassphrase(
                of: try backups.place(options).retrieval, from: old, to: new)
            options.note("the passphrase was changed; the old one opens nothing any more")
        }
    }
}

/// A snapshot, for people and programs.
struct BackupDocument: Encodable {
    var id: String
    var created: String
    var tags: [String]
    var stamp: Stamp
    var sources: Int
    /// Source documents that are kept byte for byte.
    var documents: Int
    var documentBytes: Int
    var writtenBytes: Int?

    init(_ snapshot: BackupSnapshot, written: Int? = nil) {
        id = snapshot.id
        created = DateText.string(from: snapshot.created)
        tags = snapshot.tags
        stamp = snapshot.stamp
        sources = snapshot.sourceCount
        documents = snapshot.originalCount
        documentBytes = snapshot.originalBytes
        writtenBytes = written
    }

    var line: String {
        "\(id.prefix(8))  \(created)  \(stamp.entryCount) entries, \(stamp.clusterCount) clusters"
            + (tags.isEmpty
                ? "" : "  " + Terminal.dim(tags.map { Terminal.line($0, limit: 40) }.joined(separator: ", ")))
    }
}
