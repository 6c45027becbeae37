import ArgumentParser
import Foundation
import Roost
import RoostChunks
import RoostServer
import Synchronization

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Create, verify and restore snapshots of the store.",
        discussion: """
            A snapshot contains one consistent state of the store; other processes can keep writing \
            while it is created. Snapshots share identical data, so each additional snapshot is small.

            Examples:
              roost backup create
              roost backup list
              roost backup restore latest --into restored
            """,
        subcommands: [
            CreateBackup.self, ListBackups.self, VerifyBackups.self, RestoreBackup.self,
            ForgetBackups.self, PruneBackups.self, ChangePassword.self,
        ])

    struct CreateBackup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Create a snapshot of the current state of the store.",
            discussion: """
                Creates the repository if it does not exist, and encrypts it if you give a passphrase.

                Examples:
                  roost backup create
                  roost backup create --to /mnt/disk/notes --password-file ~/secret
                  roost backup create --to s3://bucket/notes --tag before-cleanup
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @Option(
            name: .long,
            help: ArgumentHelp("Add a tag to the snapshot; repeatable.", valueName: "TAG"))
        var tag: [String] = []

        @OptionGroup var output: JSONOption

        func validate() throws {
            guard tag.allSatisfy({ !$0.allSatisfy(\.isWhitespace) && $0.utf8.count <= 200 }) else {
                throw ValidationError("--tag must be a word of at most 200 bytes")
            }
        }

        func run() async throws {
            let location = try options.location()
            // The manifest is read first, so that no repository is created for a folder without a store.
            let manifest = try StoreManifest.read(in: location)
            let repository = try await backups.open(options, creatingIfMissing: true)
            let start = Date()
            let progress = Progress(isQuiet: options.quiet)
            let report = try await StoreBackup(location).create(in: repository, tags: tag) { done, total in
                progress.update(done, of: total)
            }
            progress.finish()
            options.detail(String(format: "backed up in %.2f s", Date().timeIntervalSince(start)))
            for digest in report.damagedDocuments {
                options.note(
                    "excluded a damaged original file from the backup: \(digest.prefix(12)); "
                        + "run `roost doctor` for details")
            }
            if manifest.hasOriginals == true, !OriginalStore(of: location).exists {
                options.note(
                    "the original files of the store are missing, so the snapshot has none; run `roost "
                        + "doctor` for details")
            }
            let target = try backups.location(options)
            if output.json {
                return try Terminal.json(
                    CreatedSnapshotDocument(
                        report, encrypted: repository.isEncrypted, repository: target.name))
            }
            Terminal.write(SnapshotDocument(report.snapshot).line)
            options.note(
                "\(ByteCount.text(report.writtenBytes)) written to \(Terminal.line(target.name)); "
                    + "\(report.newSegments) of \(report.segments) segments are new"
                    + (repository.isEncrypted ? "" : "; not encrypted"))
            if !repository.isEncrypted, target.isReadableInTransit {
                options.note("the backup was sent unencrypted over http; others on the network can read it")
            }
        }
    }

    struct ListBackups: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the snapshots, oldest first.",
            discussion: """
                If a snapshot is damaged, lists the others, names the damaged one on standard error, and \
                exits with 65.

                Examples:
                  roost backup list
                  roost backup list -n 5
                  roost backup list --to s3://bucket/notes --json
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @OptionGroup var limitOption: LimitOption

        @OptionGroup var output: OutputOptions

        func run() async throws {
            let repository = try await backups.openIfPresent(options)
            let list = try await repository?.snapshotList() ?? BackupSnapshotList()
            var writer = ListWriter(output, SnapshotDocument.columns)
            try writer.write(
                list.snapshots.suffix(limitOption.limit ?? .max).map { SnapshotDocument($0).row })
            writer.finish(options)
            if repository == nil {
                options.note(BackupOptions.noBackups)
            } else if list.snapshots.isEmpty, list.unreadable.isEmpty {
                options.note("the repository has no snapshots")
            }
            try SnapshotChoice.reportUnreadable(list)
        }
    }

    struct RestoreBackup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore", abstract: "Restore a snapshot into a new folder.",
            discussion: """
                The folder must be new or empty; open the restored store with --store DIR. The snapshot can \
                be restored as SQLite or JSON, regardless of the original storage format. With \
                --allow-damaged, restores everything that is intact; if anything is missing, lists it and \
                exits with 65. If some snapshots are damaged, latest is the newest intact one; the command \
                restores it, names the damaged ones, and exits with 65.

                Examples:
                  roost backup restore latest --into restored
                  roost backup restore 3fa9c1 --into restored --provider json
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var backups: BackupOptions

        @Argument(
            help: ArgumentHelp(
                "A snapshot id, the beginning of an id, or latest.", valueName: "SNAPSHOT"))
        var snapshot: String

        @Option(name: .long, help: ArgumentHelp("A new or empty folder.", valueName: "DIR"))
        var into: String

        @Option(name: .long, help: "The storage format: sqlite or json. Default: the original format.")
        var provider: String?

        @Flag(name: .long, help: "Skip damaged parts of the snapshot, and list them.")
        var allowDamaged = false

        func run() async throws {
            let chosen = try provider.map(StoreOptions.providerInFolder)
            let repository = try await backups.open(options)
            let choice = try await SnapshotChoice(snapshot, in: repository)
            let target = URL(fileURLWithPath: into)
            let progress = Progress(isQuiet: options.quiet)
            let options = options
            let losses = BackupLosses()
            let onLoss: (@Sendable (BackupLoss) -> Void)? =
                allowDamaged ? { @Sendable in losses.add($0) } : nil
            let stamp: Stamp
            do {
                stamp = try await StoreBackup(target).restore(
                    choice.snapshot, from: repository, provider: chosen,
                    progress: { progress.update($0, of: $1) },
                    onLoss: onLoss)
            } catch let error as BackupError where error.code == .damaged && !allowDamaged {
                progress.finish()
                options.note("--allow-damaged restores the parts of the snapshot that are intact")
                throw error
            }
            progress.finish()
            Terminal.write(
                "restored \(Count.text(stamp.entryCount, "entry", "entries")) and "
                    + "\(Count.text(stamp.clusterCount, "cluster")) into \(target.path)")
            for line in losses.lines { Terminal.error(line) }
            try choice.reportUnreadable()
            if !losses.isEmpty { throw ExitCode(ExitStatus.badData.rawValue) }
        }
    }
}

extension SnapshotDocument {
    /// The minimum width of a terminal on which the minute of a snapshot is shown.
    private static let minimumWidth = 45
    private static let isNarrow = Terminal.columns.map { $0 < minimumWidth } ?? false

    static let columns = [
        EntryRow.idColumn,
        // Tables show the minute, or only the day if the terminal has no space for it.
        TableColumn(name: "created", shownLength: isNarrow ? 10 : 16),
        TableColumn(name: "entries", isNumber: true), TableColumn(name: "clusters", isNumber: true),
        TableColumn(name: "tags", style: .dim, isFlexible: true),
    ]

    var row: ListRow {
        ListRow(
            cells: [
                id, createdAt, "\(entries)", "\(clusters)",
                tags.map { Terminal.line($0, limit: 40) }.joined(separator: ", "),
            ], document: self)
    }

    var line: String {
        "\(id.prefix(8))  \(createdAt)  \(Count.text(entries, "entry", "entries")), "
            + Count.text(clusters, "cluster")
            + (tags.isEmpty
                ? "" : "  " + Terminal.dim(tags.map { Terminal.line($0, limit: 40) }.joined(separator: ", ")))
    }
}

/// Collects the parts of a snapshot that a restoration skipped.
final class BackupLosses: Sendable {
    private let all = Mutex<[BackupLoss]>([])

    func add(_ loss: BackupLoss) { all.withLock { $0.append(loss) } }

    var isEmpty: Bool { all.withLock { $0.isEmpty } }

    /// One line for each kind of loss, with the names that are known.
    var lines: [String] {
        let losses = all.withLock { $0 }
        return BackupLoss.Part.allCases.compactMap { part in
            let lost = losses.filter { $0.part == part }
            guard !lost.isEmpty else { return nil }
            let count = lost.reduce(0) { $0 + $1.count }
            let names = lost.flatMap(\.names)
            let list = names.isEmpty ? "" : ": " + names.joined(separator: " ")
            return "missing: \(Self.text(part, count))\(list)"
        }
    }

    private static func text(_ part: BackupLoss.Part, _ count: Int) -> String {
        switch part {
        case .entries: Count.text(count, "entry", "entries")
        case .vectors:
            "the vectors of \(Count.text(count, "entry", "entries")), which `roost doctor --repair` computes"
        case .assignments: "the clusters of \(Count.text(count, "entry", "entries"))"
        case .clusters: Count.text(count, "cluster")
        case .sources: Count.text(count, "record of a source", "records of sources")
        case .run: "the record of the last clustering run"
        case .originals: Count.text(count, "original file")
        case .originalLists: Count.text(count, "list of original files", "lists of original files")
        }
    }
}

/// The snapshot that an argument selects, and the snapshots that could not be read meanwhile.
struct SnapshotChoice {
    let snapshot: BackupSnapshot
    /// The snapshots that cannot be read, one of which may be newer than ``snapshot``; empty unless the
    /// argument is `latest`.
    let unreadable: [BackupSnapshotList.Unreadable]

    init(_ argument: String, in repository: BackupRepository) async throws {
        guard argument == "latest" else {
            snapshot = try await repository.snapshot(argument)
            unreadable = []
            return
        }
        let list = try await repository.snapshotList()
        snapshot = try list.latest()
        unreadable = list.unreadable
    }

    /// Prints a message for each snapshot that could not be read, and ends the command with a status that
    /// reports them.
    func reportUnreadable() throws { try Self.report(unreadable, "; it may be newer than the one used here") }

    /// Prints a message for each snapshot of a list that cannot be read, and ends the command with a status
    /// that reports them.
    static func reportUnreadable(_ list: BackupSnapshotList) throws { try report(list.unreadable, "") }

    private static func report(_ unreadable: [BackupSnapshotList.Unreadable], _ consequence: String) throws {
        guard !unreadable.isEmpty else { return }
        for snapshot in unreadable {
            let isDamaged = snapshot.error.code == .damaged
            let step =
                isDamaged
                ? "remove it with `roost backup forget \(snapshot.id.prefix(12))`"
                : "upgrade Roost to read it"
            Terminal.error("roost: \(snapshot.error.message)\(consequence); \(step)")
        }
        throw ExitCode(ExitStatus.badData.rawValue)
    }
}
