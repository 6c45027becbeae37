import ArgumentParser
import Foundation
import Roost
import RoostChunks
import RoostServer

extension BackupCommand {
    struct VerifyBackups: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Check whether every snapshot can be restored.",
            discussion: """
                Exits with 0 if all snapshots can be restored, and with 65 if data is damaged or \
                missing, or if a newer version of Roost wrote a snapshot. Lists the affected snapshots, \
                entries and clusters.

                Examples:
                  roost backup verify
                  roost backup verify --read-data --to /mnt/disk/notes
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @Flag(
            name: .long,
            help: "Read all data and verify the checksums. Default: only check the sizes of all files.")
        var readData = false

        @OptionGroup var output: JSONOption

        func run() async throws {
            let repository = try await backups.open(options)
            let progress = Progress(isQuiet: options.quiet, unit: "packs")
            let result = try await repository.verify(readingData: readData) {
                progress.update($0, of: $1)
            }
            progress.finish()
            if output.json {
                try Terminal.json(result)
            } else {
                show(result)
            }
            if !result.isSound { throw ExitCode(ExitStatus.badData.rawValue) }
        }

        private func show(_ result: BackupVerification) {
            for finding in result.findings {
                let snapshots = finding.snapshots.map { String($0.prefix(8)) }.joined(separator: ", ")
                Terminal.write(
                    "\(finding.object): \(finding.problem)"
                        + (snapshots.isEmpty
                            ? ""
                            : "; affects \(Count.text(finding.entryCount, "entry", "entries")) in "
                                + "\(snapshots)"))
            }
            Terminal.write(
                "\(Count.text(result.snapshotCount, "snapshot")), \(Count.text(result.packCount, "pack")), "
                    + "\(Count.text(result.segmentCount, "segment")): "
                    + (result.findings.isEmpty ? "no damage found" : "\(result.findings.count) damaged"))
            if !result.findings.isEmpty {
                options.note(
                    "restore the intact parts of a snapshot with `roost backup restore --allow-damaged`; "
                        + "`roost backup create` writes the data of missing and truncated packs again if the "
                        + "store still has it; remove the other affected snapshots with `roost backup "
                        + "forget` and `roost backup prune`, so that new snapshots use no damaged data")
            } else if !result.hasReadData {
                options.note("checked the sizes of all packs; use --read-data to verify their contents")
            }
        }
    }

    struct ForgetBackups: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "Remove snapshots.",
            discussion: """
                The next `roost backup prune` frees the space of the removed snapshots.

                Examples:
                  roost backup forget 3fa9c1
                  roost backup forget 3fa9c1 b20d77 --to /mnt/disk/notes
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @Argument(help: ArgumentHelp("Snapshot ids, id prefixes, or latest.", valueName: "SNAPSHOT"))
        var snapshots: [String]

        func run() async throws {
            let repository = try await backups.open(options)
            var names: [String] = []
            for name in snapshots {
                // Ids are looked up by file name only, so that an unreadable snapshot can also be removed.
                guard name == "latest" else {
                    names.append(try await repository.name(beginning: name))
                    continue
                }
                let choice = try await SnapshotChoice(name, in: repository)
                // Another snapshot than the latest one must not be removed by mistake.
                if let first = choice.unreadable.first {
                    throw CommandError(
                        .badData,
                        "cannot determine the latest snapshot, because snapshot \(first.id.prefix(12)) "
                            + "cannot be read; give the id of the snapshot to remove")
                }
                names.append(choice.snapshot.id)
            }
            try await repository.forget(names)
            for name in names { Terminal.write("removed \(name.prefix(8))") }
        }
    }

    struct PruneBackups: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune",
            abstract: "Remove snapshots that no rule keeps, and data that no snapshot uses.",
            discussion: """
                A snapshot is kept if at least one --keep rule matches it. Without rules, all snapshots \
                are kept. Days, weeks and months are in UTC.

                Examples:
                  roost backup prune
                  roost backup prune --keep-daily 7 --keep-monthly 12
                  roost backup prune --keep-last 5 --keep-tag release --dry-run
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("Keep the newest N snapshots.", valueName: "N"))
        var keepLast: Int?

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("Keep the newest snapshot of each of the last N days.", valueName: "N"))
        var keepDaily: Int?

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("Keep the newest snapshot of each of the last N weeks.", valueName: "N"))
        var keepWeekly: Int?

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("Keep the newest snapshot of each of the last N months.", valueName: "N"))
        var keepMonthly: Int?

        @Option(
            name: .long, help: ArgumentHelp("Keep snapshots with this tag; repeatable.", valueName: "TAG"))
        var keepTag: [String] = []

        @Flag(name: .long, help: "Show what would be removed, without removing it.")
        var dryRun = false

        private var numbers: [Int?] { [keepLast, keepDaily, keepWeekly, keepMonthly] }

        func validate() throws {
            guard numbers.allSatisfy({ ($0 ?? 0) >= 0 }) else {
                throw ValidationError(
                    "--keep-last, --keep-daily, --keep-weekly and --keep-monthly must be numbers of at least "
                        + "0"
                )
            }
            let isRule = numbers.contains { $0 != nil }
            guard !isRule || numbers.contains(where: { ($0 ?? 0) > 0 }) || !keepTag.isEmpty else {
                throw ValidationError(
                    "these rules would keep no snapshot; use `roost backup forget` to remove single "
                        + "snapshots")
            }
        }

        func run() async throws {
            guard let repository = try await backups.openIfPresent(options) else {
                return options.note(BackupOptions.noBackups)
            }
            let hasRule = numbers.contains { $0 != nil } || !keepTag.isEmpty
            let retention = BackupRetention(
                last: keepLast ?? 0, daily: keepDaily ?? 0, weekly: keepWeekly ?? 0,
                monthly: keepMonthly ?? 0,
                tags: Set(keepTag))
            let report = try await repository.prune(keeping: hasRule ? retention : nil, isDryRun: dryRun)
            for snapshot in report.forgotten {
                Terminal.write("\(dryRun ? "would remove" : "removed") \(SnapshotDocument(snapshot).line)")
            }
            Terminal.write(
                "\(dryRun ? "would keep" : "kept") \(Count.text(report.kept.count, "snapshot")); "
                    + "\(ByteCount.text(report.bytesBefore)) \(dryRun ? "now" : "before"), "
                    + "\(ByteCount.text(report.bytesAfter)) \(dryRun ? "afterwards" : "now")")
        }
    }

    struct ChangePassword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "password", abstract: "Change the passphrase of an encrypted repository.",
            discussion: """
                Encrypts only the repository's key again, not the data.

                Examples:
                  roost backup password --password-file old.txt --new-password-file new.txt
                  roost backup password --to s3://bucket/notes --new-key-file secret.key
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @Option(
            name: .long,
            help: ArgumentHelp("A file whose first line is the new passphrase.", valueName: "FILE"))
        var newPasswordFile: String?

        @Option(
            name: .long,
            help: ArgumentHelp("A file whose bytes are the new secret.", valueName: "FILE"))
        var newKeyFile: String?

        func validate() throws {
            guard (newPasswordFile == nil) != (newKeyFile == nil) else {
                throw ValidationError("give either --new-password-file or --new-key-file")
            }
        }

        func run() async throws {
            let new = try newKeyFile.map(BackupSecret.keyFile) ?? .passwordFile(newPasswordFile ?? "")
            guard let old = try backups.secret() else {
                throw CommandError(
                    .usage,
                    "cannot change the passphrase: the current one is missing; give it with --password-file, "
                        + "--key-file or $ROOST_BACKUP_PASSWORD")
            }
            let retrieval = try backups.location(options).retrieval
            try await BackupRepository.changePassphrase(
                of: retrieval, from: old.passphrase, to: new.passphrase)
            if let warning = new.lengthWarning { options.note(warning) }
            options.note("the passphrase was changed; the old one no longer works")
        }
    }
}
