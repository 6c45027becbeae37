import ArgumentParser
import Foundation
import Roost

struct Compact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give back space, and bring the files for people up to date.",
        discussion: """
            A JSON store's journal is folded into entries.json and clusters.json; a database gives back the \
            space of what was removed. Kept documents that no entry came from any more are removed. Other \
            writers wait meanwhile.
            """)

    @OptionGroup var options: StoreOptions

    @Option(
        name: .long,
        help: ArgumentHelp("Change the store's limit first: 500MB, 2GB, or none.", valueName: "SIZE"))
    var maxSize: String?

    func run() async throws {
        let location = try options.location()
        let limit = try maxSize.map { try ByteCount.parse($0, option: "--max-size") }
        let isRaised = try limit.map { try $0 ?? .max >= StoreManifest.presentSize(in: location) } ?? false
        if let limit, isRaised { try StoreManifest.setMaximumSize(limit, in: location) }
        let store = try await options.open()
        let before = try StoreManifest.presentSize(in: location)
        try await store.compact()
        try await store.close()
        let after = try StoreManifest.presentSize(in: location)
        if let limit, !isRaised {
            guard after <= limit ?? .max else {
                throw CommandError(
                    .usage,
                    "the store takes \(ByteCount.text(after)) and cannot be limited to less; remove entries "
                        + "first")
            }
            try StoreManifest.setMaximumSize(limit, in: location)
        }
        Terminal.write("\(ByteCount.text(before)) before, \(ByteCount.text(after)) now")
    }
}

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at every byte of the store, and mend it where it is damaged.",
        discussion: """
            Looks at the manifest, the lock, the files or the database with their checksums, vectors, \
            passages, assignments, and what was left behind; changes nothing without --repair. A repair \
            keeps what was damaged in a folder beside the store. Exits with 0 where the store is whole, and \
            with 65 where it is not.
            """)

    @OptionGroup var options: StoreOptions

    @Flag(name: .long, help: "Mend what can be mended, from what is whole.")
    var `repair` = false

    @Flag(name: .long, help: "As JSON.")
    var json = false

    func run() async throws {
        let location = try options.location()
        var inspection = StoreInspection(location) {
            let models = UserPlaces().models
            let names = models.names().flatMap { [$0, "\($0):int8"] } + [ModelLibrary.lexicalName]
            return names.compactMap { try? models.open($0) }
        }
        inspection.passphrase = BackupOptions.passphraseOfEnvironment()
        var findings = try await inspection.inspect()
        if let manifest = try? await StoreManifest.settled(in: location),
            let embedder = try? UserPlaces().models.open(for: manifest.space)
        {
            findings += await inspection.inspect(embedder)
        }
        var isWhole = !findings.contains { $0.severity == .damage }
        if !json { show(findings) }
        if `repair` {
            let done = try await inspection.repair().filter { !findings.contains($0) }
            if !json { show(done) }
            findings += done
            let left = try await inspection.inspect()
            isWhole = !left.contains { $0.severity == .damage }
            if !json { show(left.filter { !findings.contains($0) }) }
            findings += left.filter { !findings.contains($0) }
        }
        if json {
            try Terminal.json(findings)
        } else if isWhole {
            Terminal.write("the store in \(location.path) is whole")
        } else if !`repair` {
            Terminal.write(
                "the store in \(location.path) is damaged; `roost doctor --repair` mends what can be")
        } else {
            Terminal.write("the store in \(location.path) is damaged in a way that cannot be mended")
        }
        if !isWhole { throw ExitCode(ExitStatus.badData.rawValue) }
    }

    private func show(_ findings: [StorageFinding]) {
        for finding in findings where finding.severity == .damage || !options.quiet {
            let severity = finding.severity == .damage ? "damage" : "note  "
            Terminal.write("\(severity)  \(Terminal.line(finding.description, limit: 400))")
        }
    }
}

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the store into another kind of storage.",
        discussion: """
            Ids, dates and revisions stay, so that exports before and after are the same. Every answer of \
            the two is compared at the end. The store itself is only read. A command that was stopped is \
            given again to go on.
            """)

    @OptionGroup var options: StoreOptions

    @Option(name: .long, help: "What to copy into: sqlite or json.")
    var to: String

    @Argument(help: ArgumentHelp("A new folder.", valueName: "DIR"))
    var directory: String

    func run() async throws {
        guard let provider = StoreManifest.Provider(rawValue: to) else {
            throw CommandError(
                .usage, "there is no provider '\(Terminal.line(to, limit: 40))'; there are sqlite and json")
        }
        let target = URL(fileURLWithPath: directory)
        let progress = Progress(isQuiet: options.quiet)
        let migration = StoreMigration(from: try options.location(), to: target, provider: provider)
        let stamp: Stamp
        do {
            stamp = try await migration.run { progress.update($0, fraction: 0) }
        } catch is CancellationError {
            progress.finish()
            throw CommandError(.interrupted, "stopped; the same command goes on from there")
        }
        progress.finish()
        Terminal.write("\(stamp.entryCount) entries at revision \(stamp.revision) are in \(target.path)")
    }
}

struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take back the last command that changed the store.",
        discussion: """
            One step, and only while nothing else has changed the store since. Entries that come back stand \
            behind the others. Not taken back: init, compact, doctor, migrate, and what other programs did.
            """)

    @OptionGroup var options: StoreOptions

    @Flag(name: .long, help: "Say what would be taken back, and do nothing.")
    var dryRun = false

    @Flag(name: .long, help: "Report as JSON.")
    var json = false

    func run() async throws {
        let location = try options.location()
        let store = try await options.open(recordingUndo: false)
        let report = try await store.undo(in: location, isDryRun: dryRun)
        try await store.close()
        if json { return try Terminal.json(report) }
        let parts = [
            "\(report.removed) removed", "\(report.restored) restored",
            report.restoresClusters ? "the clusters of before" : nil,
        ].compactMap(\.self).joined(separator: ", ")
        Terminal.write("\(dryRun ? "would take" : "took") back `roost \(report.command)`: \(parts)")
    }
}

/// Sizes as people write them.
enum ByteCount {
    /// - Returns: `nil` for `none`.
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
                "\(option) takes a size of at least 1MB, like 500MB or 2GB, or none; not "
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
