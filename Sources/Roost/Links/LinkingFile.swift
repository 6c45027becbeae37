import Foundation
import RoostDocuments
import RoostModel

/// The file of an entry that contains links, which determines the meaning of their paths.
struct LinkingFile {
    /// The path of the file; empty if the entry did not come from one.
    let path: String
    /// The form of the file, by its extension.
    private let form: Form
    /// The address from which a page was saved; `nil` if it is unknown.
    private let address: URL?

    private enum Form {
        /// A text whose links are paths in its folder or names of notes.
        case note
        /// A web page, whose links are relative to its folder or to its address on the web.
        case page
        /// A book, whose relative links lead to its own parts.
        case book
        /// Another document, whose links are relative to an unknown folder.
        case other
    }

    /// The metadata that contains the address of a page.
    private static let addressKey = "url"
    /// The folder with the settings of Obsidian, in the root of a vault.
    private static let vaultSettings = ".obsidian"

    init(of entry: Entry) {
        path = entry.sourcePath ?? ""
        let fileExtension = URL(fileURLWithPath: path).pathExtension.lowercased()
        form =
            if HTMLReader.type.extensions.contains(fileExtension) {
                .page
            } else if fileExtension == "epub" {
                .book
            } else if MarkdownReader.type.extensions.contains(fileExtension) {
                .note
            } else {
                .other
            }
        let stated = form == .page ? entry.metadata[Self.addressKey]?.string : nil
        address = stated.flatMap { URL(string: $0) }.flatMap { $0.host == nil ? nil : $0 }
    }

    /// Whether the text of the entry has no links although it is Markdown, because they were removed from it.
    var hasLinksInMetadataOnly: Bool { form == .page || form == .book }

    /// Returns whether a link leads to another part of the same file.
    func isInternal(_ link: DocumentLink) -> Bool { form == .book && !link.isExternal }

    /// Returns the forms of a link in which it can name a file: without the query of an address, if the name
    /// of no file contains it.
    static func forms(of link: DocumentLink) -> [DocumentLink] {
        guard link.kind == .address, let mark = link.target.firstIndex(of: "?") else { return [link] }
        var short = link
        short.target = String(link.target[..<mark])
        return short.target.isEmpty ? [link] : [link, short]
    }

    /// Returns the forms of a link to a page in which it can name the text from which a program generates the
    /// page, in the same folder: `Guide.md` for `Guide.html`.
    static func sourceForms(of link: DocumentLink) -> [DocumentLink] {
        guard link.kind == .address, !link.isExternal,
            let ending = pageExtensions.first(where: link.target.lowercased().hasSuffix),
            link.target.utf8.count > ending.utf8.count
        else { return [] }
        let stem = link.target.dropLast(ending.count)
        // A path that is not relative could also lead to a note with this name in another folder.
        let isPath = stem.hasPrefix("/") || stem.hasPrefix("./") || stem.hasPrefix("../")
        return sourceExtensions.map { sourceExtension in
            var form = link
            form.target = (isPath ? "" : "./") + stem + sourceExtension
            return form
        }
    }

    private static let pageExtensions = [".html", ".htm"]
    private static let sourceExtensions = [
        ".md", ".markdown", ".mdx", ".qmd", ".rmd", ".rst", ".adoc", ".org", ".ipynb",
    ]

    /// Returns the path that a `file:` URL names on this computer; `nil` for other links.
    static func path(ofFileURL link: DocumentLink) -> String? {
        guard link.kind != .wiki, link.target.lowercased().hasPrefix("file://") else { return nil }
        let rest = link.target.dropFirst("file://".count)
        guard let slash = rest.firstIndex(of: "/"), ["", "localhost"].contains(rest[..<slash].lowercased())
        else { return nil }
        let path = String(rest[slash...])
        // A drive letter means another computer.
        guard path.wholeMatch(of: /\/[A-Za-z]:.*/) == nil else { return nil }
        return path.removingPercentEncoding ?? path
    }

    /// Returns whether the file to which a link leads exists.
    func fileExists(for link: DocumentLink) -> Bool {
        let name = link.target.removingPercentEncoding ?? link.target
        guard !name.isEmpty else { return true }
        guard name.hasPrefix("/") else {
            // An entry without a file has no folder.
            guard !path.isEmpty else { return false }
            return Self.exists(URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" + name)
        }
        // The root can be that of the file system, of a vault or of a site.
        return Self.exists(name) || folders.contains { Self.exists($0 + name) }
    }

    /// Returns the destination of a link that leads neither to an entry nor to a file.
    func destination(ofMissing link: DocumentLink) -> EntryLink.Destination {
        if form == .page {
            // The root of a page's site is not in the file system.
            return address != nil || link.target.hasPrefix("/") ? .external : .missing
        }
        guard link.namesAttachment else { return .missing }
        // Vaults have folders for attachments, which names and embedded files do not contain.
        guard form == .note, link.kind == .address, !link.target.hasPrefix("/") else { return .file }
        guard let vault = folders.first(where: { Self.exists($0 + "/" + Self.vaultSettings) }) else {
            return .missing
        }
        let name = link.target.removingPercentEncoding ?? link.target
        return !name.contains("/") || Self.exists(vault + "/" + name) ? .file : .missing
    }

    /// Returns a link of a page with its complete address; the link itself if the address is unknown.
    func completed(_ link: DocumentLink) -> DocumentLink {
        guard let address, let url = URL(string: link.target, relativeTo: address) else { return link }
        var complete = link
        complete.target = url.absoluteString
        return complete
    }

    /// The folders above the file, the nearest first, without the root.
    private var folders: [String] {
        guard path.hasPrefix("/") else { return [] }
        var folders: [String] = []
        var folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        while folder.path != "/" {
            folders.append(folder.path)
            folder = folder.deletingLastPathComponent()
        }
        return folders
    }

    private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}
