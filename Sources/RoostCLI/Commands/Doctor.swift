import ArgumentParser
import Foundation
import Roost
import RoostServer

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check the store for damage, repair it, or compact it.",
        discussion: """
            Checks the manifest, the lock, the files or the database (including checksums), the vectors, \
            passages and assignments, and reports leftover files. Changes nothing without --repair. A \
            repair keeps the damaged data in the folder damaged-DATE. Exits with 0 if the store is \
            intact, and with 65 if it is damaged.

            --compact frees unused space: for a JSON store, it merges the journal into entries.json and \
            clusters.json; for a SQLite store, it frees the space of removed entries. It also removes stored \
            originals that no entry uses. Other writers wait until it ends.

            Examples:
              roost doctor
              roost doctor --repair
              roost doctor --compact --max-size 2GB
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var output: JSONOption

    @Flag(name: .long, help: "Repair the damage as far as the intact data allows.")
    var repair = false

    @Flag(name: .long, help: "Also list broken links, which lead to neither an entry nor a file.")
    var links = false

    @Flag(name: .long, help: "Free unused space instead of checking the store.")
    var compact = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --compact, change the store's maximum size: 500MB, 2GB, or none.", valueName: "SIZE"))
    var maxSize: String?

    func validate() throws {
        guard compact ? !repair && !links && !output.json : maxSize == nil else {
            throw ValidationError("--compact permits only --max-size, which needs it")
        }
    }

    func run() async throws {
        if compact { return try await Compaction(options: options, maximumSize: maxSize).run() }
        let location = try options.location()
        var inspection = StoreInspector(location) {
            let models = UserDirectories().models
            let names = models.names().flatMap { [$0, "\($0):int8"] } + [ModelLibrary.lexicalName]
            return names.compactMap { try? models.open($0) }
        }
        inspection.embedder = { try EmbedderChoice.open(for: $0) }
        inspection.backups = try BackupOptions.ownSettings()
        let progress = Progress(isQuiet: options.quiet)
        var findings = try await progress.during("checking") { try await inspection.inspect() }
        if let manifest = try? await StoreManifest.settled(in: location),
            let embedder = try? UserDirectories().models.open(for: manifest.space)
        {
            findings += await inspection.inspect(embedder)
        }
        var isIntact = !findings.contains { $0.severity == .damage }
        var hasLosses = false
        if !output.json { show(findings) }
        if repair {
            let repairs = try await progress.during("repairing") { try await inspection.repair() }
            let done = repairs.filter { !findings.contains($0) }
            // Damage without a remedy is data that the repair could not recover.
            hasLosses = repairs.contains { $0.severity == .damage && $0.remedy == nil }
            if !output.json { show(done) }
            findings += done
            let remaining = try await progress.during("checking") { try await inspection.inspect() }
            isIntact = !remaining.contains { $0.severity == .damage }
            if !output.json { show(remaining.filter { !findings.contains($0) }) }
            findings += remaining.filter { !findings.contains($0) }
        }
        if links, isIntact {
            let broken = try await brokenLinks()
            if !output.json { show(broken, evenIfQuiet: true) }
            findings += broken
        }
        if output.json {
            try Terminal.json(findings)
        } else if isIntact {
            Terminal.write("the store in \(location.path) is intact")
            if hasLosses {
                options.note(
                    "some data could not be recovered; a backup may contain it: list the snapshots with "
                        + "`roost backup list`")
            }
        } else if !repair {
            Terminal.write(
                "the store in \(location.path) is damaged; run `roost doctor --repair` to repair it")
        } else {
            Terminal.write(
                "the store in \(location.path) is damaged and cannot be repaired; restore a backup with "
                    + "`roost backup restore`")
        }
        if !isIntact { throw ExitCode(ExitStatus.badData.rawValue) }
    }

    private func brokenLinks() async throws -> [StorageFinding] {
        let store = try await options.open()
        let links = try await store.links.broken()
        try await store.close()
        return links.map {
            .note(
                $0.path ?? $0.id.text,
                "has a link to \(LinkDocument.written($0.link.link)), which was not found")
        }
    }

    private func show(_ findings: [StorageFinding], evenIfQuiet isRequired: Bool = false) {
        for finding in findings where finding.severity == .damage || !options.quiet || isRequired {
            let severity = finding.severity == .damage ? "damage" : "note  "
            Terminal.write("\(severity)  \(Terminal.line(finding.description, limit: 400))")
        }
    }
}

/// Frees unused space of a store: `roost doctor --compact`.
struct Compaction {
    let options: StoreOptions
    /// The new maximum size as an argument; `nil` keeps the present one.
    let maximumSize: String?

    func run() async throws {
        let location = try options.location()
        let limit = try maximumSize.map { try ByteCount.parse($0, option: "--max-size") }
        if try StoreManifest.read(in: location).provider == .postgres { return try await runOnServer() }
        let isRaised = try limit.map { try $0 ?? .max >= StoreManifest.presentSize(in: location) } ?? false
        if let limit, isRaised { try StoreManifest.setMaximumSize(limit, in: location) }
        let store = try await options.open()
        let before = try StoreManifest.presentSize(in: location)
        try await Progress(isQuiet: options.quiet).during("compacting \(ByteCount.text(before))") {
            try await store.compact()
        }
        try await store.close()
        let after = try StoreManifest.presentSize(in: location)
        if let limit, !isRaised {
            guard after <= limit ?? .max else {
                throw CommandError(
                    .usage,
                    "cannot set the maximum size: the store already takes \(ByteCount.text(after)); remove "
                        + "entries first")
            }
            try StoreManifest.setMaximumSize(limit, in: location)
        }
        Terminal.write("\(ByteCount.text(before)) before, \(ByteCount.text(after)) now")
    }

    private func runOnServer() async throws {
        guard maximumSize == nil else {
            throw CommandError(
                .usage, "a store in PostgreSQL has no maximum size; limit the database on the server")
        }
        let store = try await options.open()
        try await Progress(isQuiet: options.quiet).during("compacting") { try await store.compact() }
        try await store.close()
        Terminal.write("deleted superseded data; the server reuses its space after the next vacuum")
    }
}
