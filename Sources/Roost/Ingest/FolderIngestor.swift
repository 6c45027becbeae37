import Foundation
import RoostDocuments
import RoostFiles
import RoostModel

/// Finds, reads and ingests the files below a folder, and removes the entries of vanished files on request.
struct FolderIngestor {
    let store: KnowledgeStore
    let finder: FileFinder
    let reader: RecordReader

    func run(_ folder: URL, pruning: Bool, _ options: IngestOptions) async throws -> IngestReport {
        var finder = finder
        finder.readers = reader.readers
        let found = try await BlockingWork.run { [finder] in
            try finder.find(folder, isCancelled: $0)
        }
        var report = try await ingest(found.files, options)
        report.skipped = found.skipped + report.skipped
        let vanished = try await Pruner([folder])
            .vanished(in: try await store.storage.snapshot(), keeping: found.files)
        guard pruning else {
            report.missingFiles = vanished.sources.count
            return report
        }
        report.removed += vanished.entries.count
        if !options.isDryRun, !vanished.sources.isEmpty {
            _ = try await EntryEditor(store: store).remove(vanished.entries, sources: vanished.sources)
        }
        return report
    }

    /// Ingests files. Files that cannot be read are skipped and reported.
    func ingest(_ files: [URL], _ options: IngestOptions) async throws -> IngestReport {
        var unreadable: [IngestReport.Skip] = []
        var files = files[...]
        // Each file is read only when it is ingested, so that one file at a time is in memory.
        var report = try await Ingestor.run(into: store, options) {
            while let file = files.popFirst() {
                do {
                    return try await reader.read(file, for: store)
                } catch let error as CancellationError {
                    throw error
                } catch let error as StorageError {
                    // The fault is that of the store, not of the file.
                    throw error
                } catch {
                    unreadable.append(IngestReport.Skip(file, error))
                }
            }
            return nil
        }
        report.skipped = unreadable + report.skipped
        return report
    }
}

/// One search for files below a folder, by the rules of a ``FileFinder``.
struct FolderWalk {
    /// A file that was found.
    struct File: Sendable {
        /// The path of the file.
        var path: String
        /// The path relative to the folder that was searched.
        var relativePath: String
        /// The status of the file, or of the target of a link; `nil` for a link without a target.
        var status: FileStatus?
    }

    /// The rules of the `.gitignore` file in one folder.
    struct Rules {
        /// The path of the folder relative to the root of the repository.
        var prefix: String
        var rules: IgnoreRules
    }

    /// The files that were found, in the order of their paths.
    private(set) var files: [File] = []
    /// The files and folders that were skipped, and the reasons.
    private(set) var skipped: [IngestReport.Skip]
    /// The paths of folders that are not searched.
    var omitted: Set<String> = []
    /// Called with the path of each folder before its contents are listed.
    var willEnter: (String) -> Void = { _ in }
    /// Returns whether to stop the search.
    var isCancelled: () -> Bool = { false }

    /// The path of the folder relative to the root of its repository, to which `.gitignore` files apply.
    private let base: String
    private let globs: [PathPattern]
    private let exclusions: [PathPattern]
    private let followsLinks: Bool
    /// The files that are included if there are no patterns.
    private let known: KnownFiles
    /// The path of the folder without symbolic links.
    private let root: String?
    /// The folders from the root to the current one, without symbolic links, if links are followed.
    private var open: [String] = []

    init(
        base: String, globs: [PathPattern], exclusions: [PathPattern], followsLinks: Bool,
        readers: DocumentReaders, root: String?, skipped: [IngestReport.Skip]
    ) {
        (self.base, self.globs, self.exclusions) = (base, globs, exclusions)
        (self.followsLinks, self.known, self.root) = (followsLinks, KnownFiles(readers), root)
        self.skipped = skipped
    }

    /// Searches a folder.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - path: Its path relative to the root of the search.
    ///   - rules: The rules of the folders above.
    ///   - scope: The part of the folder to search.
    /// - Throws: ``RoostError`` with `.noInput` if the root of the search cannot be read;
    ///   `CancellationError`.
    mutating func enter(_ folder: String, path: String, rules: [Rules], scope: FolderScope) throws {
        if isCancelled() { throw CancellationError() }
        let isStore = isStore(folder)
        if isStore, !path.isEmpty { return skip(folder, FileFinder.storeReason) }
        // The folder that the user named can be that of a project and its store.
        if isStore { skip(folder + "/" + StoreManifest.fileName, FileFinder.storeReason) }
        if followsLinks {
            let resolved = FileSystem.resolvedPath(folder) ?? folder
            guard !open.contains(resolved) else {
                return skip(folder, "a symbolic link to one of its parent folders")
            }
            open.append(resolved)
        }
        defer { if followsLinks { open.removeLast() } }
        // A program that watches the folder must not miss a change after the listing.
        willEnter(folder)
        guard canEnter(folder), let names = try names(in: folder, path: path, scope) else {
            if path.isEmpty {
                throw RoostError(
                    .noInput, "cannot read the folder \(folder): permission denied or an I/O error")
            }
            return skip(folder, "the folder cannot be read")
        }
        var rules = rules
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        if let own = IgnoreRules(in: url, skipped: &skipped) {
            rules.append(Rules(prefix: inRepository(path), rules: own))
        }
        let prefix = folder == "/" ? "/" : folder + "/"
        for name in names {
            let path = path.isEmpty ? name : path + "/" + name
            if isStore, isOwnFile(name, in: prefix) { continue }
            // Hidden files are never read.
            if !name.hasPrefix("."), let scope = scope.below(name) {
                try visit(prefix + name, name, path: path, rules: rules, scope: scope)
            }
        }
    }

    /// Returns whether a folder is a store. Its files are not texts of the user, and change with each ingest.
    private func isStore(_ folder: String) -> Bool {
        access("\(folder)/\(StoreManifest.fileName)", F_OK) == 0
            && access(StoreConfiguration.lockURL(URL(fileURLWithPath: folder)).path, F_OK) == 0
    }

    /// Returns whether a name in the folder of a store is that of one of its files. On most file systems,
    /// `Work` is another folder than the store's `work`.
    private func isOwnFile(_ name: String, in prefix: String) -> Bool {
        guard let ownName = StoreManifest.ownName(of: name) else { return false }
        var (status, ownStatus) = (stat(), stat())
        return name == ownName
            || lstat(prefix + name, &status) == 0 && lstat(prefix + ownName, &ownStatus) == 0
                && (status.st_dev, status.st_ino) == (ownStatus.st_dev, ownStatus.st_ino)
    }

    /// Returns whether the files in a folder can be opened. The permission to list a folder does not include
    /// this.
    private func canEnter(_ folder: String) -> Bool { access(folder, X_OK) == 0 || errno != EACCES }

    /// Returns the names in a folder that are in the scope; `nil` if the folder cannot be read.
    private mutating func names(
        in folder: String, path: String, _ scope: FolderScope
    ) throws -> [String]? {
        guard scope.isEntire else { return scope.children.keys.sorted().map(\.text) }
        guard let listing = try? FolderListing(folder) else { return nil }
        for name in listing.invalidNames.sorted() where !name.hasPrefix(".") {
            skip(folder + "/" + name, FileFinder.nameReason)
        }
        return listing.items.map(\.name).sorted()
    }

    /// Adds a file to the findings, or searches a folder.
    private mutating func visit(
        _ file: String, _ name: String, path: String, rules: [Rules], scope: FolderScope
    ) throws {
        var status = stat()
        // The file may have been removed after its folder was listed.
        guard !omitted.contains(file), lstat(file, &status) == 0 else { return }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        let exists = !isLink || stat(file, &status) == 0
        let isFolder = exists && status.st_mode & S_IFMT == S_IFDIR
        if exclusions.contains(where: { $0.matches(path, isFolder: isFolder) }) { return }
        if isIgnored(inRepository(path), isFolder, rules) { return }
        if isFolder {
            if isLink, !followsLinks {
                skip(file, FileFinder.linkReason)
            } else {
                try enter(file, path: path, rules: rules, scope: scope)
            }
        } else if includes(file, name, path, isRegular: exists && status.st_mode & S_IFMT == S_IFREG) {
            if isLink, !followsLinks, !isBelowRoot(file) {
                skip(file, FileFinder.linkReason)
            } else {
                files.append(
                    File(path: file, relativePath: path, status: exists ? FileStatus(status) : nil))
            }
        } else if globs.isEmpty {
            skip(file, FileFinder.typeReason)
        }
    }

    private func includes(_ file: String, _ name: String, _ path: String, isRegular: Bool) -> Bool {
        guard globs.isEmpty else { return globs.contains { $0.contains(path) } }
        return known.contains(file, name: name, isRegular: isRegular)
    }

    private mutating func skip(_ path: String, _ reason: String) {
        skipped.append(.init(source: path, reason: reason))
    }

    /// Returns whether a link leads to a file below the folder, or has no target.
    private func isBelowRoot(_ link: String) -> Bool {
        guard let root else { return false }
        // Reading a link without a target reports the cause.
        guard let target = FileSystem.resolvedPath(link) else { return true }
        return target.hasPrefix(root == "/" ? root : root + "/")
    }

    private func inRepository(_ path: String) -> String {
        base.isEmpty || path.isEmpty ? base + path : base + "/" + path
    }

    private func isIgnored(_ path: String, _ isFolder: Bool, _ rules: [Rules]) -> Bool {
        // A rule in a deeper folder overrides those of its parents.
        for folder in rules.reversed() {
            let prefix = folder.prefix
            let relative = prefix.isEmpty ? path : String(path.dropFirst(prefix.count + 1))
            if let isIgnored = folder.rules.ignores(relative, isFolder: isFolder) { return isIgnored }
        }
        return false
    }
}
