import Foundation
import RoostFiles
import RoostModel

/// Reports files that remain from earlier repairs, or from processes that ended before their work was
/// complete.
struct LeftoverCheck: StoreFileCheck {
    /// Returns the names of partly written files in a store's folder.
    static func temporaryFiles(in directory: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let database = StoreConfiguration.databaseURL(directory).lastPathComponent
        return AtomicFile.leftovers(in: directory)
            + names.filter { $0.hasPrefix(database + ".") && $0.hasSuffix(".tmp") }
    }

    func findings(in configuration: StoreConfiguration) -> [StorageFinding] {
        let directory = configuration.directory
        func path(_ name: String) -> String { directory.appendingPathComponent(name).path }
        var findings: [StorageFinding] = Self.temporaryFiles(in: directory).map { name in
            .note(
                path(name), "is a temporary file of a process that ended unexpectedly",
                remedy: "removes it")
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names.sorted() where name.hasPrefix("damaged-") {
            findings.append(.kept(directory.appendingPathComponent(name)))
        }
        for name in names.sorted() where name.hasPrefix("repaired-") {
            findings.append(
                .note(path(name), "is a remnant of an interrupted repair", remedy: "removes it"))
        }
        let migration = MigrationFolder(of: directory).url
        if names.contains(migration.lastPathComponent) {
            findings.append(
                .note(
                    migration.path,
                    "contains an unfinished migration to another model, which can be resumed or discarded"))
        }
        if names.contains(StoreMigration.markerName) {
            findings.append(.note(path(StoreMigration.markerName), "belongs to an unfinished migration"))
        }
        return findings
    }
}
