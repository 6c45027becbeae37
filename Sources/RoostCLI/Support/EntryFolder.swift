import Foundation
import Roost

/// A new folder with one Markdown file per entry. The folder appears when it is complete.
final class EntryFolder {
    private let target: URL
    private let staging: URL
    private var count = 0
    private var names = EntryFileNames()

    /// Creates a temporary folder next to the target.
    init(_ target: URL) throws {
        // A link to an empty folder stays; the folder is replaced.
        self.target = target.standardizedFileURL.resolvingSymlinksInPath()
        try OutputFile.requireNoFileOfStore(self.target)
        let manager = FileManager.default
        if manager.fileExists(atPath: target.path) {
            guard (try? manager.contentsOfDirectory(atPath: target.path))?.isEmpty == true else {
                throw CommandError(
                    .cannotCreate, "cannot export to \(target.path): it exists and is not an empty folder")
            }
        }
        staging = self.target.deletingLastPathComponent()
            .appendingPathComponent(".\(self.target.lastPathComponent).\(UUID().uuidString)")
        do {
            try manager.createDirectory(
                at: staging, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandError(
                .cannotCreate, "cannot create \(target.path): \(error.localizedDescription)")
        }
    }

    deinit { try? FileManager.default.removeItem(at: staging) }

    func add(_ entry: Entry) throws {
        let file = staging.appendingPathComponent(names.name(of: entry))
        let text = EntryFrontMatter(of: entry).text
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw CommandError(.cannotCreate, "cannot write \(file.lastPathComponent)") }
        count += 1
    }

    /// Moves the folder to its final location, and returns the number of files.
    func finish() throws -> Int {
        // The call replaces an empty folder, but fails if it contains files by now.
        guard rename(staging.path, target.path) == 0 else {
            throw CommandError(
                .cannotCreate, "cannot create \(target.path): \(String(cString: strerror(errno)))")
        }
        return count
    }
}
