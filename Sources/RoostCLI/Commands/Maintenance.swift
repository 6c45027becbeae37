import ArgumentParser
import Foundation
import Roost

struct Compact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Free unused space, and update the human-readable JSON files.",
        discussion: """
            For a JSON store, merges the journal into entries.json and clusters.json. For a SQLite \
            store, frees the space of removed entries. Removes stored originals that no entry uses. \
            Other writers wait until the command ends.

            Examples:
              roost compact
              roost compact --max-size 2GB
            """)

    @OptionGroup var options: StoreOptions

    @Option(
        name: .long,
        help: ArgumentHelp("Change the store's maximum size: 500MB, 2GB, or none.", valueName: "SIZE"))
    var maxSize: String?

    func run() async throws {
        let location = try options.location()
        let limit = try maxSize.map { try ByteCount.parse($0, option: "--max-size") }
        if try StoreManifest.read(in: location).provider == .postgres { return try await compactOnServer() }
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

    private func compactOnServer() async throws {
        guard maxSize == nil else {
            throw CommandError(
                .usage, "a store in PostgreSQL has no maximum size; limit the database on the server")
        }
        let store = try await options.open()
        try await Progress(isQuiet: options.quiet).during("compacting") { try await store.compact() }
        try await store.close()
        Terminal.write("deleted superseded data; the server reuses its space after the next vacuum")
    }
}

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check the store for damage, and repair it.",
        discussion: """
            Checks the manifest, the lock, the files or the database (including checksums), the vectors, \
            passages and assignments, and reports leftover files. Changes nothing without --repair. A \
            repair keeps the damaged data in the folder damaged-DATE. Exits with 0 if the store is \
            intact, and with 65 if it is damaged.

            Examples:
              roost doctor
              roost doctor --repair
            """)

    @OptionGroup var options: StoreOptions

    @Flag(name: .long, help: "Repair the damage as far as the intact data allows.")
    var `repair` = false

    @Flag(
        name: .long,
        help: """
            Also read every byte of the installed models. If files of the store's model have changed, \
            embed the entries since then again, and report those whose vectors differ.
            """)
    var models = false

    @Flag(name: .long, help: "Also list the links in the entries that lead to no entry and no file.")
    var links = false

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let location = try options.location()
        var inspection = StoreInspector(location) {
            let models = UserDirectories().models
            let names = models.names().flatMap { [$0, "\($0):int8"] } + [ModelLibrary.lexicalName]
            return names.compactMap { try? models.open($0) }
        }
        inspection.includesModels = models
        inspection.embedder = { try EmbedderChoice.open(for: $0) }
        inspection.passphrase = try BackupOptions.passphraseFromEnvironment()
        let progress = Progress(isQuiet: options.quiet)
        var findings = try await progress.during("checking") { try await inspection.inspect() }
        if models { findings += await Self.damagedModels().filter { !findings.contains($0) } }
        if let manifest = try? await StoreManifest.settled(in: location),
            let embedder = try? UserDirectories().models.open(for: manifest.space)
        {
            findings += await inspection.inspect(embedder)
        }
        var isIntact = !findings.contains { $0.severity == .damage }
        if !json { show(findings) }
        if `repair` {
            let repairs = try await progress.during("repairing") { try await inspection.repair() }
            let done = repairs.filter { !findings.contains($0) }
            if !json { show(done) }
            findings += done
            let remaining = try await progress.during("checking") { try await inspection.inspect() }
            isIntact = !remaining.contains { $0.severity == .damage }
            if !json { show(remaining.filter { !findings.contains($0) }) }
            findings += remaining.filter { !findings.contains($0) }
        }
        if links, isIntact {
            let broken = try await brokenLinks()
            if !json { show(broken, evenIfQuiet: true) }
            findings += broken
        }
        if json {
            try Terminal.json(findings)
        } else if isIntact {
            Terminal.write("the store in \(location.path) is intact")
        } else if !`repair` {
            Terminal.write(
                "the store in \(location.path) is damaged; run `roost doctor --repair` to repair it")
        } else {
            Terminal.write(
                "the store in \(location.path) is damaged and cannot be repaired; restore a backup with "
                    + "`roost backup restore`")
        }
        if !isIntact { throw ExitCode(ExitStatus.badData.rawValue) }
    }

    /// Reads all installed models.
    private static func damagedModels() async -> [StorageFinding] {
        let library = UserDirectories().models
        var findings: [StorageFinding] = []
        for name in library.names() {
            do {
                try await library.open(name).checkModel()
            } catch let error as EmbedderError {
                findings.append(.damage("model \(name)", "is damaged: \(error.message)"))
            } catch {
                findings.append(.note("model \(name)", "could not be checked: \(error)"))
            }
        }
        return findings
    }

    /// Returns a note for each broken link.
    private func brokenLinks() async throws -> [StorageFinding] {
        let store = try await options.open()
        let links = try await store.brokenLinks()
        try await store.close()
        return links.map {
            .note(
                $0.path ?? $0.id.text, "has a link to \(LinkText.text(of: $0.link.link)), which was not found"
            )
        }
    }

    private func show(_ findings: [StorageFinding], evenIfQuiet isRequired: Bool = false) {
        for finding in findings where finding.severity == .damage || !options.quiet || isRequired {
            let severity = finding.severity == .damage ? "damage" : "note  "
            Terminal.write("\(severity)  \(Terminal.line(finding.description, limit: 400))")
        }
    }
}

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Copy the store to another storage format.",
        discussion: """
            Keeps ids, dates and revisions, so exports of both stores are identical. Finally, compares \
            the contents of both stores. The original store is not changed. An interrupted copy \
            continues when you run the same command again.

            Examples:
              roost migrate --to json ~/notes-json
              roost migrate --to sqlite ~/notes-sqlite --store ~/notes-json
            """)

    @OptionGroup var options: StoreOptions

    @Option(name: .long, help: "The storage format of the copy: sqlite or json.")
    var to: String

    @Argument(help: ArgumentHelp("A new folder.", valueName: "DIR"))
    var directory: String

    func run() async throws {
        let provider = try StoreOptions.providerInFolder(to)
        let target = URL(fileURLWithPath: directory)
        let progress = Progress(isQuiet: options.quiet)
        let migration = StoreMigration(from: try options.location(), to: target, provider: provider)
        let stamp: Stamp
        do {
            stamp = try await progress.during("copying") {
                try await migration.run { progress.update($0, fraction: 0) }
            }
        } catch is CancellationError {
            progress.finish()
            throw CommandError(.interrupted, "stopped; run the same command again to continue")
        }
        progress.finish()
        Terminal.write(
            "copied \(Count.text(stamp.entryCount, "entry", "entries")) at revision \(stamp.revision) to "
                + target.path)
    }
}

struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Revert the last command that changed the store.",
        discussion: """
            Reverts one command, and only if nothing else has changed the store since. Restored entries are \
            appended after the other entries. The commands init, compact, doctor, migrate and copy, and \
            changes by other programs, cannot be reverted.

            Examples:
              roost undo --dry-run
              roost undo
            """)

    @OptionGroup var options: StoreOptions

    @Flag(name: .long, help: "Show what would be reverted, without changing anything.")
    var dryRun = false

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let store = try await options.open(recordingUndo: false)
        let report = try await store.undo(isDryRun: dryRun)
        try await store.close()
        if json { return try Terminal.json(report) }
        let parts = [
            "\(report.removed) removed", "\(report.restored) restored",
            report.restoresClusters ? "clusters restored" : nil,
        ].compactMap(\.self).joined(separator: ", ")
        Terminal.write("\(dryRun ? "would revert" : "reverted") `roost \(report.command)`: \(parts)")
    }
}

/// Parses and formats sizes in bytes.
enum ByteCount {
    /// Parses a size such as `500MB` or `2GB`.
    ///
    /// - Returns: The size in bytes; `nil` for `none`.
    /// - Throws: ``CommandError`` if the text is not a size of at least 1 MB.
    static func parse(_ text: String, option: String) throws -> Int? {
        if text.lowercased() == "none" { return nil }
        let digits = text.prefix { $0.isNumber || $0 == "." }
        let units = ["": 1.0, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12]
        let unit = text.dropFirst(digits.count).trimmingCharacters(in: .whitespaces).lowercased()
        guard let number = Double(digits), let factor = units[unit], number * factor >= 1_000_000,
            number * factor < 1e15
        else {
            throw CommandError(
                .usage,
                "\(option) must be a size of at least 1MB, such as 500MB or 2GB, or none; not "
                    + "'\(Terminal.line(text, limit: 40))'")
        }
        return Int(number * factor)
    }

    static func text(_ bytes: Int) -> String {
        if bytes < 1_000_000 { return "\((bytes + 999) / 1000) kB" }
        return String(format: "%.1f MB", Double(bytes) / 1e6)
    }

    static func ofFiles(in folder: URL) -> Int {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey])
        return (files?.allObjects as? [URL] ?? []).reduce(0) { sum, url in
            sum + ((try? url.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? 0)
        }
    }
}
