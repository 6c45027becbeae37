import Foundation
import RoostFiles

/// One search for files below a folder, by the rules of a ``FileFinder``.
struct FolderWalk {
    struct File: Sendable {
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

    private(set) var files: [File] = []
    private(set) var skipped: [IngestReport.Skip]
    var omitted: Set<String> = []
    var willEnter: (String) -> Void = { _ in }
    var isCancelled: () -> Bool = { false }

    /// The path of the folder relative to the root of its repository, to which `.gitignore` files apply.
    let base: String
    let globs: [PathPattern]
    let exclusions: [PathPattern]
    let followsLinks: Bool
    /// The files that are included if there are no patterns.
    let known: KnownFiles
    /// The path of the folder without symbolic links.
    let root: String?
    /// The folders from the root to the current one, without symbolic links, if links are followed.
    var open: [String] = []

    /// Searches a folder.
    ///
    /// - Parameters:
    ///   - path: Its path relative to the root of the search.
    ///   - rules: The rules of the folders above.
    mutating func enter(_ folder: String, path: String, rules: [Rules]) throws {
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
        guard canEnter(folder), let names = names(in: folder) else {
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
            if !name.hasPrefix(".") { try visit(prefix + name, name, path: path, rules: rules) }
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

    /// Returns the names in a folder; `nil` if the folder cannot be read.
    private mutating func names(in folder: String) -> [String]? {
        guard let listing = try? FolderListing(folder) else { return nil }
        for name in listing.invalidNames.sorted() where !name.hasPrefix(".") {
            skip(folder + "/" + name, FileFinder.nameReason)
        }
        return listing.items.map(\.name).sorted()
    }

    /// Adds a file to the findings, or searches a folder.
    private mutating func visit(
        _ file: String, _ name: String, path: String, rules: [Rules]
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
                try enter(file, path: path, rules: rules)
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
